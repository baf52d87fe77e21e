// The door to Microsoft Graph, one request at a time: what is sent, what each answer and each fault becomes, the limit of every
// mailbox, and whom a token never goes to. Batches: graph_door_batch_test.cpp.
#include "channel/graph_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <regex>

#include "support/eventually.h"
#include "support/graph_door_world.h"
#include "support/metric_value.h"

namespace eilbote::test::graph_door_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using Then = HttpScene::Then;

GraphDoorWorld::Decide always(HttpScene scene) {
  return [scene](const HttpSeen&) { return scene; };
}

GraphCall post(const std::string& path, const std::string& mailbox = "a@b.example") {
  GraphCall call;
  call.method = "POST";
  call.path = path;
  call.mailbox = mailbox;
  call.body = "{}";
  return call;
}

TEST(GraphDoor, a_request_carries_what_graph_wants) {
  GraphDoorWorld world(always({http_answer(201, R"({"id":"1"})", "request-id: r-1\r\n")}));
  GraphCall call = post("/users/a%40b.example/messages");
  call.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  call.headers = {{"Prefer", "odata.maxpagesize=5"}, {"X-Own", "1"}};
  const GraphAnswer answer = answer_of(world.call(call));
  EXPECT_TRUE(answer.ok());
  EXPECT_EQ(in_words(answer), "201");
  EXPECT_EQ(answer.body, R"({"id":"1"})");
  EXPECT_EQ(answer.request_id, "r-1");
  const auto seen = world.seen();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].line, "POST /v1.0/users/a%40b.example/messages HTTP/1.1");
  EXPECT_EQ(seen[0].body, "{}");
  const auto& headers = seen[0].headers;
  EXPECT_EQ(headers.at("authorization"), "Bearer bearer-token-1");
  EXPECT_EQ(headers.at("prefer"), R"(IdType="ImmutableId", odata.maxpagesize=5)");
  EXPECT_EQ(headers.at("content-type"), "application/json");
  EXPECT_EQ(headers.at("x-own"), "1");
  EXPECT_TRUE(std::regex_match(headers.at("client-request-id"),
                               std::regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")));
  EXPECT_EQ(headers.at("traceparent"), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  EXPECT_EQ(metric_value(world.metrics, R"(eilbote_graph_requests_total{outcome="ok"})"), 1);
  EXPECT_EQ(in_words(answer_of(world.call(call))), "201");
  EXPECT_NE(world.seen()[1].headers.at("client-request-id"), headers.at("client-request-id"));
  EXPECT_EQ(world.tokens(), 1);
}

TEST(GraphDoor, a_refused_token_is_renewed_and_the_request_sent_once_more) {
  GraphDoorWorld world([](const HttpSeen& request) -> HttpScene {
    const bool is_old = request.headers.at("authorization") == "Bearer bearer-token-1";
    return {is_old ? http_answer(401, error_body("InvalidAuthenticationToken")) : http_answer(202)};
  });
  EXPECT_EQ(in_words(answer_of(world.call(post("/send")))), "202");
  EXPECT_EQ(world.seen().size(), 2U);
  EXPECT_EQ(world.tokens(), 2);
}

TEST(GraphDoor, a_second_refusal_is_the_answer) {
  GraphDoorWorld world(always({http_answer(401, error_body("InvalidAuthenticationToken"))}));
  EXPECT_EQ(in_words(answer_of(world.call(post("/send")))), "401 InvalidAuthenticationToken");
  EXPECT_EQ(world.seen().size(), 2U);
}

TEST(GraphDoor, errors_are_read_however_they_are_written) {
  struct Case {
    const char* name;
    std::string answer;
    const char *words, *text;
  };
  const Case cases[] = {
      {"plain", http_answer(403, error_body("ErrorSendAsDenied", "not yours")), "403 ErrorSendAsDenied",
       "not yours"},
      {"inner", http_answer(400, R"({"error":{"message":"","innerError":{"code":"tooDeep","message":"m"}}})"),
       "400 tooDeep", "m"},
      {"inner in lower case", http_answer(400, R"({"error":{"innererror":{"innererror":{"code":"deep"}}}})"),
       "400 deep", "deep"},
      {"throttled", http_answer(429, error_body("TooManyRequests"), "Retry-After: 7\r\n"),
       "429 TooManyRequests 7s", "no"},
      {"text", http_answer(503, " Service\r\nunavailable ", "Retry-After: 3\r\n"), "503 3s",
       "Service  unavailable"},
      {"nothing", http_answer(500), "500", "HTTP 500 without a word"},
      {"of another kind", http_answer(400, R"({"error":[1]})"), "400", R"({"error":[1]})"},
      {"no object", http_answer(400, "[]"), "400", "[]"},
      {"binary", http_answer(502, std::string("\0\xff\x01", 3)), "502", ""},
      {"redirect", http_answer(302, "", "Location: https://elsewhere.example/\r\n"), "302",
       "HTTP 302 without a word"},
  };
  for (const Case& c : cases) {
    GraphDoorWorld world(always({c.answer}));
    const GraphAnswer answer = answer_of(world.call(post("/x")));
    EXPECT_EQ(in_words(answer), c.words) << c.name;
    EXPECT_THAT(answer.text, HasSubstr(c.text)) << c.name;
    EXPECT_FALSE(answer.ok()) << c.name;
    EXPECT_EQ(world.seen().size(), 1U) << c.name << ": nothing is sent twice";
  }
}

TEST(GraphDoor, what_kept_the_answer_from_coming_is_told) {
  const std::string half = "HTTP/1.1 202 Accepted\r\nContent-Length: 9\r\n\r\nx";
  const std::pair<HttpScene, const char*> cases[] = {
      {{"", Then::reset}, "lost"},        {{"", Then::close}, "lost"},
      {{half, Then::close}, "lost"},      {{"", Then::silence}, "timeout"},
      {{half, Then::silence}, "timeout"}, {{"SSH-2.0\r\n", Then::close}, "bad_response"},
  };
  for (const auto& [scene, want] : cases) {
    GraphOptions options;
    options.timeout = 300ms;
    GraphDoorWorld world(always(scene), options);
    const GraphAnswer answer = answer_of(world.call(post("/x")));
    EXPECT_EQ(in_words(answer), want);
    EXPECT_EQ(answer.status, 0);
    EXPECT_THAT(answer.text, HasSubstr("127.0.0.1"));
    EXPECT_EQ(world.seen().size(), 1U) << want << ": nothing is sent twice";
    EXPECT_EQ(metric_value(world.metrics, R"(eilbote_graph_requests_total{outcome="fault"})"), 1);
  }
}

TEST(GraphDoor, half_a_document_is_no_answer) {
  GraphDoorWorld world(always({http_answer(201, R"({"id":")" + std::string(5000, 'x') + "\"}")}));
  GraphCall call = post("/x");
  call.response_bytes_max = 1000;
  EXPECT_EQ(in_words(answer_of(world.call(call))), "bad_response");
}

TEST(GraphDoor, without_a_token_nothing_is_sent) {
  const std::pair<std::string, const char*> cases[] = {
      {http_answer(401, R"({"error":"invalid_client"})"), "no token invalid_client (configuration)"},
      {http_answer(503), "no token "},
  };
  for (const auto& [token, want] : cases) {
    GraphDoorWorld world(always({http_answer(202)}), {}, {token});
    const GraphAnswer answer = answer_of(world.call(post("/x")));
    EXPECT_EQ(in_words(answer), want);
    EXPECT_FALSE(answer.ok());
    EXPECT_EQ(world.seen().size(), 0U);
    EXPECT_EQ(metric_value(world.metrics, R"(eilbote_graph_requests_total{outcome="no_token"})"), 1);
  }
}

TEST(GraphDoor, a_token_goes_to_graph_only) {
  GraphDoorWorld world(always({http_answer(200, "{}")}));
  ScriptedHttp elsewhere;
  const std::string other = "http://127.0.0.1:" + std::to_string(elsewhere.port()) + "/upload?token=x";
  GraphCall call;
  call.path = other;
  EXPECT_EQ(in_words(answer_of(world.call(call))), "refused");
  EXPECT_EQ(elsewhere.seen().size(), 0U);
  // What Graph gives for an upload carries its own, and must not get ours.
  call.method = "PUT";
  call.with_token = false;
  call.headers = {{"Content-Range", "bytes 0-2/3"}, {"Content-Type", "application/octet-stream"}};
  call.body = "abc";
  EXPECT_EQ(in_words(answer_of(world.call(call))), "200");
  ASSERT_EQ(elsewhere.seen().size(), 1U);
  const HttpSeen upload = elsewhere.seen()[0];
  EXPECT_EQ(upload.line, "PUT /upload?token=x HTTP/1.1");
  EXPECT_EQ(upload.body, "abc");
  EXPECT_EQ(upload.headers.at("content-range"), "bytes 0-2/3");
  for (const char* none : {"authorization", "prefer", "traceparent"})
    EXPECT_FALSE(upload.headers.contains(none)) << none;
  // The next page, however long its address is.
  GraphCall next;
  next.path = world.base_url() + "/users/delta?$skiptoken=" + std::string(4000, 's');
  EXPECT_EQ(in_words(answer_of(world.call(next))), "200");
  EXPECT_EQ("http://127.0.0.1" + next.path.substr(next.path.find(':', 6), 6) +
                GraphDoorWorld::path_of(world.seen().at(0)),
            next.path);
}

TEST(GraphDoor, an_address_that_is_none_is_refused_and_not_repeated) {
  GraphDoorWorld world(always({http_answer(200)}));
  for (const char* path :
       {"", "users", "/a b", "/a\r\nX: y", "http://evil.example/", "ftp://x/", "/\xc3\xa4"}) {
    GraphCall call;
    call.path = path;
    const GraphAnswer answer = answer_of(world.call(call));
    EXPECT_EQ(in_words(answer), "refused") << path;
    EXPECT_THAT(answer.text, Not(HasSubstr("evil"))) << path;
  }
  EXPECT_EQ(world.seen().size(), 0U);
}

TEST(GraphDoor, what_an_error_repeats_of_the_token_is_hidden) {
  GraphDoorWorld world([](const HttpSeen& request) -> HttpScene {
    return {http_answer(400, error_body("Bad", "you sent " + request.headers.at("authorization")))};
  });
  const GraphAnswer answer = answer_of(world.call(post("/x")));
  EXPECT_THAT(answer.text, HasSubstr("you sent Bearer"));
  EXPECT_THAT(answer.text + answer.body + answer.code, Not(HasSubstr("bearer-token-1")));
}

TEST(GraphDoor, what_was_called_off_is_not_sent) {
  GraphDoorWorld world(always({http_answer(202)}));
  GraphCall call = post("/x");
  call.about_to_send = [] { return false; };
  EXPECT_EQ(in_words(answer_of(world.call(call))), "not_sent");
  EXPECT_EQ(world.seen().size(), 0U);
}

// Lets nobody through until it is opened, and counts who is inside.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    most_ = std::max(most_, ++inside_);
    opened_.wait(lock, [&] { return is_open_; });
    --inside_;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }
  int most() const {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
  int inside_ = 0, most_ = 0;
};

