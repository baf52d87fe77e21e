// One mail on one connection, told as the dialogue a server would see.
#include "domain/smtp_transaction.h"

#include <gtest/gtest.h>

#include "support/smtp_reply_of.h"

namespace eilbote::smtp_transaction_test {
namespace {

using test::reply_of;

using namespace std::chrono_literals;
using Step = SmtpTransaction::Step;

SmtpCapabilities pipelining() {
  SmtpCapabilities can;
  can.pipelining = can.has_size = true;
  return can;
}

SmtpEnvelope envelope(int recipients) {
  SmtpEnvelope made;
  made.sender = "shop@example.org";
  made.bytes = 1000;
  for (int i = 0; i < recipients; ++i)
    made.recipients.push_back({i, "r" + std::to_string(i) + "@example.org"});
  return made;
}

// Plays the server's side; `log` is what the client wrote, one letter per step: commands, B for the body, . for a lone
// dot.
struct Talk {
  explicit Talk(SmtpTransaction transaction) : client(std::move(transaction)) {}

  Talk& hear(const std::vector<std::string>& replies) {
    for (const std::string& reply : replies) {
      speak();
      EXPECT_EQ(client.step(), Step::read) << "nobody waits for: " << reply << "\n" << log;
      if (client.step() != Step::read) return *this;
      client.on_reply(reply_of(reply));
    }
    speak();
    return *this;
  }
  void speak() {
    if (client.step() == Step::send) log += client.take_commands();
    if (client.step() == Step::body || client.step() == Step::lone_dot) {
      log += client.step() == Step::body ? "(message)\r\n" : ".\r\n";
      client.dot_written();
    }
  }
  // "delivered 0:taken 1:refused"
  std::string outcome() const {
    EXPECT_EQ(client.step(), Step::done) << log;
    if (client.step() != Step::done) return "not done";
    const DeliveryResult result = client.result();
    std::string text(kVerdictNames.text(result.verdict));
    for (const RecipientResult& one : result.recipients)
      text += " " + std::to_string(one.index) + ":" + std::string(kRecipientStatusNames.text(one.status));
    return text;
  }

  SmtpTransaction client;
  std::string log;
};

TEST(SmtpTransaction, PipelinesUpToDataAndNothingAfterTheDot) {
  Talk talk{SmtpTransaction(envelope(2), pipelining())};
  talk.hear({"250 ok", "250 ok", "250 ok", "354 go", "250 2.0.0 Ok: queued as 4Xyz"});
  EXPECT_EQ(talk.log,
            "MAIL FROM:<shop@example.org> SIZE=1000\r\nRCPT TO:<r0@example.org>\r\nRCPT "
            "TO:<r1@example.org>\r\nDATA\r\n"
            "(message)\r\n");
  EXPECT_EQ(talk.outcome(), "delivered 0:taken 1:taken");
  EXPECT_EQ(talk.client.result().provider_message_id, "4Xyz");
  EXPECT_EQ(talk.client.result().attempt_status, AttemptStatus::SUCCESS);
  EXPECT_TRUE(talk.client.is_reusable());
}

TEST(SmtpTransaction, KeepsTheNameTheServerGaveTheMail) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"250 2.0.0 Ok: queued as 4Xyz", "4Xyz"},
      {"250 2.0.0 Ok: queued as 4Xyz; thanks", "4Xyz"},
      {"250 OK id=1xSp20-00000A-1B", "1xSp20-00000A-1B"},
      {"250 2.6.0 <a@b> [InternalId=12, Hostname=c] Queued mail for delivery", ""},
      {"250 ok", ""},
  };
  for (const auto& [reply, name] : cases) {
    Talk talk{SmtpTransaction(envelope(1), pipelining())};
    talk.hear({"250 ok", "250 ok", "354 go", reply});
    EXPECT_EQ(talk.client.result().provider_message_id, name) << reply;
  }
}

TEST(SmtpTransaction, SpeaksStepByStepWithAServerThatDoesNotPipeline) {
  Talk talk{SmtpTransaction(envelope(2), {})};
  talk.speak();
  std::vector<std::string> said{std::exchange(talk.log, {})};
  for (const std::string reply : {"250 ok", "250 ok", "250 ok", "354 go"}) {
    talk.hear({reply});
    said.push_back(std::exchange(talk.log, {}));
  }
  EXPECT_EQ(said,
            (std::vector<std::string>{"MAIL FROM:<shop@example.org>\r\n", "RCPT TO:<r0@example.org>\r\n",
                                      "RCPT TO:<r1@example.org>\r\n", "DATA\r\n", "(message)\r\n"}));
  talk.hear({"250 queued"});
  EXPECT_EQ(talk.outcome(), "delivered 0:taken 1:taken");
}

