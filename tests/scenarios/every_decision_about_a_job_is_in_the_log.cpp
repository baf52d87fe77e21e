// Whoever knows the id of a mail or webhook finds in the log what was decided about it, in the words of the seeds: EmailId or JobId,
// AttemptCount, NextAttemptAt while it goes on, deadReason when it does not. (What the scheduler of a broker says, Published and
// Skipped: a_mails_life_with_a_broker_in_the_words_of_seed_004.)
#include <gtest/gtest.h>

#include <sstream>

#include "base/clock.h"
#include "base/time.h"
#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/job_api.h"
#include "support/scripted_http.h"
#include "support/test_store.h"

namespace eilbote::test::every_decision_about_a_job_is_in_the_log {
namespace {

using namespace std::chrono_literals;

class EveryDecision : public StoreScenario {
 protected:
  // The lines about a job, in their order. Handing it back untried, as when its pool is suspended just now, decides nothing.
  std::vector<json::value> lines(const std::string& name, const std::string& id) const {
    std::vector<json::value> found;
    std::istringstream log(read_text_file(server_->log_file()));
    for (std::string line; std::getline(log, line);) {
      boost::system::error_code bad;
      json::value read = json::parse(line, bad);
      EXPECT_FALSE(bad) << "not one JSON object: " << line;
      if (text_at(read, "/" + name) != id || text_at(read, "/event").ends_with(" handed back")) continue;
      found.push_back(std::move(read));
    }
    return found;
  }
  // Waits until the log has told of it so often.
  std::vector<json::value> decisions(const std::string& name, const std::string& id,
                                     std::size_t count) const {
    EXPECT_TRUE(eventually([&] { return lines(name, id).size() >= count; }));
    auto found = lines(name, id);
    EXPECT_EQ(found.size(), count) << json::serialize(json::value_from(found));
    found.resize(count);
    return found;
  }
  static void expect_line(const json::value& line, const std::string& level, const std::string& event,
                          int attempts) {
    EXPECT_EQ(text_at(line, "/level"), level) << line;
    EXPECT_EQ(text_at(line, "/event"), event) << line;
    EXPECT_EQ(number_at(line, "/AttemptCount"), attempts) << line;
    EXPECT_TRUE(parse_rfc3339(text_at(line, "/time"))) << line;
  }

  std::unique_ptr<EilboteProcess> server_;
};
INSTANTIATE_TEST_SUITE_P(Stores, EveryDecision, testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         store_name);

TEST_P(EveryDecision, of_a_mail_that_is_tried_again_and_sent) {
  server_ = start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}});
  const std::string id = MailApi(*server_).accept(
      mail_json("a+transient1@example.org", "x", R"("retry":{"strategy":"fixed","delaySeconds":1})"));
  const auto said = decisions("EmailId", id, 2);
  expect_line(said[0], "info", "mail attempt ended", 1);
  EXPECT_EQ(text_at(said[0], "/status"), "RETRY_PENDING");
  EXPECT_EQ(text_at(said[0], "/class"), "transient");
  const auto next = parse_rfc3339(text_at(said[0], "/NextAttemptAt"));
  ASSERT_TRUE(next);
  EXPECT_GT(*next, *parse_rfc3339(text_at(said[0], "/time")));
  expect_line(said[1], "debug", "mail sent", 2);
  EXPECT_EQ(text_at(said[0], "/traceId").size(), 32U);
  EXPECT_EQ(text_at(said[0], "/traceId"), text_at(said[1], "/traceId"));
}

TEST_P(EveryDecision, of_jobs_whose_attempts_are_used_up) {
  server_ = start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}});
  const std::string mail = MailApi(*server_).accept(
      mail_json("a+transient@example.org", "x", R"("retry":{"strategy":"immediate","maxAttempts":2})"));
  const auto of_mail = decisions("EmailId", mail, 2);
  expect_line(of_mail[0], "info", "mail attempt ended", 1);
  expect_line(of_mail[1], "warning", "mail failed", 2);
  EXPECT_EQ(text_at(of_mail[1], "/deadReason"), "MaxAttemptsExceeded");

  const ScriptedHttp endpoint({.scenes = {{.answer = http_answer(500)}}});
  const std::string hook =
      JobApi(*server_).accept(job_json(endpoint.url(), R"(,"maxRetries":2,"retryStrategy":"immediate")"));
  const auto of_hook = decisions("JobId", hook, 2);
  expect_line(of_hook[0], "info", "webhook attempt ended", 1);
  EXPECT_TRUE(parse_rfc3339(text_at(of_hook[0], "/NextAttemptAt"))) << of_hook[0];
  expect_line(of_hook[1], "warning", "webhook failed", 2);
  EXPECT_EQ(text_at(of_hook[1], "/deadReason"), "MaxAttemptsExceeded");
  EXPECT_EQ(MailApi(*server_).counted(2, "eilbote_dead_total", R"(reason="MaxAttemptsExceeded")"), 2);
  EXPECT_EQ(MailApi(*server_).counted(2, "eilbote_requeued_total", R"(cause="retry")"), 2);
}

// Nobody tried it: upkeep ends it, and names it.
TEST_P(EveryDecision, of_a_mail_that_was_never_tried) {
  server_ = start_server();
  ASSERT_EQ(server_->post("/dispatch-pools/mail/suspend", "").status, 200);
  // Before the pool is suspended for every thread one may slip through.
  std::string id;
  ASSERT_TRUE(eventually([&] {
    id = MailApi(*server_).accept(
        mail_json("a@example.org", "x", R"("expiresAt":")" + to_rfc3339(SystemClock{}.now() + 2s) + "\""));
    return MailApi(*server_).reaches(id, "FAILED", 10s);
  }));
  const auto said = decisions("EmailId", id, 1);
  expect_line(said[0], "warning", "mail failed", 0);
  EXPECT_EQ(text_at(said[0], "/deadReason"), "Expired");
}

}  // namespace
}  // namespace eilbote::test::every_decision_about_a_job_is_in_the_log
