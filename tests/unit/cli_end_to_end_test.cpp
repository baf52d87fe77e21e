// The command line against the real server: what the README shows, with the real binary on both ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>

#include "support/eilbote_process.h"
#include "support/program.h"
#include "support/temp_folder.h"

namespace eilbote::test::cli_end_to_end_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CliEndToEnd : public testing::Test {
 protected:
  // Mails wait until they are asked for, so that each state can be seen.
  void SetUp() override {
    server_ = std::make_unique<EilboteProcess>(
        folder_ / "data", std::map<std::string, std::string>{{"EILBOTE_DISPATCH", "triggered"},
                                                             {"EILBOTE_CAPTURE_FAULTS", "by-address"}});
    server_->start();
  }
  CommandResult eilbote(std::vector<std::string> words) const {
    words.insert(words.begin(), program_under_test());
    return run_command(words, {{"EILBOTE_SERVER", server_->url()}});
  }
  std::string send(const std::string& to) const {
    const auto sent =
        eilbote({"send", "--from", "shop@example.org", "--to", to, "--subject", "Hi", "--text", "Hello"});
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    return sent.out.substr(0, sent.out.find('\n'));
  }
  void dispatch() const { EXPECT_EQ(server_->post("/internal/dispatch/batch", "{}").status, 200); }

  TempFolder folder_;
  std::unique_ptr<EilboteProcess> server_;
};

TEST_F(CliEndToEnd, a_mail_is_sent_followed_and_found) {
  const std::string id = send("ada@example.org");
  EXPECT_THAT(eilbote({"status", id}).out, HasSubstr("QUEUED"));
  dispatch();
  EXPECT_THAT(
      eilbote({"status", id, "--attempts", "--events"}).out,
      AllOf(HasSubstr("SENT"), HasSubstr("capture"), HasSubstr("QUEUED"), HasSubstr("ada@example.org")));
  EXPECT_TRUE(std::filesystem::exists(server_->capture_folder() + "/" + id + ".eml"));
  EXPECT_THAT(eilbote({"list", "--recipient", "ada@example.org"}).out, HasSubstr(id));
  EXPECT_EQ(eilbote({"cancel", id}).exit_code, 1);
  EXPECT_EQ(eilbote({"status", "0000000000000"}).exit_code, 4);
}

TEST_F(CliEndToEnd, a_waiting_mail_is_cancelled) {
  const std::string id = send("ada@example.org");
  EXPECT_EQ(eilbote({"cancel", id}).out, id + " cancelled\n");
  EXPECT_THAT(eilbote({"status", id}).out, HasSubstr("CANCELLED"));
}

TEST_F(CliEndToEnd, a_dead_mail_is_listed_and_sent_again) {
  const std::string id = send("ada+permanent@example.org");
  dispatch();
  EXPECT_THAT(eilbote({"dead"}).out, AllOf(HasSubstr(id), HasSubstr("PermanentFailure")));
  const auto dry = eilbote({"dead", "retry", "--dead-reason", "PermanentFailure", "--dry-run", "--json"});
  EXPECT_EQ(boost::json::parse(dry.out).at_pointer("/matched").to_number<int>(), 1) << dry.out;
  EXPECT_THAT(eilbote({"status", id}).out, HasSubstr("FAILED"));
  EXPECT_EQ(eilbote({"dead", "retry", id}).exit_code, 0);
  EXPECT_THAT(eilbote({"status", id}).out, HasSubstr("QUEUED"));
}

TEST_F(CliEndToEnd, a_bad_mail_is_refused_with_its_faults) {
  const auto refused = eilbote({"send", "--from", "nobody", "--to", "ada@example.org", "--text", "Hello"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("/from"), HasSubstr("/subject")));
}

TEST_F(CliEndToEnd, a_second_server_in_the_same_folder_is_refused) {
  const auto second = run_command(
      {program_under_test(), "serve", "--listen", "127.0.0.1:0", "--data-dir", server_->data_folder()}, {});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("cannot start"));
}

}  // namespace
}  // namespace eilbote::test::cli_end_to_end_test
