// Requests of the same moment in one $batch: what goes together and what does not, what each part's answer becomes, and what
// becomes of the parts when the batch itself fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "support/eventually.h"
#include "support/graph_door_world.h"
#include "support/metric_value.h"

namespace eilbote::test::graph_door_batch_test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Then = HttpScene::Then;

bool is_batch(const HttpSeen& request) {
  return GraphDoorWorld::path_of(request) == "/v1.0/$batch";
}

// 201 with the part's own address in its body; alone the same.
std::string created(const BatchPartSeen& part) {
  return R"("status":201,"headers":{"request-id":"r"},"body":{"of":")" + part.url + "\"}";
}
HttpScene well(const HttpSeen& request) {
  if (is_batch(request)) return batch_answer(request.body, created);
  return {http_answer(201, R"({"of":"alone"})")};
}

std::vector<GraphCall> calls_of(int count) {
  std::vector<GraphCall> calls;
  for (int i = 0; i < count; ++i)
    calls.push_back(small_call("m" + std::to_string(i)));
  return calls;
}

std::vector<std::string> words_of(std::vector<std::future<GraphAnswer>> answers) {
  std::vector<std::string> words;
  for (auto& one : answers)
    words.push_back(in_words(answer_of(one)));
  return words;
}

// How many requests each that came to Graph carried.
std::vector<std::size_t> sizes_of(const GraphDoorWorld& world) {
  std::vector<std::size_t> sizes;
  for (const HttpSeen& request : world.seen())
    sizes.push_back(is_batch(request) ? batch_parts(request.body).size() : 1);
  return sizes;
}