TEST(SmtpTransaction, DoesNotSendDataWhenNobodyIsLeft) {
  Talk talk{SmtpTransaction(envelope(1), {})};
  talk.hear({"250 ok", "550 5.1.1 unknown"});
  EXPECT_EQ(talk.log.find("DATA"), std::string::npos);
  EXPECT_EQ(talk.outcome(), "permanent 0:refused");
  EXPECT_EQ(talk.client.result().smtp_code, 550);
  EXPECT_EQ(talk.client.result().enhanced_code, "5.1.1");
  EXPECT_TRUE(talk.client.is_reusable());
}

TEST(SmtpTransaction, EveryRecipientKeepsItsOwnAnswer) {
  Talk talk{SmtpTransaction(envelope(3), pipelining())};
  talk.hear({"250 ok", "250 ok", "450 4.2.1 busy", "550 5.1.1 unknown", "354 go", "250 queued"});
  EXPECT_EQ(talk.outcome(), "delivered 0:taken 1:waiting 2:refused");
  EXPECT_EQ(talk.client.result().recipients[1].reply, "450 4.2.1 busy");
  EXPECT_EQ(talk.client.result().text, "450 4.2.1 busy");
}

TEST(SmtpTransaction, SendsALoneDotWhenTheServerWaitsForAMessageNobodyGets) {
  Talk talk{SmtpTransaction(envelope(2), pipelining())};
  talk.hear({"250 ok", "550 5.1.1 no", "450 4.7.1 greylisted", "354 go", "554 no valid recipients"});
  EXPECT_TRUE(talk.log.ends_with("DATA\r\n.\r\n")) << talk.log;
  EXPECT_EQ(talk.outcome(), "transient 0:refused 1:waiting");
  EXPECT_EQ(talk.client.result().retry_after, Duration(5min));
  EXPECT_TRUE(talk.client.is_reusable());
}

TEST(SmtpTransaction, ARefusedSenderFailsTheMessageAndTheRestIsOnlyRead) {
  Talk talk{SmtpTransaction(envelope(2), pipelining())};
  talk.hear({"550 5.7.60 SendAsDenied", "503 no MAIL", "503 no MAIL", "503 no MAIL"});
  EXPECT_EQ(talk.outcome(), "permanent 0:refused 1:refused");
  EXPECT_EQ(talk.client.result().text, "550 5.7.60 SendAsDenied");
  EXPECT_TRUE(talk.client.result().alarm);
  EXPECT_TRUE(talk.client.is_reusable()) << "503 was to be expected";
}

TEST(SmtpTransaction, ARefusalAtTheEndIsForThoseWhoWereAccepted) {
  Talk talk{SmtpTransaction(envelope(2), pipelining())};
  talk.hear({"250 ok", "250 ok", "550 5.1.1 unknown", "354 go", "554 5.7.1 spam"});
  EXPECT_EQ(talk.outcome(), "permanent 0:refused 1:refused");
  EXPECT_EQ(talk.client.result().recipients[0].reply, "554 5.7.1 spam");
  EXPECT_EQ(talk.client.result().recipients[1].reply, "550 5.1.1 unknown");

  Talk later{SmtpTransaction(envelope(2), pipelining())};
  later.hear({"250 ok", "250 ok", "550 5.1.1 unknown", "354 go", "451 4.3.0 disk"});
  EXPECT_EQ(later.outcome(), "transient 0:waiting 1:refused");
}

TEST(SmtpTransaction, ARefusedDataIsForThoseWhoWereAccepted) {
  Talk talk{SmtpTransaction(envelope(2), pipelining())};
  talk.hear({"250 ok", "250 ok", "550 5.1.1 unknown", "554 5.7.1 not you"});
  EXPECT_EQ(talk.log.find("(message)"), std::string::npos) << talk.log;
  EXPECT_EQ(talk.outcome(), "permanent 0:refused 1:refused");
  EXPECT_EQ(talk.client.result().recipients[0].reply, "554 5.7.1 not you");

  Talk later{SmtpTransaction(envelope(2), pipelining())};
  later.hear({"250 ok", "250 ok", "550 5.1.1 unknown", "451 4.3.0 disk"});
  EXPECT_EQ(later.outcome(), "transient 0:waiting 1:refused");
}

