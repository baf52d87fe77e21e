// Mails go through aiosmtpd, in the clear and under TLS, and are read again by Python's own decoder as they were written.
#include <gtest/gtest.h>

#include "support/aiosmtpd_relay.h"
#include "support/relay_scenario.h"

namespace eilbote::test::mails_reach_aiosmtpd {
namespace {

class MailsToAiosmtpd : public RelayScenario {
 protected:
  void SetUp() override { SKIP_BECAUSE(AiosmtpdRelay::missing()); }

  // Sends the mail and reads what arrived.
  json::value arrived(const AiosmtpdRelay& relay, const EilboteProcess& server, const std::string& id) {
    const MailApi api(server);
    EXPECT_TRUE(api.reaches(id, "SENT")) << api.message(id);
    EXPECT_EQ(relay.files().size(), 1U);
    return relay.files().empty() ? json::value{} : read_mail(relay.files()[0]);
  }
};

TEST_F(MailsToAiosmtpd, arrive_in_the_clear) {
  const AiosmtpdRelay relay;
  const auto server = start_server(relay_url(relay.port(), "off"));
  const std::string id = MailApi(*server).accept(rich_mail());
  const json::value mail = arrived(relay, *server, id);
  expect_rich_mail(mail, id);
  EXPECT_EQ(json::serialize(mail.at("recipients")),
            R"(["<ann@example.org>","<bob@example.org>","<cid@example.org>"])");
  EXPECT_EQ(text_at(mail, "/tls"), "no");
  EXPECT_EQ(server->stop(), 0);
}

TEST_F(MailsToAiosmtpd, arrive_under_tls) {
  const TlsIdentity authority("authority"), identity("localhost", authority);
  const AiosmtpdRelay relay(&identity);
  const auto server = start_server(relay_url(relay.port(), "required"),
                                   {{"EILBOTE_SMTP_CA_FILE", ca_file(authority.certificate())}});
  const std::string id = MailApi(*server).accept(rich_mail());
  const json::value mail = arrived(relay, *server, id);
  expect_rich_mail(mail, id);
  EXPECT_EQ(text_at(mail, "/tls"), "yes");
  EXPECT_EQ(server->stop(), 0);
}

TEST_F(MailsToAiosmtpd, arrive_at_an_address_beyond_ascii) {
  const AiosmtpdRelay relay;
  const auto server = start_server(relay_url(relay.port(), "off"));
  const std::string id = MailApi(*server).accept(mail_json("jürgen@example.org", "Grüße"));
  const json::value mail = arrived(relay, *server, id);
  EXPECT_EQ(text_at(mail, "/recipients/0"), "<jürgen@example.org>");
  EXPECT_EQ(text_at(mail, "/to"), "jürgen@example.org");
  EXPECT_EQ(text_at(mail, "/subject"), "Grüße");
  EXPECT_NE(text_at(mail, "/sender").find("SMTPUTF8"), std::string::npos) << mail;
  EXPECT_EQ(server->stop(), 0);
}

}  // namespace
}  // namespace eilbote::test::mails_reach_aiosmtpd
