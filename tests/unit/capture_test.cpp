// The capture channel: a file per mail, whole or not at all, a folder that takes none, and faults on demand.
#include "channel/capture.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "channel/capture_faults.h"
#include "domain/tsid.h"
#include "metrics/metrics.h"
#include "support/metric_value.h"
#include "support/temp_folder.h"

namespace eilbote::test::capture_test {
namespace {

MailDelivery mail_to(const std::vector<std::string>& addresses, int attempts = 0) {
  MailDelivery delivery;
  delivery.job.id = JobId{7};
  delivery.job.attempts = attempts;
  delivery.content.mime = "Subject: x\r\n\r\nHello.\r\n";
  for (const std::string& address : addresses)
    delivery.content.recipients.push_back({RecipientKind::to, address, RecipientStatus::waiting, ""});
  delivery.still_mine = [] { return true; };
  return delivery;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Capture : public testing::Test {
 protected:
  void SetUp() override {
    auto made = make_capture_channel({folder_ / "mails", true}, metrics_);
    ASSERT_TRUE(made);
    channel_ = std::move(*made);
  }
  DeliveryResult deliver(MailDelivery delivery) {
    std::promise<DeliveryResult> answer;
    channel_->deliver(std::move(delivery),
                      [&](DeliveryResult result) { answer.set_value(std::move(result)); });
    return answer.get_future().get();
  }
  Result<void> probe() {
    std::promise<Result<void>> answer;
    channel_->probe([&](Result<void> result) { answer.set_value(std::move(result)); });
    return answer.get_future().get();
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "mails"))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }

  TempFolder folder_;
  Metrics metrics_;
  std::unique_ptr<MailChannel> channel_;
};

TEST_F(Capture, a_mail_is_a_file_and_once_more_another) {
  const std::string name = to_text(JobId{7});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(deliver(mail_to({"ada@example.org"})).verdict, Verdict::delivered);
  EXPECT_EQ(files(), (std::vector{name + ".2.eml", name + ".3.eml", name + ".eml"}));
  EXPECT_EQ(content_of(folder_ / "mails/" + name + ".3.eml"), mail_to({}).content.mime);
  EXPECT_EQ(metric_value(metrics_, "eilbote_capture_duplicates_total"), 2);
}

TEST_F(Capture, a_folder_that_takes_no_files_is_a_fault_of_the_route) {
  EXPECT_TRUE(probe());
  EXPECT_TRUE(files().empty()) << "a probe leaves nothing behind";
  std::filesystem::remove_all(folder_ / "mails");
  const DeliveryResult result = deliver(mail_to({"ada@example.org"}));
  EXPECT_EQ(result.verdict, Verdict::route_fault) << "its breaker opens, and no attempt is burnt";
  EXPECT_EQ(result.code, "CAPTURE_WRITE_FAILED");
  ASSERT_FALSE(probe());
  EXPECT_NE(probe().error().message.find("capture folder: "), std::string::npos);
  std::filesystem::create_directory(folder_ / "mails");
  EXPECT_TRUE(probe());
  EXPECT_EQ(deliver(mail_to({"ada@example.org"})).verdict, Verdict::delivered);
}

TEST_F(Capture, what_stalls_is_given_back_at_the_end) {
  std::promise<DeliveryResult> answer;
  auto answered = answer.get_future();
  channel_->deliver(mail_to({"ada+stall@example.org"}),
                    [&](DeliveryResult result) { answer.set_value(std::move(result)); });
  EXPECT_EQ(deliver(mail_to({"bob@example.org"})).verdict, Verdict::delivered) << "the others go on";
  EXPECT_NE(answered.wait_for(std::chrono::seconds{0}), std::future_status::ready);
  channel_->release_waiting();
  EXPECT_EQ(answered.get().verdict, Verdict::released);
}

TEST_F(Capture, a_mail_whose_answer_is_lost_is_written_all_the_same) {
  EXPECT_EQ(deliver(mail_to({"ada+lost@example.org"})).verdict, Verdict::uncertain);
  EXPECT_EQ(files().size(), 1U);
  EXPECT_EQ(deliver(mail_to({"ada+permanent@example.org"})).verdict, Verdict::permanent);
  EXPECT_EQ(files().size(), 1U);
}

TEST(CaptureFaults, the_tag_of_the_first_who_waits_decides) {
  struct Case {
    std::vector<std::string> to;
    int attempts;
    CaptureFault want;
  };
  const Case cases[] = {
      {{"ada@example.org"}, 0, CaptureFault::none},
      {{"ada+transient@example.org"}, 99, CaptureFault::transient},
      {{"ada+transient2@example.org"}, 1, CaptureFault::transient},
      {{"ada+transient2@example.org"}, 2, CaptureFault::none},
      {{"ada+defer3@example.org"}, 2, CaptureFault::defer},
      {{"ada+route@example.org", "bob@example.org"}, 0, CaptureFault::route},
      {{"bob@example.org", "ada+route@example.org"}, 0, CaptureFault::none},
      {{"ada+configuration@example.org"}, 0, CaptureFault::configuration},
      {{"ada+stall@example.org"}, 0, CaptureFault::stall},
      {{"ada+transients@example.org"}, 0, CaptureFault::none},
      {{"ada+transient1234@example.org"}, 0, CaptureFault::none},
      {{"ada@transient+example.org"}, 0, CaptureFault::none},
      {{}, 0, CaptureFault::none},
  };
  for (const Case& c : cases)
    EXPECT_EQ(capture_fault(mail_to(c.to, c.attempts)), c.want) << (c.to.empty() ? "nobody" : c.to[0]);
  MailDelivery partly = mail_to({"ada+route@example.org", "bob+lost@example.org"});
  partly.content.recipients[0].status = RecipientStatus::taken;
  EXPECT_EQ(capture_fault(partly), CaptureFault::lost);
}

TEST(CaptureFaults, some_recipients_may_be_refused_or_wait) {
  const MailDelivery delivery =
      mail_to({"ada@example.org", "bob+refuse@example.org", "eve+later@example.org"});
  const auto results = capture_recipients(delivery, true);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].status, RecipientStatus::taken);
  EXPECT_EQ(results[1].status, RecipientStatus::refused);
  EXPECT_EQ(results[2].status, RecipientStatus::waiting);
  for (const RecipientResult& one : capture_recipients(delivery, false))
    EXPECT_EQ(one.status, RecipientStatus::taken) << "unless it was asked for faults";
}

}  // namespace
}  // namespace eilbote::test::capture_test
