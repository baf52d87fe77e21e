// While a route is down nothing is tried on it: mails wait without using up attempts, and leave when a probe that
// carries no mail finds the route up again.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/test_store.h"

namespace eilbote::test::an_open_breaker_burns_no_attempt {
namespace {

SCENARIO_ON_EACH_STORE(AnOpenBreaker);

namespace fs = std::filesystem;

std::string breaker_state(const MailApi& api) {
  return text_at(api.read("/breakers"), "/data/0/state");
}

TEST_P(AnOpenBreaker, holds_the_mails_and_burns_no_attempt) {
  const auto server =
      start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}, {"EILBOTE_BREAKER_PROBE", "1h"}});
  const MailApi api(*server);
  EXPECT_EQ(text_at(api.read("/breakers"), "/data/0/route"), "capture");
  EXPECT_EQ(breaker_state(api), "closed");
  const std::string first =
      api.accept(mail_json("a+route1@example.org", "x", R"("retry":{"strategy":"immediate"})"));
  ASSERT_TRUE(eventually([&] { return breaker_state(api) == "open"; }));
  EXPECT_FALSE(text_at(api.read("/breakers"), "/data/0/reason").empty());
  EXPECT_EQ(api.counted(1, "eilbote_breaker_open", R"(route="capture")"), 1);
  ASSERT_TRUE(api.reaches(first, "RETRY_PENDING"));

  std::vector<std::string> waiting;
  for (int i = 0; i < 20; ++i)
    waiting.push_back(api.accept(mail_json("w" + std::to_string(i) + "@example.org")));
  EXPECT_TRUE(throughout([&] { return captured_count(server->capture_folder()) == 0; },
                         std::chrono::milliseconds{1500}));
  for (const std::string& id : waiting) {
    EXPECT_EQ(api.status(id), "QUEUED");
    EXPECT_EQ(api.attempts(id).size(), 0U);
  }
  EXPECT_EQ(api.attempts(first).size(), 1U);
}

TEST_P(AnOpenBreaker, is_closed_by_a_probe_and_the_mails_leave) {
  const auto server =
      start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}, {"EILBOTE_BREAKER_PROBE", "1s"}});
  const MailApi api(*server);
  const std::string first =
      api.accept(mail_json("a+route1@example.org", "x", R"("retry":{"strategy":"immediate"})"));
  ASSERT_TRUE(eventually([&] { return api.attempts(first).size() == 1; }));
  std::vector<std::string> waiting;
  for (int i = 0; i < 20; ++i)
    waiting.push_back(api.accept(mail_json("w" + std::to_string(i) + "@example.org")));
  ASSERT_TRUE(eventually([&] { return breaker_state(api) == "closed"; }));
  for (const std::string& id : waiting) {
    EXPECT_TRUE(api.reaches(id, "SENT"));
    EXPECT_EQ(api.attempts(id).size(), 1U);
    EXPECT_EQ(number_at(api.message(id), "/details/retryCount"), 0);
  }
  EXPECT_TRUE(api.reaches(first, "SENT"));
  EXPECT_EQ(number_at(api.message(first), "/details/retryCount"), 1)
      << "the attempt that found the fault counts";
}

// A capture folder that takes no files is the capture route's outage; a file stands in its place.
TEST_P(AnOpenBreaker, stands_for_a_disk_in_trouble_and_recovers_with_it) {
  const auto server = start_server({{"EILBOTE_BREAKER_PROBE", "500ms"}});
  const MailApi api(*server);
  const std::string folder = server->capture_folder();
  ASSERT_TRUE(api.reaches(api.accept(mail_json("before@example.org")), "SENT"));
  fs::rename(folder, folder + ".aside");
  std::ofstream(folder) << "in the way";

  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i)
    ids.push_back(api.accept(mail_json("w" + std::to_string(i) + "@example.org", "x",
                                       R"("retry":{"strategy":"immediate","maxAttempts":100})")));
  ASSERT_TRUE(eventually([&] { return breaker_state(api) != "closed"; }));
  EXPECT_TRUE(throughout([&] { return breaker_state(api) != "closed"; }, std::chrono::milliseconds{1500}));
  fs::remove(folder);
  fs::rename(folder + ".aside", folder);

  for (const std::string& id : ids)
    EXPECT_TRUE(api.reaches(id, "SENT")) << json::serialize(api.message(id));
  EXPECT_EQ(captured_count(folder), ids.size() + 1);
  EXPECT_EQ(breaker_state(api), "closed");
}

}  // namespace
}  // namespace eilbote::test::an_open_breaker_burns_no_attempt
