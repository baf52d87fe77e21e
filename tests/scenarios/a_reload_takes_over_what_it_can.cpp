// SIGHUP while the server runs: the file is read again, the log level and the pools of it are in force at once, what needs a restart
// is named, and a file with a fault changes nothing. (Certificates: the_listener_speaks_tls.) Where the terminal is gone it is
// a stop.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/program.h"
#include "support/server_packages.h"
#include "support/test_store.h"

namespace eilbote::test::a_reload_takes_over_what_it_can {
namespace {

using namespace std::chrono_literals;

constexpr const char *kRead = "the configuration was read again",
                     *kUnusable =
                         "the configuration was read again and cannot be used; everything stays as it was",
                     *kRestart =
                         "options were changed that a running server does not take over; restart it for them";

class AReload : public StoreScenario {
 protected:
  void write(const std::string& toml) const { write_text_file(folder_ / "eilbote.toml", toml); }
  // Configured by the file; an empty variable counts as not given.
  void start() {
    server_ = start_server({{"EILBOTE_CONFIG", folder_ / "eilbote.toml"},
                            {"EILBOTE_LOG_LEVEL", ""},
                            {"EILBOTE_CAPTURE_FAULTS", "by-address"}});
  }
  std::vector<json::value> lines(const std::string& event) const {
    std::vector<json::value> found;
    std::istringstream log(read_text_file(server_->log_file()));
    for (std::string line; std::getline(log, line);) {
      boost::system::error_code bad;
      json::value read = json::parse(line, bad);
      if (!bad && text_at(read, "/event") == event) found.push_back(std::move(read));
    }
    return found;
  }
  // Sends the signal; the new line of this event, or null when there is none in time.
  json::value reload(const std::string& event) {
    const std::size_t before = lines(event).size();
    server_->process().signal(SIGHUP);
    if (!eventually([&] { return lines(event).size() > before; })) return nullptr;
    return lines(event).back();
  }
  std::string level() const { return text_at(MailApi(*server_).read("/log-level"), "/level"); }
  std::int64_t concurrency() const {
    return number_at(MailApi(*server_).read("/dispatch-pools/mail"), "/concurrency");
  }

  std::unique_ptr<EilboteProcess> server_;
};
INSTANTIATE_TEST_SUITE_P(Stores, AReload, testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         store_name);

TEST_P(AReload, changes_the_log_level) {
  write("[log]\nlevel = \"warning\"\n");
  start();
  const MailApi api(*server_);
  ASSERT_TRUE(api.reaches(api.accept(mail_json("a@example.org")), "SENT"));
  EXPECT_TRUE(lines("mail sent").empty());
  write("[log]\nlevel = \"debug\"\n");
  EXPECT_EQ(text_at(reload(kRead), "/options"), "EILBOTE_LOG_LEVEL");
  EXPECT_EQ(level(), "debug");
  ASSERT_TRUE(api.reaches(api.accept(mail_json("a@example.org")), "SENT"));
  EXPECT_TRUE(eventually([&] { return lines("mail sent").size() == 1; }));

  // What somebody chose meanwhile ends with the next reload.
  ASSERT_EQ(
      http_request("PUT", server_->url() + "/log-level", R"({"level":"info","forSeconds":600})", {}).status,
      200);
  EXPECT_EQ(level(), "info");
  EXPECT_EQ(text_at(reload(kRead), "/options"), "") << "the file is as it was";
  EXPECT_EQ(level(), "debug");
}

// Mails that never end: as many are under way as the pool may have open.
TEST_P(AReload, changes_the_limits_of_a_pool) {
  write("[pools.mail]\nconcurrency = 1\n");
  start();
  const MailApi api(*server_);
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i)
    ids.push_back(api.accept(mail_json("a" + std::to_string(i) + "+stall@example.org")));
  const auto started = [&] {
    return std::ranges::count_if(
        ids, [&](const auto& id) { return has(api.message(id), "/details/lastAttemptAt"); });
  };
  ASSERT_TRUE(eventually([&] { return started() == 1; }));
  ASSERT_TRUE(throughout([&] { return started() == 1; }, 1s));
  write("[pools.mail]\nconcurrency = 3\n[pools.bulk]\nrate_limit_per_minute = 60\n");
  EXPECT_EQ(text_at(reload(kRead), "/pools"), "bulk, mail");
  EXPECT_EQ(concurrency(), 3);
  EXPECT_EQ(number_at(api.read("/dispatch-pools/bulk"), "/rateLimitPerMinute"), 60);
  EXPECT_TRUE(eventually([&] { return started() == 3; }));

