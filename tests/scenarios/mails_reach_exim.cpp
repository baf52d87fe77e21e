// Mails go through a real Exim that wants TLS (GnuTLS this time) and a login, and arrive behind it as they were written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/exim_relay.h"
#include "support/relay_scenario.h"
#include "support/smtp_sink.h"

namespace eilbote::test::mails_reach_exim {
namespace {

using testing::HasSubstr;
using testing::Not;

class MailsToExim : public RelayScenario {
 protected:
  void SetUp() override {
    SKIP_BECAUSE(EximRelay::missing());
    SKIP_BECAUSE(SmtpSink::missing());
    behind_ = std::make_unique<SmtpSink>();
    relay_ = std::make_unique<EximRelay>(identity_, behind_->port());
  }
  void TearDown() override {
    if (HasFailure() && relay_) std::printf("%s", relay_->log().c_str());
  }
  void start(const std::string& password) {
    server_ = start_server(relay_url(relay_->port(), "required", EximRelay::kUser),
                           {{"EILBOTE_SMTP_CA_FILE", ca_file(authority_.certificate())},
                            {"EILBOTE_SMTP_PASSWORD_REF", "env://RELAY_PASSWORD"},
                            {"RELAY_PASSWORD", password}});
    api_.emplace(*server_);
  }

  const TlsIdentity authority_{"authority"}, identity_{"localhost", authority_};
  std::unique_ptr<SmtpSink> behind_;
  std::unique_ptr<EximRelay> relay_;
  std::unique_ptr<EilboteProcess> server_;
  std::optional<MailApi> api_;
};

TEST_F(MailsToExim, arrive_after_starttls_and_a_login) {
  start(EximRelay::kPassword);
  const std::string id = api_->accept(rich_mail());
  ASSERT_TRUE(api_->reaches(id, "SENT")) << api_->message(id);
  const std::string queue_id = text_at(api_->message(id), "/providerMessageId");
  EXPECT_NE(queue_id, "");
  EXPECT_TRUE(relay_->has_passed_on(queue_id));
  ASSERT_EQ(behind_->files().size(), 1U);
  const json::value mail = read_mail(behind_->files()[0]);
  expect_rich_mail(mail, id);
  EXPECT_EQ(mail.at("recipients").as_array().size(), 3U) << mail;
  EXPECT_THAT(relay_->log(), HasSubstr("A=plain:shop"));
  EXPECT_EQ(server_->stop(), 0);
}

TEST_F(MailsToExim, are_refused_for_those_it_does_not_know) {
  start(EximRelay::kPassword);
  const std::string id =
      api_->accept(R"({"from":"shop@example.org","to":["ann@example.org","nobody@example.org"],)"
                   R"("subject":"x","body":{"text":"y"}})");
  ASSERT_TRUE(api_->reaches(id, "SENT")) << api_->message(id);
  const json::value message = api_->message(id);
  EXPECT_EQ(recipients_of(message), "ann taken, nobody refused");
  EXPECT_THAT(text_at(message, "/details/recipients/1/reply"), HasSubstr("550 no such user"));

  const std::string all_refused = api_->accept(mail_json(EximRelay::kUnknown));
  EXPECT_TRUE(api_->reaches(all_refused, "FAILED"));
  EXPECT_EQ(server_->stop(), 0);
}

TEST_F(MailsToExim, wait_when_the_password_is_wrong) {
  start("wrong");
  const std::string id = api_->accept(rich_mail());
  expect_it_waits_for_a_person(*api_, id, "535 Incorrect authentication data");
  EXPECT_TRUE(behind_->files().empty());
  EXPECT_THAT(relay_->log(), Not(HasSubstr("<= ")));  // how Exim notes a mail it took
  EXPECT_EQ(server_->stop(), 0);
}

}  // namespace
}  // namespace eilbote::test::mails_reach_exim
