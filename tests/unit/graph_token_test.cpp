// The token for Microsoft Graph against a token endpoint that does what the test wants: one request for all, renewal in time,
// rotated secrets, and what each failure means.
#include "channel/graph_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "base/base64url.h"
#include "domain/json_members.h"
#include "metrics/metrics.h"
#include "support/client_certificate.h"
#include "support/eventually.h"
#include "support/metric_value.h"
#include "support/scripted_http.h"
#include "support/secrets_by_hand.h"

namespace eilbote::test::graph_token_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using Then = HttpScene::Then;

std::string granted(const std::string& token, const std::string& expires = "3600") {
  return http_answer(
      200, R"({"token_type":"Bearer","expires_in":)" + expires + R"(,"access_token":")" + token + "\"}");
}
std::string refusal(const std::string& error, const std::string& description = "AADSTS: no") {
  return http_answer(401, R"({"error":")" + error + R"(","error_description":")" + description + "\"}");
}

class World {
 public:
  explicit World(HttpScript script, std::string secret = "old-secret~1")
      : secrets(std::move(secret)), endpoint(std::move(script)) {
    options.token_url = "http://127.0.0.1:" + std::to_string(endpoint.port()) + "/contoso/token";
    options.client_id = "11111111-2222";
    options.client_secret_ref = "vault://graph#secret";
    options.scope = "https://graph.microsoft.com/.default";
    options.timeout = 5s;
  }
  ~World() { end(); }

  void end() {
    if (token_) token_->stop();
    client_.reset();
    token_.reset();
  }
  // On the client's thread, as the door does it.
  std::future<GraphToken::Answer> get() {
    start();
    auto answer = std::make_shared<std::promise<GraphToken::Answer>>();
    client_->later([this, answer] {
      token_->get([answer](const GraphToken::Answer& token) { answer->set_value(token); });
    });
    return answer->get_future();
  }
  // The token, or "code: text" of the failure.
  std::string token() {
    auto answer = get();
    if (answer.wait_for(20s) != std::future_status::ready) return "no answer";
    const GraphToken::Answer got = answer.get();
    if (got) return got->reveal();
    last = got.error();
    return last.code + ": " + last.text;
  }
  void refuse(const std::string& token) {
    std::promise<void> done;
    client_->later([&] {
      token_->refused(Secret(token));
      done.set_value();
    });
    done.get_future().get();
  }

  FakeClock clock;
  SecretsByHand secrets;
  ScriptedHttp endpoint;
  GraphOptions options;
  Metrics metrics;
  GraphTokenFailure last;

 private:
  void start() {
    if (client_) return;
    client_ = std::move(*make_http_client({}));
    token_ = std::move(*GraphToken::make(options, secrets, *client_, metrics, clock));
  }
  std::unique_ptr<HttpClient> client_;
  std::unique_ptr<GraphToken> token_;
};

TEST(GraphToken, is_asked_for_once_however_many_wait) {
  World world({{{.answer = granted("one"), .before_answer = 100ms}}});
  std::vector<std::future<GraphToken::Answer>> all;
  for (int i = 0; i < 100; ++i)
    all.push_back(world.get());
  for (auto& one : all)
    EXPECT_EQ(one.get()->reveal(), "one");
  const auto seen = world.endpoint.seen();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].line, "POST /contoso/token HTTP/1.1");
  EXPECT_EQ(seen[0].headers.at("content-type"), "application/x-www-form-urlencoded");
  EXPECT_EQ(seen[0].body,
            "grant_type=client_credentials&client_id=11111111-2222"
            "&scope=https%3A%2F%2Fgraph.microsoft.com%2F.default&client_secret=old-secret~1");
  EXPECT_EQ(metric_value(world.metrics, R"(eilbote_graph_token_requests_total{outcome="ok"})"), 1);
}

