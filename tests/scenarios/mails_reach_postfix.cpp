// Mails go through a real Postfix that wants TLS and a login, and arrive behind it as they were written. What it refuses is
// on record for whom it concerns; where the password or the certificate is wrong, nothing leaves and nothing is burnt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/postfix_relay.h"
#include "support/relay_scenario.h"
#include "support/smtp_sink.h"

namespace eilbote::test::mails_reach_postfix {
namespace {

using testing::HasSubstr;
using testing::Not;

class MailsToPostfix : public RelayScenario {
 protected:
  void SetUp() override {
    SKIP_BECAUSE(PostfixRelay::missing());
    behind_ = std::make_unique<SmtpSink>();
    relay_ = std::make_unique<PostfixRelay>(identity_, behind_->port());
  }
  void TearDown() override {
    if (HasFailure() && relay_) std::printf("%s", relay_->log().c_str());
  }

  // A server with the right certificate and the right password, unless told otherwise.
  void start(std::uint16_t port, const std::string& tls, std::map<std::string, std::string> more = {}) {
    write_text_file(password_file_, PostfixRelay::kPassword);
    more.insert({{"EILBOTE_SMTP_CA_FILE", ca_file(authority_.certificate())},
                 {"EILBOTE_SMTP_PASSWORD_REF", "file://" + password_file_}});
    server_ = start_server(relay_url(port, tls, PostfixRelay::kUser), more);
    api_.emplace(*server_);
  }
  // The mail as it came out behind Postfix.
  json::value behind_postfix(const std::string& id) {
    EXPECT_TRUE(api_->reaches(id, "SENT")) << api_->message(id);
    const std::string queue_id = text_at(api_->message(id), "/providerMessageId");
    EXPECT_NE(queue_id, "");
    EXPECT_TRUE(relay_->has_passed_on(queue_id));
    EXPECT_EQ(behind_->files().size(), 1U);
    return behind_->files().empty() ? json::value{} : read_mail(behind_->files()[0]);
  }
  // Postfix counts the commands of a connection at its end.
  bool comes_into_the_log(const std::string& text) const {
    return eventually([&] { return relay_->log().find(text) != std::string::npos; });
  }
  void expect_too_big(const std::string& said_by) {
    const std::string id = api_->accept(
        json::serialize(json::value{{"from", "shop@example.org"},
                                    {"to", {"ann@example.org"}},
                                    {"subject", "x"},
                                    {"body", {{"text", std::string(2 * PostfixRelay::kBytesMax, 'x')}}}}));
    ASSERT_TRUE(api_->reaches(id, "FAILED")) << api_->message(id);
    const json::value attempt = api_->attempts(id).at(0);
    EXPECT_EQ(number_at(attempt, "/smtpCode"), 552) << attempt;
    EXPECT_EQ(text_at(attempt, "/enhancedCode"), "5.3.4") << attempt;
    EXPECT_THAT(text_at(attempt, "/errorMessage"), HasSubstr(said_by));
    EXPECT_EQ(text_at(api_->message(id), "/details/deadReason"), "PermanentFailure");
    EXPECT_EQ(breaker_state(*api_), "closed");
  }