TEST(GraphDoorBatch, what_is_ready_together_goes_together) {
  GraphDoorWorld world(well);
  auto calls = calls_of(3);
  calls[0].traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  calls[1].method = "GET";
  calls[1].body = "";
  calls[2].headers = {{"Prefer", "odata.maxpagesize=5"}};
  auto answers = world.together(calls);
  for (int i = 0; i < 3; ++i) {
    const GraphAnswer answer = answer_of(answers[static_cast<std::size_t>(i)]);
    EXPECT_EQ(in_words(answer), "201");
    EXPECT_EQ(answer.body, R"({"of":"/users/m)" + std::to_string(i) + R"(/messages"})")
        << "each gets its own answer, though they came in another order";
    EXPECT_EQ(answer.request_id, "r");
  }
  ASSERT_THAT(sizes_of(world), ElementsAre(3U));
  const HttpSeen request = world.seen()[0];
  EXPECT_EQ(request.line, "POST /v1.0/$batch HTTP/1.1");
  EXPECT_EQ(request.headers.at("authorization"), "Bearer bearer-token-1");
  EXPECT_EQ(request.headers.at("content-type"), "application/json");
  const auto parts = batch_parts(request.body);
  EXPECT_EQ(parts[0].method, "POST");
  EXPECT_EQ(parts[0].url, "/users/m0/messages");
  EXPECT_EQ(parts[0].body, R"({"subject":"x"})") << "as JSON, not as a text";
  EXPECT_EQ(parts[0].headers.at("content-type"), "application/json");
  EXPECT_EQ(parts[0].headers.at("prefer"), R"(IdType="ImmutableId")");
  EXPECT_EQ(parts[0].headers.at("client-request-id").size(), 36U);
  EXPECT_NE(parts[0].headers.at("client-request-id"), parts[1].headers.at("client-request-id"));
  EXPECT_THAT(parts[0].headers.at("traceparent"),
              HasSubstr("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
  EXPECT_FALSE(parts[1].headers.contains("content-type"));
  EXPECT_EQ(parts[1].body, "");
  EXPECT_EQ(parts[2].headers.at("prefer"), R"(IdType="ImmutableId", odata.maxpagesize=5)");
  for (const BatchPartSeen& part : parts)
    EXPECT_FALSE(part.headers.contains("authorization"));
  EXPECT_EQ(metric_value(world.metrics, "eilbote_graph_batches_total"), 1);
  // The first one, of the world, went alone.
  EXPECT_EQ(metric_value(world.metrics, R"(eilbote_graph_requests_total{outcome="ok"})"), 4);
}

TEST(GraphDoorBatch, has_its_bounds) {
  {
    GraphDoorWorld world(well);
    EXPECT_THAT(words_of(world.together(calls_of(45))), testing::Each("201"));
    EXPECT_THAT(sizes_of(world), testing::UnorderedElementsAre(20U, 20U, 5U));
  }
  {
    GraphOptions options;
    options.batch_max = 1;
    GraphDoorWorld world(well, options);
    EXPECT_THAT(words_of(world.together(calls_of(3))), testing::Each("201"));
    EXPECT_THAT(sizes_of(world), ElementsAre(1U, 1U, 1U));
  }
  {
    GraphDoorWorld world(well);
    auto calls = calls_of(5);
    for (GraphCall& call : calls)
      call.body = R"({"text":")" + std::string(1'000'000, 'x') + "\"}";
    EXPECT_THAT(words_of(world.together(calls)), testing::Each("201"));
    EXPECT_THAT(sizes_of(world), testing::UnorderedElementsAre(3U, 2U));
    for (const HttpSeen& request : world.seen())
      EXPECT_LT(request.body.size(), 4'000'000U);
  }
}

TEST(GraphDoorBatch, what_does_not_fit_in_goes_alone) {
  GraphDoorWorld world(well);
  auto calls = calls_of(7);
  calls[0].may_batch = false;
  calls[1].headers = {{"Content-Type", "text/plain"}};
  calls[1].body = "TUlNRQ==";
  calls[2].body = R"({"broken":)";
  calls[3].path = world.base_url() + "/users/whole";
  calls[4].with_token = false;
  calls.push_back(small_call("not escaped"));
  auto words = words_of(world.together(calls));
  EXPECT_EQ(words.back(), "refused");
  words.pop_back();
  EXPECT_THAT(words, testing::Each("201"));
  EXPECT_THAT(sizes_of(world), testing::UnorderedElementsAre(1U, 1U, 1U, 1U, 1U, 2U));
}

TEST(GraphDoorBatch, each_part_counts_for_its_mailbox) {
  std::atomic<int> most = 0;
  GraphDoorWorld world([&](const HttpSeen& request) {
    int busy = 0;
    for (const BatchPartSeen& part : batch_parts(request.body))
      busy += part.url.starts_with("/users/busy/") ? 1 : 0;
    most = std::max(most.load(), busy);
    return well(request);
  });
  auto calls = calls_of(3);
  for (int i = 0; i < 30; ++i)
    calls.push_back(small_call("busy"));
  EXPECT_THAT(words_of(world.together(calls)), testing::Each("201"));
  EXPECT_EQ(most, 4);
  EXPECT_EQ(sizes_of(world).at(0), 7U) << "the others do not wait behind it";
}

TEST(GraphDoorBatch, each_part_has_its_own_answer) {
  GraphDoorWorld world([](const HttpSeen& request) {
    return batch_answer(request.body, [](const BatchPartSeen& part) -> std::string {
      switch (part.url[8]) {
        case '0':
          return R"("status":202)";
        case '1':
          return R"("status":429,"headers":{"retry-after":"7"},"body":)" + error_body("TooManyRequests");
        case '2':
          return R"("status":503,"headers":{"Retry-After":9},"body":"busy")";
        case '3':
          return R"("status":404,"body":)" + error_body("ErrorItemNotFound", "gone");
        case '4':
          return "";  // not there at all
        default:
          return R"("status":"soon")";
      }
    });
  });
  auto answers = world.together(calls_of(6));
  EXPECT_EQ(in_words(answer_of(answers[0])), "202");
  EXPECT_EQ(in_words(answer_of(answers[1])), "429 TooManyRequests 7s");
  const GraphAnswer busy = answer_of(answers[2]);
  EXPECT_EQ(in_words(busy), "503 9s");
  EXPECT_EQ(busy.text, "busy");
  const GraphAnswer gone = answer_of(answers[3]);
  EXPECT_EQ(in_words(gone), "404 ErrorItemNotFound");
  EXPECT_EQ(gone.text, "gone");
  EXPECT_EQ(in_words(answer_of(answers[4])), "bad_response");
  EXPECT_EQ(in_words(answer_of(answers[5])), "bad_response");
  EXPECT_THAT(sizes_of(world), ElementsAre(6U)) << "nothing is sent twice";
  EXPECT_EQ(metric_value(world.metrics, R"(eilbote_graph_requests_total{outcome="throttled"})"), 1);
}

TEST(GraphDoorBatch, a_part_whose_token_was_refused_is_sent_once_more) {
  GraphDoorWorld world([](const HttpSeen& request) -> HttpScene {
    const bool is_old = request.headers.at("authorization") == "Bearer bearer-token-1";
    if (!is_batch(request)) return {http_answer(is_old ? 401 : 202)};
    return batch_answer(request.body, [](const BatchPartSeen& part) -> std::string {
      return part.url.starts_with("/users/m1/") ? R"("status":401)" : R"("status":202)";
    });
  });
  EXPECT_THAT(words_of(world.together(calls_of(3))), testing::Each("202"));
  EXPECT_THAT(sizes_of(world), ElementsAre(3U, 1U));
  EXPECT_EQ(world.tokens(), 2);
}

TEST(GraphDoorBatch, a_batch_whose_token_was_refused_is_sent_once_more) {
  GraphDoorWorld world([](const HttpSeen& request) -> HttpScene {
    if (request.headers.at("authorization") == "Bearer bearer-token-1") return {http_answer(401)};
    return batch_answer(request.body, [](const BatchPartSeen&) { return R"("status":202)"; });
  });
  EXPECT_THAT(words_of(world.together(calls_of(3))), testing::Each("202"));
  EXPECT_THAT(sizes_of(world), ElementsAre(3U, 3U));
  EXPECT_EQ(world.tokens(), 2);
}

TEST(GraphDoorBatch, what_fails_the_batch_fails_its_parts_and_sends_nothing_twice) {
  const std::pair<HttpScene, const char*> cases[] = {
      {{http_answer(500, error_body("Boom"))}, "500 Boom"},
      {{http_answer(429, "", "Retry-After: 5\r\n")}, "429 5s"},
      {{http_answer(504)}, "504"},
      {{"", Then::reset}, "lost"},
      {{"", Then::silence}, "timeout"},
      {{http_answer(200, "no JSON")}, "bad_response"},
      {{http_answer(202)}, "bad_response"},
      {{http_answer(200, R"({"responses":{"id":"1"}})")}, "bad_response"},
      {{http_answer(200, R"({"responses":[1,null,{"id":"9","status":202},{"id":[],"status":202}]})")},
       "bad_response"},
  };
  for (const auto& [scene, want] : cases) {
    GraphOptions options;
    options.timeout = 300ms;
    GraphDoorWorld world([scene](const HttpSeen&) { return scene; }, options);
    EXPECT_THAT(words_of(world.together(calls_of(3))), ElementsAre(want, want, want));
    EXPECT_THAT(sizes_of(world), ElementsAre(3U)) << want;
  }
}

TEST(GraphDoorBatch, parts_of_a_batch_that_is_not_understood_go_alone) {
  for (const int status : {400, 404, 405, 413}) {
    GraphDoorWorld world([status](const HttpSeen& request) -> HttpScene {
      return {http_answer(is_batch(request) ? status : 202)};
    });
    EXPECT_THAT(words_of(world.together(calls_of(3))), testing::Each("202")) << status;
    EXPECT_THAT(sizes_of(world), ElementsAre(3U, 1U, 1U, 1U)) << status;
  }
}

TEST(GraphDoorBatch, what_is_called_off_leaves_the_others_alone) {
  GraphDoorWorld world(well);
  auto calls = calls_of(4);
  std::atomic<int> asked = 0;
  for (GraphCall& call : calls)
    call.about_to_send = [&] {
      ++asked;
      return true;
    };
  calls[2].about_to_send = [] { return false; };
  EXPECT_THAT(words_of(world.together(calls)), ElementsAre("201", "201", "not_sent", "201"));
  ASSERT_THAT(sizes_of(world), ElementsAre(3U));
  EXPECT_THAT(world.seen()[0].body, Not(HasSubstr("/users/m2/")));
  EXPECT_GE(asked, 3);
}

TEST(GraphDoorBatch, what_a_part_repeats_of_the_token_is_hidden) {
  GraphDoorWorld world([](const HttpSeen& request) {
    return batch_answer(request.body, [](const BatchPartSeen&) {
      return R"("status":400,"body":)" + error_body("Bad", "you sent bearer-token-1");
    });
  });
  for (auto& one : world.together(calls_of(2))) {
    const GraphAnswer answer = answer_of(one);
    EXPECT_EQ(answer.text, "you sent ***");
    EXPECT_THAT(answer.body, Not(HasSubstr("bearer-token-1")));
  }
}

}  // namespace
}  // namespace eilbote::test::graph_door_batch_test
