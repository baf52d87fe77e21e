// The commands for people and scripts, against a running server: what they print, as text and as JSON, and the exit
// codes 0 done, 1 refused, 2 usage, 3 unreachable, 4 not found.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/loopback_listener.h"
#include "support/program.h"
#include "support/test_store.h"

namespace eilbote::test::the_command_line_speaks_to_a_running_server {
namespace {

using namespace std::chrono_literals;

SCENARIO_ON_SQLITE(TheCommandLine);

class Cli {
 public:
  explicit Cli(std::string server) : server_(std::move(server)) {}
  CommandResult operator()(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), program_under_test());
    return run_command(arguments, {{"EILBOTE_SERVER", server_}});
  }

 private:
  const std::string server_;
};

std::string first_line(const CommandResult& result) {
  return result.out.substr(0, result.out.find('\n'));
}

TEST_P(TheCommandLine, sends_a_mail_and_says_what_became_of_it) {
  const auto server = start_server();
  const Cli cli(server->url());
  const CommandResult sent =
      cli({"send", "--from", "Shop <shop@example.org>", "--to", "ada@example.org", "--subject", "Order",
           "--text", "On its way", "--tag", "orders", "--idempotency-key", "order-4711"});
  ASSERT_EQ(sent.exit_code, 0) << sent.err;
  const std::string id = first_line(sent);
  EXPECT_EQ(id.size(), 13U) << sent.out;
  const MailApi api(*server);
  ASSERT_TRUE(api.reaches(id, "SENT"));

  const CommandResult again =
      cli({"send", "--from", "Shop <shop@example.org>", "--to", "ada@example.org", "--subject", "Order",
           "--text", "On its way", "--tag", "orders", "--idempotency-key", "order-4711"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_TRUE(again.out.starts_with(id)) << again.out;

  const CommandResult status = cli({"status", id, "--attempts", "--events"});
  EXPECT_EQ(status.exit_code, 0);
  for (const std::string& word :
       {id, std::string("SENT"), std::string("ada@example.org"), std::string("capture")})
    EXPECT_NE(status.out.find(word), std::string::npos) << word << "\n" << status.out;
  const CommandResult as_json = cli({"status", id, "--attempts", "--events", "--json"});
  const json::value message = json::parse(as_json.out);
  EXPECT_EQ(text_at(message, "/status"), "SENT");
  EXPECT_EQ(text_at(message, "/attempts/0/status"), "SUCCESS");
  EXPECT_EQ(text_at(message, "/events/1/to"), "SENT");
}

TEST_P(TheCommandLine, reads_a_mail_from_a_file_with_attachments) {
  const auto server = start_server();
  const Cli cli(server->url());
  std::ofstream(folder_ / "mail.json") << mail_json("file@example.org", "From a file");
  std::ofstream(folder_ / "bill.txt") << "3 pieces";
  const CommandResult sent =
      cli({"send", "--file", folder_ / "mail.json", "--attach", folder_ / "bill.txt", "--json"});
  ASSERT_EQ(sent.exit_code, 0) << sent.err;
  const std::string id = text_at(json::parse(sent.out), "/messageId");
  ASSERT_TRUE(MailApi(*server).reaches(id, "SENT"));
  const auto captured = captured_mails(server->capture_folder());
  ASSERT_EQ(captured.size(), 1U);
  EXPECT_NE(read_text_file(captured[0].path).find("bill.txt"), std::string::npos);
}

TEST_P(TheCommandLine, lists_cancels_and_retries) {
  const auto server = start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}});
  const Cli cli(server->url());
  const MailApi api(*server);
  const std::string dead = api.accept(mail_json("dead+permanent1@example.org", "x", R"("tags":["t1"])"));
  ASSERT_TRUE(api.reaches(dead, "FAILED"));
  const std::string later = api.accept(mail_json("later@example.org", "x", due_in_a_month()));

  const CommandResult list = cli({"list", "--json"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_EQ(json::parse(list.out).at("data").as_array().size(), 2U);
  EXPECT_NE(cli({"list"}).out.find(later), std::string::npos);
  const CommandResult queued = cli({"list", "--status", "QUEUED", "--json"});
  EXPECT_EQ(text_at(json::parse(queued.out), "/data/0/messageId"), later);

  EXPECT_NE(cli({"dead"}).out.find(dead), std::string::npos);
  EXPECT_EQ(text_at(json::parse(cli({"dead", "--json"}).out), "/0/details/deadReason"), "PermanentFailure");
  const CommandResult dry = cli({"dead", "retry", "--tag", "t1", "--dry-run", "--json"});
  EXPECT_EQ(number_at(json::parse(dry.out), "/matched"), 1) << dry.out << dry.err;
  EXPECT_EQ(cli({"retry", dead}).exit_code, 0);
  EXPECT_TRUE(api.reaches(dead, "SENT"));
  EXPECT_EQ(cli({"retry", dead}).exit_code, 1) << "it is sent";
  EXPECT_EQ(cli({"cancel", later}).exit_code, 0);
  EXPECT_EQ(api.status(later), "CANCELLED");
  EXPECT_EQ(cli({"cancel", later}).exit_code, 1);
  EXPECT_EQ(cli({"dead"}).exit_code, 0);
}

TEST_P(TheCommandLine, watches_a_server_until_it_is_told_to_stop) {
  const auto server = start_server();
  ChildProcess watch(
      ChildOptions{{program_under_test(), "watch", "--json", "--interval", "0.1", "--server", server->url()},
                   {},
                   folder_ / "watch.log",
                   ""});
  for (int i = 0; i < 3; ++i) {
    const auto line = watch.read_line(30s);
    ASSERT_TRUE(line);
    EXPECT_EQ(number_at(json::parse(*line), "/waiting"), 0) << *line;
  }
  watch.signal(SIGINT);
  EXPECT_EQ(watch.wait(10s), 0);
  const CommandResult queue = Cli(server->url())({"queue"});
  EXPECT_EQ(queue.exit_code, 0) << queue.err;
  EXPECT_NE(queue.out.find("OLDEST"), std::string::npos) << queue.out;
}

TEST(TheCommandLineAlone, ends_a_watch_on_ctrl_c_while_the_server_hangs) {
  const LoopbackListener silent;
  ChildProcess watch(ChildOptions{
      {program_under_test(), "watch", "--server", "http://127.0.0.1:" + std::to_string(silent.port())},
      {},
      "",
      ""});
  const int link = silent.accept();
  watch.signal(SIGINT);
  EXPECT_EQ(watch.wait(10s), 0);
  ::close(link);
}

TEST_P(TheCommandLine, imports_a_table_once_however_often_it_is_asked) {
  const auto server = start_server();
  const Cli cli(server->url());
  std::ofstream(folder_ / "outbox.csv")
      << "id,status,retry_count,next_attempt_at,from,to,subject,body\n"
         "1,queued,0,2026-01-01 12:00:00+00,shop@example.org,one@example.org,Order,Hi\n"
         "2,sent,1,2026-01-01 12:00:00+00,shop@example.org,two@example.org,Order,Hi\n"
         "3,queued,0,2026-01-01 12:00:00+00,shop@example.org,nobody,Order,Hi\n";
  const CommandResult first = cli({"import", folder_ / "outbox.csv", "--json"});
  EXPECT_EQ(first.exit_code, 1) << "line 4 has no address";
  EXPECT_EQ(number_at(json::parse(first.out), "/imported"), 1) << first.out;
  EXPECT_EQ(number_at(json::parse(first.out), "/skipped/sent"), 1);
  EXPECT_EQ(number_at(json::parse(first.out), "/refusedRows/0/line"), 4);
  EXPECT_NE(text_at(json::parse(first.out), "/refusedRows/0/detail").find("/to"), std::string::npos)
      << first.out;
  const CommandResult second = cli({"import", folder_ / "outbox.csv", "--json"});
  EXPECT_EQ(number_at(json::parse(second.out), "/imported"), 0);
  EXPECT_EQ(number_at(json::parse(second.out), "/importedBefore"), 1) << second.out;
  EXPECT_EQ(MailApi(*server).list().size(), 1U);
}

TEST_P(TheCommandLine, ends_with_a_code_that_scripts_can_read) {
  const auto server = start_server();
  const Cli cli(server->url());
  const CommandResult missing = cli({"status", "0000000000001"});
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_FALSE(missing.err.empty());
  const CommandResult refused =
      cli({"send", "--from", "not an address", "--to", "a@example.org", "--subject", "x", "--text", "y"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.err.find("from"), std::string::npos) << refused.err;
  const CommandResult usage = cli({"status"});
  EXPECT_EQ(usage.exit_code, 2);
  const CommandResult typo = cli({"lst"});
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_NE(typo.err.find("list"), std::string::npos) << typo.err;
  const Cli nowhere("http://127.0.0.1:1");
  const CommandResult unreachable = nowhere({"list"});
  EXPECT_EQ(unreachable.exit_code, 3);
  EXPECT_NE(unreachable.err.find("http://127.0.0.1:1"), std::string::npos);
}

TEST_P(TheCommandLine, describes_itself) {
  const Cli cli("http://127.0.0.1:1");
  EXPECT_TRUE(cli({"version"}).out.starts_with("eilbote "));
  EXPECT_EQ(text_at(json::parse(cli({"version", "--json"}).out), "/name"), "eilbote");
  EXPECT_NE(cli({"describe", "states"}).out.find("RETRY_PENDING"), std::string::npos);
  EXPECT_NE(cli({"describe", "options"}).out.find("EILBOTE_LEASE_SECONDS"), std::string::npos);
  EXPECT_NE(cli({"describe", "metrics"}).out.find("eilbote_messages_accepted_total"), std::string::npos);
  EXPECT_NE(cli({"describe", "routes"}).out.find("/messages/{id}"), std::string::npos);
  const CommandResult help = cli({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const std::string command :
       {"serve",   "migrate", "send",   "status",       "list",    "retry",  "cancel",
        "dead",    "pools",   "groups", "suppressions", "reports", "config", "describe",
        "version", "doctor",  "queue",  "watch",        "backup",  "import"})
    EXPECT_NE(help.out.find(command), std::string::npos) << command;
}

TEST_P(TheCommandLine, shows_the_options_in_force_with_secrets_masked) {
  const CommandResult config = run_command(
      {program_under_test(), "config", "--json", "--lease-seconds", "7"},
      {{"EILBOTE_STORE_URL", "postgresql://me:verysecret@127.0.0.1:5432/x"}, {"DISPATCH_MAX_ATTEMPTS", "9"}});
  EXPECT_EQ(config.exit_code, 0) << config.err;
  EXPECT_EQ(config.out.find("verysecret"), std::string::npos);
  EXPECT_NO_THROW((void)json::parse(config.out));
  const CommandResult text = run_command({program_under_test(), "config"}, {{"DISPATCH_MAX_ATTEMPTS", "9"}});
  EXPECT_NE(text.out.find("DISPATCH_MAX_ATTEMPTS"), std::string::npos);
  EXPECT_NE(text.out.find("9"), std::string::npos);
  const CommandResult sample = run_command({program_under_test(), "config", "--sample"});
  std::ofstream(folder_ / "sample.toml") << sample.out;
  const CommandResult round =
      run_command({program_under_test(), "config", "--config", folder_ / "sample.toml"});
  EXPECT_EQ(round.exit_code, 0) << round.err;
}

}  // namespace
}  // namespace eilbote::test::the_command_line_speaks_to_a_running_server