  const TlsIdentity authority_{"authority"}, identity_{"localhost", authority_};
  const std::string password_file_ = folder_ / "password";
  std::unique_ptr<SmtpSink> behind_;
  std::unique_ptr<PostfixRelay> relay_;
  std::unique_ptr<EilboteProcess> server_;
  std::optional<MailApi> api_;
};

TEST_F(MailsToPostfix, arrive_after_starttls_and_a_login) {
  start(relay_->port(), "required");
  const std::string id = api_->accept(rich_mail());
  const json::value mail = behind_postfix(id);
  expect_rich_mail(mail, id);
  EXPECT_THAT(text_at(mail, "/sender"), HasSubstr("<shop@example.org>"));
  EXPECT_EQ(mail.at("recipients").as_array().size(), 3U) << mail;
  EXPECT_THAT(relay_->log(), HasSubstr("sasl_method=PLAIN, sasl_username=shop"));
  EXPECT_EQ(recipients_of(api_->message(id)), "ann taken, bob taken, cid taken");
  EXPECT_EQ(server_->stop(), 0);
}

TEST_F(MailsToPostfix, arrive_over_tls_from_the_start_with_the_other_login) {
  start(relay_->tls_port(), "implicit");
  const std::string id = api_->accept(rich_mail());
  expect_rich_mail(behind_postfix(id), id);
  EXPECT_THAT(relay_->log(), HasSubstr("sasl_method=LOGIN, sasl_username=shop"));
  EXPECT_EQ(server_->stop(), 0);
}

TEST_F(MailsToPostfix, arrive_once_each_over_connections_that_are_kept) {
  start(relay_->port(), "required", {{"EILBOTE_SMTP_CONNECTIONS_MAX", "2"}});
  std::set<std::string> accepted, arrived;
  for (int i = 0; i < 40; ++i)
    accepted.insert(api_->accept(mail_json("u" + std::to_string(i) + "@example.org")));
  for (const std::string& id : accepted) {
    ASSERT_TRUE(api_->reaches(id, "SENT", std::chrono::seconds{60}));
    EXPECT_TRUE(relay_->has_passed_on(text_at(api_->message(id), "/providerMessageId")));
  }
  const auto files = behind_->files();
  EXPECT_EQ(files.size(), accepted.size());
  for (const std::string& file : files) {
    const std::string message_id = header_of(read_text_file(file), "Message-ID");
    arrived.insert(message_id.substr(1, message_id.find('@') - 1));
  }
  EXPECT_EQ(arrived, accepted);
  EXPECT_LE(api_->metric("eilbote_smtp_connects_total", R"(outcome="open")"), 2);
  EXPECT_EQ(server_->stop(), 0);
}

TEST_F(MailsToPostfix, are_refused_for_those_it_does_not_know) {
  start(relay_->port(), "required");
  const std::string id = api_->accept(
      R"({"from":"shop@example.org","to":["ann@example.org","nobody@example.org","bob@example.org"],)"
      R"("subject":"x","body":{"text":"y"}})");
  EXPECT_EQ(behind_postfix(id).at("recipients").as_array().size(), 2U);
  const json::value message = api_->message(id);
  EXPECT_EQ(recipients_of(message), "ann taken, nobody refused, bob taken");
  EXPECT_THAT(text_at(message, "/details/recipients/1/reply"), HasSubstr("550 5.1.1"));

  const std::string all_refused = api_->accept(mail_json(PostfixRelay::kUnknown));
  EXPECT_TRUE(api_->reaches(all_refused, "FAILED"));
  EXPECT_EQ(recipients_of(api_->message(all_refused)), "nobody refused");
  EXPECT_EQ(breaker_state(*api_), "closed");
  EXPECT_EQ(server_->stop(), 0);
}

TEST_F(MailsToPostfix, fail_when_they_are_larger_than_it_says_it_takes) {
  start(relay_->port(), "required");
  expect_too_big("the relay takes 60000");
  EXPECT_EQ(server_->stop(), 0);
}

TEST_F(MailsToPostfix, fail_when_they_are_larger_than_it_takes_without_saying_so) {
  start(relay_->silent_size_port(), "required");
  expect_too_big("file too big");
  EXPECT_EQ(server_->stop(), 0);
}

TEST_F(MailsToPostfix, wait_for_the_right_password_and_leave_with_it) {
  start(relay_->port(), "required", {{"EILBOTE_BREAKER_PROBE", "100ms"}});
  write_text_file(password_file_, "wrong");
  const std::string id = api_->accept(rich_mail());
  expect_it_waits_for_a_person(*api_, id, "535 5.7.8");
  EXPECT_TRUE(behind_->files().empty());
  EXPECT_THAT(relay_->log(),
              Not(HasSubstr("mail=")));  // of the commands it counted at the end of a connection
  // The first that met it is tried again after a while; those behind it as soon as a probe gets in.
  const std::string next = api_->accept(rich_mail());
  write_text_file(password_file_, PostfixRelay::kPassword);
  expect_rich_mail(behind_postfix(next), next);
  EXPECT_EQ(breaker_state(*api_), "closed");
  EXPECT_EQ(server_->stop(), 0);
}

TEST_F(MailsToPostfix, wait_when_its_certificate_is_not_trusted) {
  const TlsIdentity another("authority");
  write_text_file(folder_ / "another.pem", another.certificate());
  start(relay_->port(), "required", {{"EILBOTE_SMTP_CA_FILE", folder_ / "another.pem"}});
  const std::string id = api_->accept(rich_mail());
  expect_it_waits_for_a_person(*api_, id, "certificate");
  EXPECT_TRUE(behind_->files().empty());
  EXPECT_TRUE(comes_into_the_log("starttls=0/1"));
  EXPECT_THAT(relay_->log(), Not(HasSubstr("auth=")));
  EXPECT_EQ(server_->stop(), 0);
}

}  // namespace
}  // namespace eilbote::test::mails_reach_postfix
