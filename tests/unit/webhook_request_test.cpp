// What is sent: signatures against published vectors, the body with and without its envelope, the header lines.
#include "domain/webhook_request.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "domain/tsid.h"
#include "domain/webhook_signature.h"

namespace eilbote::webhook_request_test {
namespace {

TimePoint at(const char* text) {
  return parse_rfc3339(text).value();
}
TimePoint at_seconds(long seconds) {
  return TimePoint{std::chrono::seconds{seconds}};
}
std::vector<Secret> keys_of(const std::vector<std::string>& texts) {
  std::vector<Secret> keys;
  for (const std::string& text : texts)
    keys.emplace_back(text);
  return keys;
}

TEST(WebhookSignature, matches_published_standard_webhooks_vectors) {
  struct Case {
    const char *secret, *id;
    long seconds;
    const char *body, *signature;
  };
  const Case cases[] = {
      {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
       R"({"test": 2432232314})", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
      {"whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk", 1649367553,
       R"({"email":"test@example.com","username":"test_user"})",
       "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw="},
      {"whsec_plJ3nmyCDGBKInavdOK15jsl", "msg_loFOjxBNrRLzqYUf", 1731705121,
       R"({"event_type":"ping","data":{"success":true}})", "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="},
  };
  for (const Case& c : cases) {
    const auto keys = keys_of({c.secret});
    EXPECT_EQ(standard_signature(keys, c.id, at_seconds(c.seconds), c.body), c.signature) << c.id;
    EXPECT_EQ(standard_timestamp(at_seconds(c.seconds)), std::to_string(c.seconds));
  }
}

TEST(WebhookSignature, has_one_entry_per_key_while_rotating) {
  const auto keys =
      keys_of({"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"});
  const std::string both = standard_signature(keys, "msg_p5jXN8AQM9LWM0D4loKWxJek", at_seconds(1614265330),
                                              R"({"test": 2432232314})");
  EXPECT_TRUE(both.starts_with("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,")) << both;
  EXPECT_EQ(both.size(), 2 * 47U + 1);
}

TEST(WebhookSignature, matches_the_flowcatalyst_vector) {
  EXPECT_EQ(flowcatalyst_signature(Secret("test-secret-do-not-use-in-prod"), "2026-01-02T03:04:05.678Z",
                                   R"({"messageId":"0HZXEQ5Y8JY5Z"})"),
            "212d7080e07533ae6fa8c9bb1c59850bb1ca94cdfdf828641670bd05970cc5d0");
}

TEST(WebhookSignature, takes_a_key_as_base64_only_with_its_prefix) {
  EXPECT_EQ(signing_key_bytes(Secret("whsec_Zm9v")), "foo");
  EXPECT_EQ(signing_key_bytes(Secret("whsec_Zg")), "f");
  EXPECT_EQ(signing_key_bytes(Secret("Zm9v")), "Zm9v");
  EXPECT_EQ(signing_key_bytes(Secret("whsec_not base64!")), "whsec_not base64!");
}

// ---- the request ----

Webhook full() {
  Webhook webhook;
  webhook.kind = DispatchKind::EVENT;
  webhook.source = "orders";
  webhook.code = "order.paid";
  webhook.subject = "order/7";
  webhook.event_id = "e-1";
  webhook.correlation_id = "c-1";
  webhook.payload = R"({"b" : 1.0, "a":"ä"})";
  return webhook;
}

WebhookOccasion occasion() {
  WebhookOccasion o;
  o.job = parse_job_id("0HZXEQ5Y8JY5Z").value();
  o.at = at("2026-01-02T03:04:05.678Z");
  o.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  o.user_agent = "Eilbote/1.2";
  return o;
}

std::string header(const WebhookRequest& request, const std::string& name) {
  std::string found;
  for (const auto& [key, value] : request.headers)
    if (key == name) found += (found.empty() ? "" : " AND ") + value;
  return found;
}
std::string names(const WebhookRequest& request) {
  std::string all;
  for (const auto& [key, value] : request.headers)
    all += key + " ";
  return all;
}

TEST(WebhookRequest, body_is_the_payload_or_an_envelope) {
  struct Case {
    const char* name;
    std::function<void(Webhook&)> change;
    std::string body, content_type;
  };
  const Case cases[] = {
      {"verbatim", [](Webhook&) {}, R"({"b" : 1.0, "a":"ä"})", "application/json"},
      {"verbatim text",
       [](Webhook& w) { w.payload = "hi\r\n", w.payload_content_type = "text/plain; charset=utf-8"; },
       "hi\r\n", "text/plain; charset=utf-8"},
      {"envelope", [](Webhook& w) { w.data_only = false; },
       R"({"id":"0HZXEQ5Y8JY5Z","kind":"EVENT","code":"order.paid","subject":"order/7","eventId":"e-1",)"
       R"("correlationId":"c-1","timestamp":"2026-01-02T03:04:05.678Z","data":{"b" : 1.0, "a":"ä"}})",
       "application/json"},
      {"absent members are left out",
       [](Webhook& w) {
         w = Webhook{};
         w.code = "c";
         w.payload = "[]";
         w.payload_content_type = "application/cloudevents+json";
         w.data_only = false;
       },
       R"({"id":"0HZXEQ5Y8JY5Z","kind":"TASK","code":"c","timestamp":"2026-01-02T03:04:05.678Z","data":[]})",
       "application/json"},
      {"a text becomes a JSON string",
       [](Webhook& w) {
         w = Webhook{};
         w.code = "say \"c\"";
         w.payload = "{\"no\njson";
         w.payload_content_type = "text/plain";
         w.data_only = false;
       },
       R"({"id":"0HZXEQ5Y8JY5Z","kind":"TASK","code":"say \"c\"","timestamp":"2026-01-02T03:04:05.678Z",)"
       R"("data":"{\"no\njson"})",
       "application/json"},
  };
  for (const Case& c : cases) {
    Webhook webhook = full();
    c.change(webhook);
    const WebhookRequest request = make_webhook_request(std::move(webhook), {}, occasion());
    EXPECT_EQ(request.body, c.body) << c.name;
    EXPECT_EQ(header(request, "Content-Type"), c.content_type) << c.name;
    boost::system::error_code trouble;
    boost::json::parse(request.body, trouble);
    EXPECT_EQ(!trouble, header(request, "Content-Type") == "application/json") << c.name;
  }
}

TEST(WebhookRequest, has_its_headers_without_an_account) {
  Webhook webhook = full();
  webhook.headers = {{"X-Order", "7"}, {"X-Empty", ""}};
  const WebhookRequest request = make_webhook_request(std::move(webhook), {}, occasion());
  EXPECT_EQ(names(request),
            "Content-Type User-Agent X-Order X-Empty traceparent webhook-id webhook-timestamp ");
  EXPECT_EQ(header(request, "User-Agent"), "Eilbote/1.2");
  EXPECT_EQ(header(request, "webhook-id"), "0HZXEQ5Y8JY5Z");
  EXPECT_EQ(header(request, "webhook-timestamp"), "1767323045");
}

TEST(WebhookRequest, lets_a_job_name_its_own_user_agent) {
  Webhook webhook = full();
  webhook.headers = {{"user-AGENT", "mine"}};
  const WebhookRequest request = make_webhook_request(std::move(webhook), {}, occasion());
  EXPECT_EQ(header(request, "User-Agent"), "");
  EXPECT_EQ(header(request, "user-AGENT"), "mine");
}

TEST(WebhookRequest, signs_the_bytes_it_sends) {
  WebhookKeys keys;
  keys.authorization = Secret("Bearer fc_1");
  keys.signing = keys_of({"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "old"});
  for (const bool data_only : {true, false}) {
    Webhook webhook = full();
    webhook.data_only = data_only;
    const WebhookRequest request = make_webhook_request(std::move(webhook), keys, occasion());
    EXPECT_EQ(header(request, "Authorization"), "Bearer fc_1");
    EXPECT_EQ(header(request, "webhook-signature"),
              standard_signature(keys.signing, "0HZXEQ5Y8JY5Z", occasion().at, request.body));
    EXPECT_EQ(names(request).find("FlowCatalyst"), std::string::npos);
  }
}

TEST(WebhookRequest, speaks_flowcatalyst_where_the_account_says_so) {
  WebhookKeys keys;
  keys.style = SignatureStyle::flowcatalyst;
  keys.signing = keys_of({"now", "before"});
  const WebhookRequest request = make_webhook_request(full(), keys, occasion());
  EXPECT_EQ(header(request, "X-FlowCatalyst-ID"), "0HZXEQ5Y8JY5Z");
  EXPECT_EQ(header(request, "X-FlowCatalyst-Causation-ID"), "e-1");
  EXPECT_EQ(header(request, "X-FlowCatalyst-Kind"), "EVENT");
  EXPECT_EQ(header(request, "X-FlowCatalyst-Code"), "order.paid");
  EXPECT_EQ(header(request, "X-FlowCatalyst-Subject"), "order/7");
  EXPECT_EQ(header(request, "X-FlowCatalyst-Correlation-ID"), "c-1");
  EXPECT_EQ(header(request, "X-FLOWCATALYST-TIMESTAMP"), "2026-01-02T03:04:05.678Z");
  EXPECT_EQ(header(request, "X-FLOWCATALYST-SIGNATURE"),
            flowcatalyst_signature(Secret("now"), "2026-01-02T03:04:05.678Z", request.body));
  EXPECT_EQ(header(request, "webhook-signature"), "");
  EXPECT_EQ(header(request, "webhook-id"), "0HZXEQ5Y8JY5Z");
}

TEST(WebhookRequest, leaves_out_flowcatalyst_context_that_is_not_there_or_fits_no_header) {
  WebhookKeys keys;
  keys.style = SignatureStyle::flowcatalyst;
  Webhook webhook;
  webhook.code = "c";
  webhook.subject = "Bücher";
  webhook.payload = "1";
  const WebhookRequest request = make_webhook_request(std::move(webhook), keys, occasion());
  EXPECT_EQ(names(request),
            "Content-Type User-Agent traceparent webhook-id webhook-timestamp X-FlowCatalyst-ID "
            "X-FlowCatalyst-Kind X-FlowCatalyst-Code ");
}

TEST(WebhookRequest, carries_the_trace_where_there_is_one) {
  WebhookOccasion occasion_of_attempt = occasion();
  EXPECT_EQ(header(make_webhook_request(full(), {}, occasion_of_attempt), "traceparent"),
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  occasion_of_attempt.traceparent = "";
  EXPECT_EQ(header(make_webhook_request(full(), {}, occasion_of_attempt), "traceparent"), "");
}

}  // namespace
}  // namespace eilbote::webhook_request_test