  // People's word counts more than the file's.
  ASSERT_EQ(http_request("PUT", server_->url() + "/dispatch-pools/mail", R"({"concurrency":5})", {}).status,
            200);
  write("[pools.mail]\nconcurrency = 4\n");
  const json::value told =
      reload("a pool was changed in the file but is managed through the API, and stays as it is there");
  EXPECT_EQ(text_at(told, "/pool"), "mail");
  EXPECT_EQ(concurrency(), 5);
}

TEST_P(AReload, of_a_broken_file_changes_nothing_and_says_where_it_is_broken) {
  write("[log]\nlevel = \"info\"\n[pools.mail]\nconcurrency = 7\n");
  start();
  const struct {
    const char* file;
    std::vector<std::string> says;
  } cases[] = {
      {"[pools.mail]\nconcurrency = 9\n[log]\nlevel = \"loud\"\n",
       {"EILBOTE_LOG_LEVEL", "eilbote.toml:4", "debug, info, warning, error"}},
      {"[log]\nlevel = \"debug\"\n[pools.mail]\nconcurrency = 0\n",
       {"pools.mail.concurrency", "eilbote.toml:4"}},
      {"[log]\nlevel = \"debug\"\nlevl = \"x\"\n", {"log.levl", "eilbote.toml:3", "log.level"}},
      {"[log]\nlevel = \"debug\"\n[pools", {"eilbote.toml:3"}},
  };
  for (const auto& c : cases) {
    write(c.file);
    const std::string error = text_at(reload(kUnusable), "/error");
    for (const std::string& word : c.says)
      EXPECT_NE(error.find(word), std::string::npos) << word << ": " << error;
    EXPECT_EQ(level(), "info");
    EXPECT_EQ(concurrency(), 7);
  }
  std::filesystem::remove(folder_ / "eilbote.toml");
  EXPECT_NE(text_at(reload(kUnusable), "/error").find("cannot read the configuration file"),
            std::string::npos);
  EXPECT_TRUE(lines(kRead).empty());
  write("[log]\nlevel = \"debug\"\n");
  EXPECT_EQ(text_at(reload(kRead), "/logLevel"), "debug") << "the way back";
}

TEST_P(AReload, names_what_needs_a_restart) {
  write("[server]\nshutdown_grace = \"9s\"\n");
  start();
  write("[server]\nshutdown_grace = \"8s\"\n[dispatch]\nlease_seconds = 33\n[log]\nlevel = \"debug\"\n");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(text_at(reload(kRestart), "/options"), "EILBOTE_SHUTDOWN_GRACE, EILBOTE_LEASE_SECONDS")
        << "again and again, until it is restarted";
  EXPECT_EQ(text_at(lines(kRead).front(), "/options"), "EILBOTE_LOG_LEVEL");
  EXPECT_EQ(server_->stop(), 0);
  server_->start();
  ASSERT_NE(reload(kRead), nullptr);
  EXPECT_EQ(lines(kRestart).size(), 2U);
}

// A server on a terminal of its own.
class OnTerminal {
 public:
  explicit OnTerminal(const std::string& data_folder) {
    const std::string program = program_under_test(), data = "EILBOTE_DATA_DIR=" + data_folder;
    const char* const arguments[] = {program.c_str(), "serve", "--listen", "127.0.0.1:0", nullptr};
    const char* const environment[] = {data.c_str(), nullptr};
    child_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ == 0) {
      ::execve(arguments[0], const_cast<char* const*>(arguments), const_cast<char* const*>(environment));
      ::_exit(127);
    }
    ::fcntl(terminal_, F_SETFL, O_NONBLOCK);
  }
  ~OnTerminal() {
    hang_up();
    if (!ended()) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
  }
  pid_t child() const { return child_; }
  bool shows(const std::string& text) {
    return eventually([&] {
      char some[4096];
      for (ssize_t n = 0; (n = ::read(terminal_, some, sizeof some)) > 0;)
        seen_.append(some, static_cast<std::size_t>(n));
      return seen_.find(text) != std::string::npos;
    });
  }
  void hang_up() {
    if (terminal_ >= 0) ::close(std::exchange(terminal_, -1));
  }
  bool ended() { return ended_ || (ended_ = ::waitpid(child_, &status_, WNOHANG) == child_); }
  int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }
  const std::string& seen() const { return seen_; }

 private:
  int terminal_ = -1;
  pid_t child_ = -1;
  int status_ = 0;
  bool ended_ = false;
  std::string seen_;
};

TEST(AReloadOnATerminal, becomes_a_stop_when_the_terminal_is_gone) {
  const TempFolder folder;
  OnTerminal server(folder / "data");
  ASSERT_TRUE(server.shows("eilbote ready on")) << server.seen();
  ::kill(server.child(), SIGHUP);
  ASSERT_TRUE(server.shows(kRead)) << server.seen();
  server.hang_up();
  ASSERT_TRUE(eventually([&] { return server.ended(); }));
  EXPECT_EQ(server.exit_code(), 0);
}

}  // namespace
}  // namespace eilbote::test::a_reload_takes_over_what_it_can
