// Somebody between the server and its relay who cannot show the relay's certificate learns neither mail nor password, with
// the real program: STARTTLS is hidden or refused, words are slipped in before the handshake, another certificate is shown.
#include <gtest/gtest.h>

#include "support/relay_scenario.h"
#include "support/scripted_smtp.h"
#include "support/server_packages.h"

namespace eilbote::test::a_man_in_the_middle_gets_nothing {
namespace {

class AManInTheMiddle : public RelayScenario {
 protected:
  // Tries one mail with a login at this server, whom the certificate of `trusted_` would let pass, and returns its id.
  std::string try_one(ScriptedSmtp& middle, const std::string& tls) {
    server_ = start_server(relay_url(middle.port(), tls, "shop"),
                           {{"EILBOTE_SMTP_CA_FILE", ca_file(trusted_.certificate())},
                            {"EILBOTE_SMTP_PASSWORD_REF", "env://RELAY_PASSWORD"},
                            {"RELAY_PASSWORD", "open sesame"}});
    return MailApi(*server_).accept(rich_mail());
  }
  // In the clear nothing but a greeting and the wish to encrypt; under TLS nothing at all.
  static void expect_it_learnt_nothing(const ScriptedSmtp& middle) {
    EXPECT_GE(middle.connections(), 1);
    for (const std::string& command : middle.commands())
      EXPECT_TRUE(command.starts_with("EHLO ") || command == "STARTTLS" || command == "QUIT") << command;
    EXPECT_TRUE(middle.messages().empty());
  }
  void expect_refused(SmtpScript script, const std::string& tls, const std::string& why) {
    SCOPED_TRACE(why);
    ScriptedSmtp middle(std::move(script));
    const std::string id = try_one(middle, tls);
    expect_it_waits_for_a_person(MailApi(*server_), id, why);
    expect_it_learnt_nothing(middle);
    EXPECT_EQ(server_->stop(), 0);
  }
  static SmtpScript offering(const std::string& what) {
    SmtpScript script;
    script.replies["EHLO"] = {"250-relay.example.org\r\n250-AUTH PLAIN LOGIN\r\n250 " + what};
    return script;
  }

  const TlsIdentity trusted_{"localhost"};
  std::unique_ptr<EilboteProcess> server_;
};

TEST_F(AManInTheMiddle, who_hides_starttls_gets_nothing) {
  expect_refused(offering("PIPELINING"), "required", "does not offer STARTTLS");
}

TEST_F(AManInTheMiddle, who_hides_starttls_gets_no_password_where_tls_was_only_wished_for) {
  expect_refused(offering("PIPELINING"), "opportunistic", "not sent in the clear");
}

TEST_F(AManInTheMiddle, who_refuses_starttls_gets_nothing) {
  SmtpScript script = offering("STARTTLS");
  script.replies["STARTTLS"] = {"502 5.5.1 what?"};
  expect_refused(std::move(script), "required", "STARTTLS: 502");
}

TEST_F(AManInTheMiddle, with_another_certificate_gets_nothing) {
  const TlsIdentity other("localhost");
  SmtpScript script = offering("STARTTLS");
  script.tls = &other;
  expect_refused(std::move(script), "required", "certificate");
}

TEST_F(AManInTheMiddle, with_a_certificate_for_another_name_gets_nothing) {
  const TlsIdentity other("elsewhere.example.org", trusted_);
  SmtpScript script = offering("STARTTLS");
  script.tls = &other;
  expect_refused(std::move(script), "required", "certificate");
}

// Answers that came in the clear must not be read as if they had come under TLS, even when the handshake would work.
TEST_F(AManInTheMiddle, who_slips_words_in_before_the_handshake_gets_nothing) {
  SmtpScript script = offering("STARTTLS");
  script.tls = &trusted_;
  script.replies["STARTTLS"] = {"220 go ahead\r\n250-relay.example.org\r\n250 AUTH PLAIN\r\n235 welcome"};
  ScriptedSmtp middle(std::move(script));
  const std::string id = try_one(middle, "required");
  const MailApi api(*server_);
  ASSERT_TRUE(is_tried(api, id));
  EXPECT_EQ(api.status(id), "RETRY_PENDING") << api.message(id);
  expect_it_learnt_nothing(middle);
  EXPECT_EQ(server_->stop(), 0);
}

// The control: with the trusted certificate and nothing else changed, mail and password go through.
TEST_F(AManInTheMiddle, is_told_apart_from_the_relay_itself) {
  SmtpScript script = offering("STARTTLS");
  script.tls = &trusted_;
  ScriptedSmtp relay(std::move(script));
  const std::string id = try_one(relay, "required");
  EXPECT_TRUE(MailApi(*server_).reaches(id, "SENT"));
  EXPECT_EQ(relay.messages().size(), 1U);
  EXPECT_EQ(server_->stop(), 0);
}

}  // namespace
}  // namespace eilbote::test::a_man_in_the_middle_gets_nothing