TEST(GraphToken, a_secret_is_written_as_a_form_wants_it) {
  World world({{{granted("one")}}}, "a b+c&d=%/\xc3\xa4");
  EXPECT_EQ(world.token(), "one");
  EXPECT_THAT(world.endpoint.seen().at(0).body, HasSubstr("&client_secret=a%20b%2Bc%26d%3D%25%2F%C3%A4"));
}

TEST(GraphToken, is_renewed_before_it_expires_while_the_old_one_serves) {
  World world({{{granted("one")}, {.answer = granted("two"), .before_answer = 100ms}}});
  EXPECT_EQ(world.token(), "one");
  world.clock.advance(54min);
  EXPECT_EQ(world.token(), "one");
  EXPECT_EQ(world.endpoint.seen().size(), 1U);
  world.clock.advance(2min);
  EXPECT_EQ(world.token(), "one") << "whoever comes does not wait for the new one";
  EXPECT_TRUE(eventually([&] { return world.token() == "two"; }));
  EXPECT_EQ(world.endpoint.seen().size(), 2U);
}

TEST(GraphToken, one_that_has_expired_is_not_used) {
  // As a number and as a text; some endpoints say it so.
  for (const char* expires : {"3600", R"("3600")"}) {
    World world({{{granted("one", expires)}, {granted("two")}}});
    EXPECT_EQ(world.token(), "one");
    world.clock.advance(59min + 55s);
    EXPECT_EQ(world.token(), "two");
  }
}

TEST(GraphToken, a_failed_renewal_harms_nobody_while_the_old_one_serves) {
  World world({{{granted("one")}, {http_answer(503)}, {granted("two")}}});
  EXPECT_EQ(world.token(), "one");
  world.clock.advance(56min);
  EXPECT_EQ(world.token(), "one");
  EXPECT_TRUE(eventually([&] {
    return metric_value(world.metrics, R"(eilbote_graph_token_requests_total{outcome="failed"})") == 1;
  }));
  EXPECT_EQ(world.token(), "one");
  EXPECT_EQ(world.endpoint.seen().size(), 2U) << "the endpoint is left alone for a moment";
  world.clock.advance(2s);
  EXPECT_EQ(world.token(), "one");
  EXPECT_TRUE(eventually([&] { return world.token() == "two"; }));
}

TEST(GraphToken, a_rotated_secret_fails_nobody) {
  World world({.decide = [](const HttpSeen& request) -> HttpScene {
    return {request.body.ends_with("=new-secret") ? granted("one") : refusal("invalid_client")};
  }});
  world.secrets.rotate("new-secret");
  EXPECT_EQ(world.token(), "one");
  EXPECT_EQ(world.endpoint.seen().size(), 2U);
  EXPECT_EQ(world.secrets.renewals(), 1);
  EXPECT_EQ(metric_value(world.metrics, R"(eilbote_graph_token_requests_total{outcome="refused"})"), 0);
}

TEST(GraphToken, a_secret_that_stays_refused_is_a_matter_for_people) {
  World world({{{refusal("invalid_client", "AADSTS7000215: bad secret old-secret~1 given")}}});
  const std::string failure = world.token();
  EXPECT_TRUE(world.last.configuration);
  EXPECT_EQ(world.last.status, 401);
  EXPECT_THAT(failure, HasSubstr("invalid_client: no token: "));
  EXPECT_THAT(failure, HasSubstr("AADSTS7000215"));
  EXPECT_THAT(failure, Not(HasSubstr("old-secret")));
  EXPECT_EQ(world.endpoint.seen().size(), 1U) << "the same secret again would be the same answer";
  EXPECT_EQ(world.secrets.renewals(), 1);
  EXPECT_EQ(metric_value(world.metrics, R"(eilbote_graph_token_requests_total{outcome="refused"})"), 1);
}

