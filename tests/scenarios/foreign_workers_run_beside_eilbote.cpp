// Workers of another program claim through the view mail_outbox with the SQL of seed 000 while Eilbote delivers from the
// same table: every mail is sent by exactly one of them, and a row whose foreign worker died is recovered.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <map>

#include "domain/tsid.h"
#include "support/child_process.h"
#include "support/eventually.h"
#include "support/mail_load.h"
#include "support/raw_sql.h"
#include "support/test_scale.h"
#include "support/test_store.h"

namespace eilbote::test::foreign_workers_run_beside_eilbote {
namespace {

using namespace std::chrono_literals;

SCENARIO_ON_POSTGRES(ForeignWorkers);

const std::string kNode = EILBOTE_SOURCE_DIR "/tests/node";

class NodeWorker {
 public:
  NodeWorker(const std::string& url, const std::string& record, const std::string& name)
      : child_({{"node", kNode + "/outbox_worker.js", url, record, name, "10"},
                {},
                record + "." + name + ".log",
                ""}),
        log_(record + "." + name + ".log") {
    const auto line = child_.read_line(30s);
    if (line != "ready") throw std::runtime_error("the worker did not start: " + read_text_file(log_));
  }
  // How many it sent.
  int stop() {
    child_.signal(SIGTERM);
    const std::string out = child_.read_line(30s).value_or("");
    EXPECT_EQ(child_.wait(30s), 0) << read_text_file(log_);
    return out.empty() ? -1 : std::stoi(out);
  }

 private:
  ChildProcess child_;
  const std::string log_;
};

// Message id -> the workers that recorded it.
std::map<std::string, std::vector<std::string>> recorded(const std::string& file) {
  std::map<std::string, std::vector<std::string>> all;
  std::ifstream lines(file);
  std::int64_t id = 0;
  for (std::string worker; lines >> id >> worker;)
    all[to_text(JobId{id})].push_back(worker);
  return all;
}

TEST_P(ForeignWorkers, send_what_eilbote_does_not_and_nothing_twice) {
  const int mails = scaled(3'000, 300);
  const auto server = start_server();
  const std::string record = folder_ / "sent-by-workers";
  NodeWorker first(database_url(), record, "one"), second(database_url(), record, "two");
  MailHistory history;
  MailLoad load({.mails = mails}, history);
  load.serve_at({server->url()});
  load.finish();
  const MailApi api(*server);
  ASSERT_TRUE(eventually(
      [&] {
        for (const StoredMail& mail : stored_mails(api))
          if (mail.status != "SENT") return false;
        return true;
      },
      60s, 200ms));
  const int by_first = first.stop(), by_second = second.stop();

  std::map<std::string, std::vector<std::string>> senders = recorded(record);
  EXPECT_EQ(static_cast<int>(senders.size()), by_first + by_second);
  for (const CapturedMail& mail : captured_mails(server->capture_folder()))
    senders[mail.id].push_back("eilbote");
  EXPECT_EQ(senders.size(), static_cast<std::size_t>(mails));
  for (const auto& [id, by] : senders)
    EXPECT_EQ(by.size(), 1U) << id << " was sent by " << by[0] << " and " << by.back();
  EXPECT_GT(by_first, 0);
  EXPECT_GT(by_second, 0);
  EXPECT_GT(captured_count(server->capture_folder()), 0U);
  for (const StoredMail& mail : stored_mails(api))
    EXPECT_TRUE(senders.contains(mail.id)) << mail.id << " was sent by nobody";
  EXPECT_EQ(api.metric("eilbote_settle_stale_total"), 0);
  std::printf("sent by Eilbote: %zu, by the workers: %d and %d\n", captured_count(server->capture_folder()),
              by_first, by_second);
}

TEST_P(ForeignWorkers, that_die_with_a_row_have_it_taken_back) {
  const auto server =
      start_server({{"EILBOTE_DISPATCH", "triggered"}, {"EILBOTE_FOREIGN_LEASE_SECONDS", "3"}});
  const MailApi api(*server);
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i)
    ids.push_back(api.accept(mail_json("a" + std::to_string(i) + "@example.org")));
  const auto sql = open_raw_postgres(database_url());
  // Three are claimed; one of them is settled as failed for now, as a worker of the seed would, one as sent.
  const auto rows = sql->rows(
      "WITH candidates AS (SELECT id FROM mail_outbox WHERE status = 'queued' AND next_attempt_at <= NOW() "
      "AND retry_count < 5 ORDER BY next_attempt_at ASC, id ASC LIMIT 3 FOR UPDATE SKIP LOCKED) "
      "UPDATE mail_outbox SET status = 'dispatching', last_attempt_at = NOW() FROM candidates "
      "WHERE mail_outbox.id = candidates.id RETURNING mail_outbox.id");
  ASSERT_EQ(rows.size(), 3U);
  const auto settle = [&](std::size_t i, const std::string& set) {
    EXPECT_EQ(sql->run("UPDATE mail_outbox SET " + set + " WHERE id = " + rows[i][0]), 1);
    return to_text(JobId{std::stoll(rows[i][0])});
  };
  const std::string failed =
      settle(0,
             "status = 'queued', retry_count = retry_count + 1, last_error = '451 later', "
             "next_attempt_at = NOW() + interval '1 hour'");
  const std::string sent = settle(1, "status = 'sent', last_error = NULL");
  const std::string lost = to_text(JobId{std::stoll(rows[2][0])});
  EXPECT_EQ(api.status(failed), "RETRY_PENDING");
  EXPECT_EQ(number_at(api.message(failed), "/details/retryCount"), 1);
  EXPECT_EQ(text_at(api.message(failed), "/details/lastError/message"), "451 later");
  EXPECT_EQ(api.status(sent), "SENT");
  EXPECT_EQ(server->post("/internal/dispatch/" + lost, "").status, 409) << "another worker has it";

  ASSERT_TRUE(eventually([&] { return api.metric("eilbote_requeued_total", R"(cause="rescue")") == 1; }));
  const HttpReply reply = server->post("/internal/dispatch/batch", "{}");
  EXPECT_EQ(number_at(json::parse(reply.body), "/dispatched"), 2) << reply.body;
  EXPECT_EQ(api.status(lost), "SENT");
  EXPECT_EQ(captured_count(server->capture_folder()), 2U);
}

TEST_P(ForeignWorkers, that_leave_a_row_without_attempts_see_it_failed) {
  const auto server = start_server();
  const MailApi api(*server);
  const std::string id = api.accept(mail_json("a@example.org", "x", due_in_a_month()));
  const auto sql = open_raw_postgres(database_url());
  EXPECT_EQ(
      sql->run("UPDATE mail_outbox SET retry_count = 5, next_attempt_at = NOW(), last_error = 'used up' "
               "WHERE status = 'queued'"),
      1);
  ASSERT_TRUE(api.reaches(id, "FAILED")) << json::serialize(api.message(id));
  EXPECT_EQ(text_at(api.message(id), "/details/deadReason"), "MaxAttemptsExceeded");
  EXPECT_EQ(captured_count(server->capture_folder()), 0U);
}

}  // namespace
}  // namespace eilbote::test::foreign_workers_run_beside_eilbote