TEST(SmtpTransaction, ARefusalInTheMiddleOfTheMessageIsForThoseWhoWereAccepted) {
  Talk talk{SmtpTransaction(envelope(3), pipelining())};
  talk.hear({"250 ok", "250 ok", "450 4.2.1 busy", "550 5.1.1 unknown"});
  talk.client.on_reply(reply_of("354 go"));
  ASSERT_EQ(talk.client.step(), Step::body);
  talk.client.on_refused_midway(reply_of("552 5.3.4 too large"));
  EXPECT_EQ(talk.outcome(), "permanent 0:refused 1:waiting 2:refused");
  EXPECT_EQ(talk.client.result().recipients[0].reply, "552 5.3.4 too large");
  EXPECT_FALSE(talk.client.is_reusable()) << "it stands in the middle of a message";
}

TEST(SmtpTransaction, DropsParametersOnce) {
  Talk talk{SmtpTransaction(envelope(1), pipelining())};
  talk.hear({"555 unknown parameter", "503 no", "503 no"});
  EXPECT_TRUE(talk.log.ends_with("MAIL FROM:<shop@example.org>\r\nRCPT TO:<r0@example.org>\r\nDATA\r\n"))
      << talk.log;
  talk.hear({"250 ok", "250 ok", "354 go", "250 queued"});
  EXPECT_EQ(talk.outcome(), "delivered 0:taken");

  Talk stubborn{SmtpTransaction(envelope(1), pipelining())};
  stubborn.hear({"555 no", "503 no", "503 no", "555 still no", "503 no", "503 no"});
  EXPECT_EQ(stubborn.outcome(), "permanent 0:refused");
}

TEST(SmtpTransaction, SplitsWhenThereAreTooManyRecipients) {
  Talk talk{SmtpTransaction(envelope(3), pipelining())};
  talk.hear({"250 ok", "250 ok", "452 4.5.3 too many", "452 4.5.3 too many", "354 go", "250 queued as A"});
  EXPECT_TRUE(
      talk.log.ends_with("(message)\r\nMAIL FROM:<shop@example.org> SIZE=1000\r\nRCPT TO:<r1@example.org>\r\n"
                         "RCPT TO:<r2@example.org>\r\nDATA\r\n"))
      << talk.log;
  talk.hear({"250 ok", "250 ok", "250 ok", "354 go", "250 queued as B"});
  EXPECT_EQ(talk.outcome(), "delivered 0:taken 1:taken 2:taken");
}

TEST(SmtpTransaction, ResetsBeforeTheRestWhenNoDotEndedTheTransaction) {
  Talk talk{SmtpTransaction(envelope(2), {})};
  talk.hear({"250 ok", "550 5.1.1 no", "452 too many"});
  EXPECT_TRUE(talk.log.ends_with("RSET\r\n")) << talk.log;
  talk.hear({"250 ok", "250 ok", "452 too many"});
  EXPECT_EQ(talk.outcome(), "transient 0:refused 1:waiting")
      << "as the first of its transaction it just waits";
}

TEST(SmtpTransaction, NamesAHundredRecipientsAtATime) {
  Talk talk{SmtpTransaction(envelope(150), pipelining())};
  talk.hear({"250 ok"});
  EXPECT_EQ(talk.log.find("r100@"), std::string::npos);
  talk.hear(std::vector<std::string>(100, "250 ok"));
  EXPECT_NE(talk.log.find("r149@example.org>\r\nDATA\r\n"), std::string::npos);
  talk.hear(std::vector<std::string>(50, "250 ok"));
  talk.hear({"354 go", "250 queued"});
  EXPECT_EQ(talk.client.result().recipients.size(), 150u);
}

TEST(SmtpTransaction, A421EndsItAndAnswersAlreadyGivenStand) {
  Talk talk{SmtpTransaction(envelope(3), pipelining())};
  talk.hear({"250 ok", "550 5.1.1 unknown", "421 4.3.2 shutting down"});
  EXPECT_EQ(talk.outcome(), "route_fault 0:refused 1:waiting 2:waiting");
  EXPECT_FALSE(talk.client.is_reusable());
}

