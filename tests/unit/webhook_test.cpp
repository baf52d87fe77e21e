// The rules a webhook job must keep: what passes, and for each fault where it is and what would be right.
#include "domain/webhook.h"

#include <gtest/gtest.h>

#include <functional>

namespace eilbote::webhook_test {
namespace {

using namespace std::chrono_literals;

const TimePoint kNow{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

Webhook good() {
  Webhook webhook;
  webhook.source = "orders";
  webhook.code = "order.paid";
  webhook.target_url = "https://example.org/hook";
  webhook.payload = R"({"a":1})";
  return webhook;
}

// "/pointer: detail" per line.
std::string faults_of(const Webhook& webhook, WebhookLimits limits = {}) {
  std::string all;
  for (const Fault& fault : check_webhook(webhook, limits, kNow))
    all += fault.pointer + ": " + fault.detail + "\n";
  return all;
}

using Change = std::function<void(Webhook&)>;

TEST(Webhook, passes) {
  const std::pair<const char*, Change> cases[] = {
      {"the least", [](Webhook&) {}},
      {"an event", [](Webhook& w) { w.kind = DispatchKind::EVENT, w.event_id = "e1"; }},
      {"text", [](Webhook& w) { w.payload = "hi {", w.payload_content_type = "text/plain; charset=utf-8"; }},
      {"quoted parameter", [](Webhook& w) { w.payload_content_type = "application/json; a=\"b;c\""; }},
      {"quote in a quoted parameter",
       [](Webhook& w) { w.payload_content_type = R"(application/json; a="b\"c"; d=e)"; }},
      {"+json", [](Webhook& w) { w.payload_content_type = "application/cloudevents+json"; }},
      {"a JSON number", [](Webhook& w) { w.payload = " 42 \n"; }},
      {"escaped NUL in JSON", [](Webhook& w) { w.payload = R"("\u0000")"; }},
      {"headers",
       [](Webhook& w) {
         w.headers = {{"X-A", "1"}, {"User-Agent", "me"}, {"x.b~", ""}};
       }},
      {"a tab inside a value",
       [](Webhook& w) {
         w.headers = {{"X-A", "1\t2"}};
       }},
      {"metadata",
       [](Webhook& w) {
         w.metadata = {{"k", ""}, {"K", "v"}};
       }},
      {"a group", [](Webhook& w) { w.mode = GroupMode::BLOCK_ON_ERROR, w.message_group = "g"; }},
      {"bounds", [](Webhook& w) { w.sequence = 1'000'000, w.timeout_seconds = 300, w.max_retries = 100; }},
      {"other bounds", [](Webhook& w) { w.sequence = 0, w.timeout_seconds = 1, w.max_retries = 1; }},
      {"in the past is now", [](Webhook& w) { w.scheduled_for = kNow - 1h; }},
      {"a key", [](Webhook& w) { w.idempotency_key = std::string(255, 'k'); }},
      {"200 umlauts", [](Webhook& w) {
         w.code.clear();
         for (int i = 0; i < 200; ++i)
           w.code += "ä";
       }}};
  for (const auto& [name, change] : cases) {
    Webhook webhook = good();
    change(webhook);
    EXPECT_EQ(faults_of(webhook), "") << name;
  }
}

struct Refused {
  const char* name;
  Change change;
  std::string expected;  // the beginning of the only fault
};

void expect_refused(const std::vector<Refused>& cases) {
  for (const Refused& c : cases) {
    Webhook webhook = good();
    c.change(webhook);
    const std::string faults = faults_of(webhook);
    EXPECT_TRUE(faults.starts_with(c.expected)) << c.name << ": " << faults;
    EXPECT_EQ(std::count(faults.begin(), faults.end(), '\n'), 1) << c.name << ": " << faults;
  }
}

TEST(Webhook, is_refused_for_its_texts) {
  const std::string long_text(256, 'x');
  expect_refused({
      {"no source", [](Webhook& w) { w.source = ""; }, "/source: is required"},
      {"no code", [](Webhook& w) { w.code = ""; }, "/code: is required"},
      {"long source", [](Webhook& w) { w.source = std::string(201, 's'); }, "/source: must be at most 200"},
      {"long code", [](Webhook& w) { w.code = std::string(201, 's'); }, "/code: must be at most 200"},
      {"line break in code", [](Webhook& w) { w.code = "a\nb"; }, "/code: must not contain line breaks"},
      {"NUL in source", [](Webhook& w) { w.source = std::string("a\0b", 3); }, "/source: must not contain"},
      {"broken subject", [](Webhook& w) { w.subject = "\xff"; }, "/subject: must be valid UTF-8"},
      {"long externalId", [&](Webhook& w) { w.external_id = long_text; }, "/externalId: must be at most 255"},
      {"long subject", [&](Webhook& w) { w.subject = long_text; }, "/subject: must be at most 255"},
      {"long eventId", [&](Webhook& w) { w.event_id = long_text; }, "/eventId: must be at most 255"},
      {"long correlationId", [&](Webhook& w) { w.correlation_id = long_text; }, "/correlationId: must be at"},
      {"long subscriptionId", [&](Webhook& w) { w.subscription_id = long_text; }, "/subscriptionId: must be"},
      {"long serviceAccountId", [&](Webhook& w) { w.service_account_id = long_text; },
       "/serviceAccountId: m"},
      {"long schemaId", [&](Webhook& w) { w.schema_id = long_text; }, "/schemaId: must be at most 255"},
      {"long pool", [&](Webhook& w) { w.dispatch_pool = long_text; }, "/dispatchPoolId: must be at most 255"},
      {"long group", [&](Webhook& w) { w.message_group = long_text; }, "/messageGroup: must be at most 255"},
      {"event without its id", [](Webhook& w) { w.kind = DispatchKind::EVENT; },
       "/eventId: is required when"},
      {"order without a group", [](Webhook& w) { w.mode = GroupMode::NEXT_ON_ERROR; },
       "/messageGroup: is required when mode is NEXT_ON_ERROR"},
      {"long key", [&](Webhook& w) { w.idempotency_key = long_text; }, "/idempotencyKey: must be 1 to 255"},
      {"key with a tab", [](Webhook& w) { w.idempotency_key = "a\tb"; }, "/idempotencyKey: must be 1 to 255"},
      {"key with an umlaut", [](Webhook& w) { w.idempotency_key = "ä"; }, "/idempotencyKey: must be 1 to"},
  });
}

TEST(Webhook, is_refused_for_where_and_when) {
  expect_refused({
      {"no URL", [](Webhook& w) { w.target_url = ""; }, "/targetUrl: is required"},
      {"ftp", [](Webhook& w) { w.target_url = "ftp://x/"; }, "/targetUrl: must begin with https://"},
      {"sequence -1", [](Webhook& w) { w.sequence = -1; }, "/sequence: must be a whole number from 0 to"},
      {"sequence too high", [](Webhook& w) { w.sequence = 1'000'001; }, "/sequence: must be a whole number"},
      {"timeout 0", [](Webhook& w) { w.timeout_seconds = 0; },
       "/timeoutSeconds: must be a whole number from 1"},
      {"timeout 301", [](Webhook& w) { w.timeout_seconds = 301; }, "/timeoutSeconds: must be a whole number"},
      {"timeout negative", [](Webhook& w) { w.timeout_seconds = -5; }, "/timeoutSeconds: must be a whole"},
      {"timeout huge", [](Webhook& w) { w.timeout_seconds = 2147483647; },
       "/timeoutSeconds: must be a whole"},
      {"maxRetries 0", [](Webhook& w) { w.max_retries = 0; },
       "/maxRetries: must be a whole number from 1 to"},
      {"maxRetries 101", [](Webhook& w) { w.max_retries = 101; }, "/maxRetries: must be a whole number"},
      {"in two years", [](Webhook& w) { w.scheduled_for = kNow + 24h * 730; },
       "/scheduledFor: must be at most"},
      {"expired", [](Webhook& w) { w.expires_at = kNow; }, "/expiresAt: must be in the future"},
      {"expires before its time", [](Webhook& w) { w.scheduled_for = kNow + 2h, w.expires_at = kNow + 1h; },
       "/expiresAt: must be later than scheduledFor"},
  });
}

TEST(Webhook, is_refused_for_its_payload) {
  expect_refused({
      {"none", [](Webhook& w) { w.payload = ""; }, "/payload: is required"},
      {"too long", [](Webhook& w) { w.payload = std::string(1024 * 1024 + 1, '1'); },
       "/payload: must be at m"},
      {"not UTF-8", [](Webhook& w) { w.payload = "\"\xff\""; }, "/payload: must be valid UTF-8"},
      {"NUL", [](Webhook& w) { w.payload = std::string("1\0", 2); }, "/payload: must not contain U+0000"},
      {"not JSON", [](Webhook& w) { w.payload = "{\"a\":}"; },
       "/payload: must be JSON, as payloadContentType "
       "says: byte 5: "},
      {"half of it", [](Webhook& w) { w.payload = "[1,"; },
       "/payload: must be JSON, as payloadContentType says: "
       "byte 3: incomplete"},
      {"more than one", [](Webhook& w) { w.payload = "1 2"; },
       "/payload: must be JSON, as payloadContentType "
       "says: byte 2: extra data"},
      {"not +json", [](Webhook& w) { w.payload = "x", w.payload_content_type = "a/b+json"; },
       "/payload: must be "
       "JSON"},
      {"not JSON with charset",
       [](Webhook& w) { w.payload = "x", w.payload_content_type = "Application/JSON; charset=utf-8"; },
       "/payload: must be JSON"},
      {"too deep", [](Webhook& w) { w.payload = std::string(65, '[') + std::string(65, ']'); },
       "/payload: must"},
      {"type without subtype", [](Webhook& w) { w.payload_content_type = "json"; },
       "/payloadContentType: must"},
      {"no type", [](Webhook& w) { w.payload_content_type = ""; },
       "/payloadContentType: must be type/subtype"},
      {"type with a line break", [](Webhook& w) { w.payload_content_type = "text/plain\r\nX-Evil: 1"; },
       "/payloadContentType: must be type/subtype"},
      {"broken parameter", [](Webhook& w) { w.payload_content_type = "text/plain; charset"; },
       "/payloadContent"},
      {"a quote without an end", [](Webhook& w) { w.payload_content_type = R"(text/plain; a="b)"; },
       "/payloadContentType"},
      {"a quote whose end is quoted", [](Webhook& w) { w.payload_content_type = R"(text/plain; a="b\")"; },
       "/payloadContentType"},
      {"two types", [](Webhook& w) { w.payload_content_type = "text/plain, text/html"; },
       "/payloadContentType"},
      {"long type", [](Webhook& w) { w.payload_content_type = "a/" + std::string(254, 'b'); },
       "/payloadContent"},
  });
}

const char* const kProtectedHeaders[] = {"Host",
                                         "content-type",
                                         "Content-Length",
                                         "CONTENT-ENCODING",
                                         "Authorization",
                                         "Connection",
                                         "Transfer-Encoding",
                                         "TE",
                                         "Trailer",
                                         "Upgrade",
                                         "Keep-Alive",
                                         "Proxy-Authorization",
                                         "Expect",
                                         "webhook-id",
                                         "Webhook-Signature",
                                         "svix-id",
                                         "X-FlowCatalyst-ID",
                                         "X-FLOWCATALYST-SIGNATURE",
                                         "traceparent",
                                         "tracestate",
                                         "HTTP2-Settings"};

TEST(Webhook, is_refused_for_its_headers) {
  std::vector<Refused> cases;
  for (const char* name : kProtectedHeaders)
    cases.push_back({name,
                     [name](Webhook& w) {
                       w.headers = {{name, "x"}};
                     },
                     "/headers/" + std::string(name) + ": " + name + " is set by Eilbote"});
  for (const char* name : {"", "X A", "X:A", "X-Ä", "X\r\nY", "X\"", "(x)", "x/y"})
    cases.push_back({name,
                     [name](Webhook& w) {
                       w.headers = {{name, "x"}};
                     },
                     "/headers: a name must be 1 to 128"});
  for (const char* value : {" x", "x ", "\tx", "x\r\nEvil: 1", "x\ny", "ä", "\x7f"})
    cases.push_back({value,
                     [value](Webhook& w) {
                       w.headers = {{"X-A", value}};
                     },
                     "/headers/X-A: must be printable ASCII"});
  cases.push_back({"NUL",
                   [](Webhook& w) {
                     w.headers = {{"X-A", std::string("a\0b", 3)}};
                   },
                   "/headers/X-A: must be printable ASCII"});
  cases.push_back({"long name",
                   [](Webhook& w) {
                     w.headers = {{std::string(129, 'x'), "1"}};
                   },
                   "/headers: a name must be 1 to 128"});
  cases.push_back({"long value",
                   [](Webhook& w) {
                     w.headers = {{"X-A", std::string(4097, 'x')}};
                   },
                   "/headers/X-A: must be at most 4096"});
  cases.push_back({"twice",
                   [](Webhook& w) {
                     w.headers = {{"X-A", "1"}, {"x-a", "2"}};
                   },
                   "/headers/x-a: may be given only once"});
  cases.push_back({"a tilde in the pointer",
                   [](Webhook& w) {
                     w.headers = {{"X~", " "}};
                   },
                   "/headers/X~0: must"});
  cases.push_back({"too many",
                   [](Webhook& w) {
                     for (int i = 0; i < 51; ++i)
                       w.headers.emplace_back("X-" + std::to_string(i), "1");
                   },
                   "/headers: may have at most 50 entries"});
  expect_refused(cases);
}

TEST(Webhook, is_refused_for_its_metadata) {
  expect_refused({
      {"no key",
       [](Webhook& w) {
         w.metadata = {{"", "v"}};
       },
       "/metadata/0/key: must not be empty"},
      {"twice",
       [](Webhook& w) {
         w.metadata = {{"k", "1"}, {"k", "2"}};
       },
       "/metadata/1/key: is there twice"},
      {"long key",
       [](Webhook& w) {
         w.metadata = {{std::string(129, 'k'), ""}};
       },
       "/metadata/0/key: must be at"},
      {"long value",
       [](Webhook& w) {
         w.metadata = {{"k", std::string(513, 'v')}};
       },
       "/metadata/0/value: must"},
      {"line break",
       [](Webhook& w) {
         w.metadata = {{"k", "a\nb"}};
       },
       "/metadata/0/value: must not contain"},
      {"too many",
       [](Webhook& w) {
         for (int i = 0; i < 51; ++i)
           w.metadata.emplace_back(std::to_string(i), "");
       },
       "/metadata: may have at most 50 entries"},
  });
}

TEST(Webhook, names_all_faults_at_once) {
  Webhook webhook;
  webhook.sequence = -1;
  webhook.headers = {{"Host", "x"}};
  EXPECT_EQ(check_webhook(webhook, {}, kNow).size(), 6U) << faults_of(webhook);
}

TEST(Webhook, payload_limit_can_be_set) {
  Webhook webhook = good();
  EXPECT_EQ(faults_of(webhook, {.payload_bytes_max = 7}), "");
  EXPECT_EQ(faults_of(webhook, {.payload_bytes_max = 6}), "/payload: must be at most 6 bytes\n");
}

TEST(Webhook, has_the_retry_policy_of_its_strategy) {
  Webhook webhook = good();
  RetryPolicy policy = retry_policy_of(webhook);
  EXPECT_EQ(policy, (RetryPolicy{.strategy = RetryStrategy::exponential, .attempts_max = 3}));
  EXPECT_EQ(policy.base, 30s);
  EXPECT_EQ(policy.max, 3600s);
  EXPECT_EQ(policy.jitter, 0.2);
  FixedRandom random(0);
  webhook.retry_strategy = RetryStrategy::fixed;
  EXPECT_EQ(retry_delay(retry_policy_of(webhook), 2, random), 30s);
  webhook.retry_strategy = RetryStrategy::linear;
  EXPECT_EQ(retry_delay(retry_policy_of(webhook), 2, random), 60s);
  webhook.retry_strategy = RetryStrategy::immediate;
  EXPECT_EQ(retry_delay(retry_policy_of(webhook), 2, random), 0s);
  webhook.retry_strategy = RetryStrategy::schedule;
  webhook.max_retries = 8;
  policy = retry_policy_of(webhook);
  EXPECT_EQ(policy.schedule, default_schedule());
  EXPECT_EQ(policy.attempts_max, 8);
}

}  // namespace
}  // namespace eilbote::webhook_test