GraphDoorWorld::Decide slow_mailbox(const std::shared_ptr<Gate>& gate) {
  return [gate](const HttpSeen& request) -> HttpScene {
    if (GraphDoorWorld::path_of(request).find("/slow") != std::string::npos) gate->pass();
    return {http_answer(202)};
  };
}

TEST(GraphDoor, a_mailbox_never_has_more_open_than_it_may_and_slows_no_other) {
  const auto gate = std::make_shared<Gate>();
  GraphDoorWorld world(slow_mailbox(gate));
  std::vector<std::future<GraphAnswer>> slow;
  for (int i = 0; i < 30; ++i)
    slow.push_back(
        world.call(post("/slow/" + std::to_string(i), i % 2 == 0 ? "slow@b.example" : "Slow@B.example")));
  EXPECT_TRUE(eventually([&] { return gate->most() == 4; }));
  EXPECT_EQ(in_words(answer_of(world.call(post("/fast", "fast@b.example")))), "202");
  EXPECT_EQ(in_words(answer_of(world.call(post("/nobody", "")))), "202");
  EXPECT_EQ(world.seen().size(), 6U);
  gate->open();
  for (auto& one : slow)
    EXPECT_EQ(in_words(answer_of(one)), "202");
  EXPECT_EQ(gate->most(), 4);
}