TEST(GraphToken, what_each_failure_means) {
  struct Case {
    const char* name;
    HttpScene scene;
    bool configuration;
    const char *code, *says;
  };
  const Case cases[] = {
      {"unauthorized", {refusal("unauthorized_client")}, true, "unauthorized_client", "AADSTS: no"},
      {"scope", {http_answer(400, R"({"error":"invalid_scope"})")}, true, "invalid_scope", "invalid_scope"},
      {"tenant",
       {http_answer(400, R"({"error":"invalid_request","error_description":"AADSTS90002"})")},
       true,
       "invalid_request",
       "AADSTS90002"},
      {"no JSON", {http_answer(404, "<html>nothing here</html>")}, true, "", "nothing here"},
      {"nothing", {http_answer(403)}, true, "", "HTTP 403"},
      {"later",
       {http_answer(400, R"({"error":"temporarily_unavailable"})")},
       false,
       "temporarily_unavailable",
       ""},
      {"throttled", {http_answer(429, "slow down")}, false, "", "slow down"},
      {"5xx", {http_answer(503)}, false, "", "HTTP 503"},
      {"redirect", {http_answer(302)}, false, "", "HTTP 302"},
      {"no token", {http_answer(200, R"({"expires_in":3600})")}, false, "", "has none in it"},
      {"no JSON at all", {http_answer(200, "welcome")}, false, "", "has none in it"},
      {"line break", {http_answer(200, R"({"access_token":"a\r\nX: b"})")}, false, "", "has none in it"},
      {"reset", {"", Then::reset}, false, "", "ended before the answer"},
      {"no HTTP", {"hello\r\n\r\n", Then::close}, false, "", "is no answer"},
  };
  for (const Case& c : cases) {
    World world({{c.scene}});
    const std::string failure = world.token();
    EXPECT_EQ(world.last.configuration, c.configuration) << c.name << ": " << failure;
    EXPECT_EQ(world.last.code, c.code) << c.name;
    EXPECT_THAT(failure, HasSubstr(c.says)) << c.name;
    EXPECT_THAT(failure, Not(HasSubstr("old-secret"))) << c.name;
  }
}

TEST(GraphToken, after_a_failure_the_endpoint_is_left_alone_for_a_while) {
  World world({{{http_answer(503)}, {http_answer(503, "", "Retry-After: 60\r\n")}, {granted("one")}}});
  EXPECT_THAT(world.token(), HasSubstr("HTTP 503"));
  EXPECT_THAT(world.token(), HasSubstr("HTTP 503"));
  EXPECT_EQ(world.endpoint.seen().size(), 1U) << "the second one was told of the first's";
  world.clock.advance(1s);
  EXPECT_THAT(world.token(), HasSubstr("HTTP 503"));
  EXPECT_EQ(world.last.retry_after, 60s);
  world.clock.advance(59s);
  EXPECT_THAT(world.token(), HasSubstr("HTTP 503"));
  EXPECT_EQ(world.endpoint.seen().size(), 2U) << "it asked for a minute";
  world.clock.advance(1s);
  EXPECT_EQ(world.token(), "one");
}

TEST(GraphToken, a_lost_connection_is_tried_once_more) {
  World world({{{"", Then::close}, {granted("one")}}});
  EXPECT_EQ(world.token(), "one");
  World twice({{{"", Then::close}, {"", Then::close}, {granted("one")}}});
  EXPECT_THAT(twice.token(), HasSubstr("ended before the answer"));
  EXPECT_EQ(twice.endpoint.seen().size(), 2U);
}