TEST(SmtpTransaction, LostBeforeTheDotIsARouteFaultAndAfterItNobodyKnows) {
  Talk before{SmtpTransaction(envelope(2), pipelining())};
  before.hear({"250 ok", "550 5.1.1 unknown"});
  before.client.on_lost("reset by peer", AttemptStatus::CONNECTION_ERROR);
  EXPECT_EQ(before.outcome(), "route_fault 0:refused");
  EXPECT_FALSE(before.client.is_reusable());

  Talk after{SmtpTransaction(envelope(2), pipelining())};
  after.hear({"250 ok", "550 5.1.1 unknown", "250 ok", "354 go"});
  after.client.on_lost("timeout", AttemptStatus::TIMEOUT);
  EXPECT_EQ(after.outcome(), "uncertain 0:refused");
  EXPECT_EQ(after.client.result().attempt_status, AttemptStatus::TIMEOUT);

  Talk lone{SmtpTransaction(envelope(1), pipelining())};
  lone.hear({"250 ok", "450 later", "354 go"});
  lone.client.on_lost("timeout", AttemptStatus::TIMEOUT);
  EXPECT_EQ(lone.outcome(), "route_fault 0:waiting") << "a lone dot carries no mail";
}

TEST(SmtpTransaction, ALostSecondTransactionKeepsTheFirst) {
  Talk talk{SmtpTransaction(envelope(2), pipelining())};
  talk.hear({"250 ok", "250 ok", "452 too many", "354 go", "250 queued"});
  talk.client.on_lost("reset", AttemptStatus::CONNECTION_ERROR);
  EXPECT_EQ(talk.outcome(), "delivered 0:taken");
}

TEST(SmtpTransaction, RefusesHereWhatTheServerWouldNotTake) {
  SmtpCapabilities can = pipelining();
  can.size_max = 999;
  EXPECT_EQ(Talk{SmtpTransaction(envelope(1), can)}.outcome(), "permanent 0:refused");

  SmtpEnvelope umlaut = envelope(1);
  umlaut.needs_utf8 = true;
  const Talk without{SmtpTransaction(umlaut, pipelining())};
  EXPECT_EQ(without.outcome(), "permanent 0:refused");
  EXPECT_EQ(without.client.result().enhanced_code, "5.6.7");
  can = pipelining();
  can.utf8 = true;
  Talk with{SmtpTransaction(umlaut, can)};
  with.speak();
  EXPECT_TRUE(with.log.starts_with("MAIL FROM:<shop@example.org> SIZE=1000 SMTPUTF8\r\n"));
}

TEST(SmtpTransaction, NoAddressCanAddACommand) {
  SmtpEnvelope evil = envelope(2);
  evil.recipients[0].address = "a@example.org>\r\nRCPT TO:<b@example.org";
  Talk talk{SmtpTransaction(evil, pipelining())};
  talk.hear({"250 ok", "250 ok", "354 go", "250 queued"});
  EXPECT_EQ(talk.log.find("b@"), std::string::npos);
  EXPECT_EQ(talk.outcome(), "delivered 0:refused 1:taken");
  evil.sender = "a@b>\r\nDATA";
  EXPECT_EQ(Talk{SmtpTransaction(evil, pipelining())}.outcome(), "permanent 0:refused 1:refused");
}

TEST(SmtpTransaction, UnauthenticatedIsTheRoutesConfiguration) {
  Talk talk{SmtpTransaction(envelope(1), pipelining())};
  talk.hear({"530 5.7.0 authentication required"});
  EXPECT_EQ(talk.outcome(), "configuration 0:waiting");
  EXPECT_FALSE(talk.client.is_reusable());
}

TEST(SmtpCapabilities, AreReadFromEhlo) {
  const SmtpCapabilities can = read_capabilities(
      reply_of("250-relay.example.org PIPELINING is my name\r\n250-size 1000\r\n250-AUTH PLAIN login\r\n"
               "250-AUTH=XOAUTH2\r\n250-STARTTLS\r\n250 8bitmime"));
  EXPECT_FALSE(can.pipelining) << "the first line is the server's name";
  EXPECT_TRUE(can.has_size && can.starttls && can.eight_bit);
  EXPECT_EQ(can.size_max, 1000u);
  EXPECT_EQ(can.auth_mechanisms, (std::set<std::string>{"LOGIN", "PLAIN", "XOAUTH2"}));
}

}  // namespace
}  // namespace eilbote::smtp_transaction_test