TEST(GraphDoor, first_come_first_served) {
  GraphOptions options;
  options.mailbox_concurrency = 1;
  GraphDoorWorld world(always({http_answer(202)}), options);
  std::vector<std::future<GraphAnswer>> all;
  for (int i = 0; i < 20; ++i)
    all.push_back(world.call(post("/" + std::to_string(i))));
  for (auto& one : all)
    EXPECT_EQ(in_words(answer_of(one)), "202");
  const auto seen = world.seen();
  ASSERT_EQ(seen.size(), 20U);
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ(GraphDoorWorld::path_of(seen[i]), "/v1.0/" + std::to_string(i));
}

TEST(GraphDoor, what_has_not_begun_is_given_back) {
  const auto gate = std::make_shared<Gate>();
  GraphOptions options;
  options.mailbox_concurrency = 1;
  GraphDoorWorld world(slow_mailbox(gate), options);
  auto first = world.call(post("/slow/1", "slow@b.example"));
  auto second = world.call(post("/slow/2", "slow@b.example"));
  EXPECT_TRUE(eventually([&] { return gate->most() == 1; }));
  world.door().release_waiting();
  EXPECT_EQ(in_words(answer_of(second)), "not_sent");
  gate->open();
  EXPECT_EQ(in_words(answer_of(first)), "202") << "what is under way goes on to its own end";
  EXPECT_EQ(in_words(answer_of(world.call(post("/slow/3", "slow@b.example")))), "202")
      << "and the door is open";
}

TEST(GraphDoor, may_end_while_requests_are_under_way) {
  const auto gate = std::make_shared<Gate>();
  GraphDoorWorld world(slow_mailbox(gate));
  std::atomic<int> answered = 0;
  for (int i = 0; i < 10; ++i)
    world.door().call(post("/slow/1", "slow@b.example"), [&](const GraphAnswer&) { ++answered; });
  EXPECT_TRUE(eventually([&] { return gate->most() == 4; }));
  world.end();
  gate->open();
  EXPECT_EQ(answered, 0);
}

}  // namespace
}  // namespace eilbote::test::graph_door_test