TEST(GraphToken, a_certificate_proves_as_well_as_a_secret) {
  const PrivateKey key = rsa_key();
  World world({{{granted("one")}}}, key_pem(key) + certificate_pem(certificate_of(key)));
  world.options.client_certificate_ref = std::exchange(world.options.client_secret_ref, "");
  EXPECT_EQ(world.token(), "one");
  const std::string body = world.endpoint.seen().at(0).body;
  EXPECT_THAT(body, HasSubstr("&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type"
                              "%3Ajwt-bearer&client_assertion=eyJ"));
  EXPECT_THAT(body, Not(HasSubstr("client_secret")));
  EXPECT_THAT(body, Not(HasSubstr("PRIVATE")));
  // What it says is for this endpoint and this application.
  const std::string token = body.substr(body.rfind('=') + 1);
  const auto first = token.find('.'), second = token.rfind('.');
  const auto claims = parse_json(*decode_base64url(token.substr(first + 1, second - first - 1)));
  EXPECT_EQ(eilbote::text_at(claims, {"aud"}), world.options.token_url);
  EXPECT_EQ(eilbote::text_at(claims, {"sub"}), world.options.client_id);
  EXPECT_EQ(metric_value(world.metrics,
                         R"(eilbote_credential_expires_timestamp_seconds{credential="graph_certificate"})"),
            std::chrono::sys_seconds(std::chrono::sys_days{std::chrono::year{2026} / 1 / 2})
                .time_since_epoch()
                .count());
}

TEST(GraphToken, a_renewed_certificate_fails_nobody_and_a_broken_one_is_said) {
  const PrivateKey before = rsa_key(), after = rsa_key();
  World world({{{refusal("invalid_client")}, {granted("one")}}},
              key_pem(before) + certificate_pem(certificate_of(before)));
  world.options.client_certificate_ref = std::exchange(world.options.client_secret_ref, "");
  world.secrets.rotate(key_pem(after) + certificate_pem(certificate_of(after)));
  EXPECT_EQ(world.token(), "one");

  World broken({{{granted("one")}}}, key_pem(before));
  broken.options.client_certificate_ref = std::exchange(broken.options.client_secret_ref, "");
  EXPECT_THAT(broken.token(), HasSubstr("no certificate"));
  EXPECT_TRUE(broken.last.configuration);
  EXPECT_EQ(broken.endpoint.seen().size(), 0U);
}

TEST(GraphToken, one_that_graph_refused_is_not_given_out_again) {
  World world({{{granted("one")}, {granted("two")}}});
  EXPECT_EQ(world.token(), "one");
  world.refuse("one");
  EXPECT_EQ(world.token(), "two");
  world.refuse("one");  // an answer that was late: it is about the one before
  EXPECT_EQ(world.token(), "two");
  EXPECT_EQ(world.endpoint.seen().size(), 2U);
}

TEST(GraphToken, waits_for_a_secret_that_is_just_being_read) {
  World world({{{granted("one")}}});
  world.secrets.forget();
  world.secrets.hold();
  auto answer = world.get();
  EXPECT_TRUE(eventually([&] { return world.secrets.renewals() == 1; }));
  EXPECT_EQ(world.endpoint.seen().size(), 0U);
  world.secrets.let_go();
  EXPECT_EQ(answer.get()->reveal(), "one");
}

TEST(GraphToken, a_secret_that_cannot_be_read_is_said_and_not_asked_with) {
  for (const auto& [kind, configuration] :
       {std::pair{ErrorKind::unavailable, false}, {ErrorKind::not_found, true}, {ErrorKind::invalid, true}}) {
    World world({{{granted("one")}}});
    world.secrets.fail_with({kind, "vault://graph#secret: is not there"});
    EXPECT_THAT(world.token(), HasSubstr("vault://graph#secret: is not there"));
    EXPECT_EQ(world.last.configuration, configuration);
    EXPECT_EQ(world.endpoint.seen().size(), 0U);
  }
}

TEST(GraphToken, a_secret_that_comes_when_all_is_over_harms_nobody) {
  World world({{{granted("one")}}});
  world.secrets.forget();
  world.secrets.hold();
  auto answer = world.get();
  EXPECT_TRUE(eventually([&] { return world.secrets.renewals() == 1; }));
  world.end();
  world.secrets.let_go();
  EXPECT_EQ(world.endpoint.seen().size(), 0U);
}

}  // namespace
}  // namespace eilbote::test::graph_token_test
