// A relay over several mails and rounds: connections that are kept and lost, recipients that are asked again, answers that
// never come, certificates, logins whose secret changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "domain/public_state.h"
#include "support/eventually.h"
#include "support/scripted_smtp.h"
#include "support/smtp_world.h"

namespace eilbote::test::smtp_routes_test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

int times(const std::vector<std::string>& commands, const std::string& start) {
  return static_cast<int>(std::count_if(commands.begin(), commands.end(),
                                        [&](const std::string& line) { return line.starts_with(start); }));
}
const char* const kOffersLogin = "250-relay.example.org\r\n250-PIPELINING\r\n250 AUTH PLAIN XOAUTH2";

// ---- recipients ----

TEST(SmtpRoutes, OnlyThoseWhoWaitAreAskedInTheSecondRound) {
  const ScriptedSmtp relay(SmtpScript{{{"RCPT", {"250 ok", "450 4.2.1 busy", "550 5.1.1 no", "250 ok"}}}});
  SmtpWorld world(relay.port(), in_the_clear());
  const JobId id = world.accept({"ann@example.org", "bob@example.org", "eve@example.org"});
  ASSERT_TRUE(world.settles(id, 1));
  EXPECT_EQ(state_of(world, id), "RETRY_PENDING");
  world.advance(61s);
  ASSERT_TRUE(world.settles(id, 2));
  EXPECT_EQ(state_of(world, id), "SENT");
  const auto recipients = world.record(id).recipients;
  EXPECT_EQ(recipients[0].status, RecipientStatus::taken);
  EXPECT_EQ(recipients[1].status, RecipientStatus::taken);
  EXPECT_EQ(recipients[2].status, RecipientStatus::refused);
  EXPECT_THAT(recipients[2].reply, HasSubstr("550 5.1.1 no"));
  EXPECT_EQ(times(relay.commands(), "RCPT TO:<bob@example.org>"), 2);
  EXPECT_EQ(times(relay.commands(), "RCPT"), 4);
}

TEST(SmtpRoutes, AddressesGoOutAsTheWireWantsThem) {
  const ScriptedSmtp relay(SmtpScript{{{"EHLO", {"250-relay\r\n250-PIPELINING\r\n250 SMTPUTF8"}}}});
  SmtpWorld world(relay.port(), in_the_clear());
  ASSERT_TRUE(world.settles(world.accept({"info@müller.de"}), 1));
  ASSERT_TRUE(world.settles(world.accept({"jürgen@müller.de"}), 1));
  EXPECT_THAT(relay.commands(), Contains("RCPT TO:<info@xn--mller-kva.de>"));
  EXPECT_EQ(times(relay.commands(), "MAIL FROM:<shop@example.org> SMTPUTF8"), 1);
}

// ---- the answer that never comes ----

TEST(SmtpRoutes, ADoubtfulMailIsSentAgainAfterTenMinutesWithTheSameMessageId) {
  const ScriptedSmtp relay(SmtpScript{{{"DOT", {"close", "250 ok"}}}});
  SmtpWorld world(relay.port(), in_the_clear());
  const JobId id = world.accept({"ann@example.org"});
  ASSERT_TRUE(world.settles(id, 1));
  EXPECT_FALSE(world.breaker_is_open()) << "what happened to one mail says nothing about the route";
  world.advance(9min);
  const JobId other = world.accept({"bob@example.org"});
  ASSERT_TRUE(world.settles(other, 1));
  EXPECT_EQ(world.record(id).job.attempts, 1);
  world.advance(61s);
  ASSERT_TRUE(world.settles(id, 2));
  EXPECT_EQ(state_of(world, id), "SENT");
  const auto messages = relay.messages();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0], messages[2]);
}

TEST(SmtpRoutes, ADoubtfulMailThatIsToBeHeldIsLeftToAPerson) {
  const ScriptedSmtp relay(SmtpScript{{{"DOT", {"close"}}}});
  SmtpWorld world(relay.port(), in_the_clear());
  const JobId id = world.accept({"ann@example.org"}, OnUncertain::hold);
  ASSERT_TRUE(world.settles(id, 1));
  const JobRecord record = world.record(id);
  EXPECT_EQ(public_state_text(record.job), "FAILED");
  EXPECT_EQ(record.job.dead_reason, DeadReason::Uncertain);
  EXPECT_EQ(record.recipients[0].status, RecipientStatus::waiting);
}

// ---- connections ----

TEST(SmtpRoutes, AConnectionCarriesManyMails) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld world(relay.port(), in_the_clear());
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(world.settles(world.accept({"ann@example.org"}), 1));
  EXPECT_EQ(relay.connections(), 1);
  EXPECT_EQ(relay.messages().size(), 5u);
}

TEST(SmtpRoutes, AConnectionEndsAfterAsManyMailsAsItMayCarry) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld::Options options = in_the_clear();
  options.smtp.mails_per_connection_max = 2;
  SmtpWorld world(relay.port(), options);
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(world.settles(world.accept({"ann@example.org"}), 1));
  EXPECT_EQ(relay.connections(), 3);
  EXPECT_TRUE(eventually([&] { return times(relay.commands(), "QUIT") == 2; }));
}

TEST(SmtpRoutes, AnUnusedConnectionIsClosed) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld::Options options = in_the_clear();
  options.smtp.timeouts.idle = 50ms;
  SmtpWorld world(relay.port(), options);
  ASSERT_TRUE(world.settles(world.accept({"ann@example.org"}), 1));
  EXPECT_TRUE(eventually([&] { return times(relay.commands(), "QUIT") == 1; }));
  EXPECT_TRUE(eventually([&] { return world.metric(R"(eilbote_smtp_connections{route="smtp"})") == 0; }));
}

// After a mail that was refused the relay is told to forget it; a relay that does not understand is left (row 41).
TEST(SmtpRoutes, ATransactionThatWasLeftOpenIsReset) {
  const ScriptedSmtp relay(SmtpScript{{{"RCPT", {"550 5.1.1 no", "250 ok"}}}});
  SmtpWorld world(relay.port(), in_the_clear());
  ASSERT_TRUE(world.settles(world.accept({"ann@example.org"}), 1));
  const JobId second = world.accept({"bob@example.org"});
  ASSERT_TRUE(world.settles(second, 1));
  EXPECT_EQ(state_of(world, second), "SENT");
  EXPECT_EQ(times(relay.commands(), "RSET"), 1);
  EXPECT_EQ(relay.connections(), 1);
}

TEST(SmtpRoutes, ARelayThatDoesNotResetIsLeft) {
  const ScriptedSmtp relay(SmtpScript{{{"RCPT", {"550 5.1.1 no", "250 ok"}}, {"RSET", {"502 what?"}}}});
  SmtpWorld world(relay.port(), in_the_clear());
  ASSERT_TRUE(world.settles(world.accept({"ann@example.org"}), 1));
  const JobId second = world.accept({"bob@example.org"});
  ASSERT_TRUE(world.settles(second, 1));
  EXPECT_EQ(state_of(world, second), "SENT");
  EXPECT_EQ(relay.connections(), 2);
}

TEST(SmtpRoutes, AConnectionThatEndsBetweenTwoMailsIsNoFault) {
  for (const std::string how : {"421 4.4.2 too many mails in this session", "close"}) {
    const ScriptedSmtp relay(SmtpScript{{{"MAIL", {"250 ok", how, "250 ok"}}}});
    SmtpWorld world(relay.port(), in_the_clear());
    ASSERT_TRUE(world.settles(world.accept({"ann@example.org"}), 1));
    const JobId second = world.accept({"bob@example.org"});
    ASSERT_TRUE(world.settles(second, 1));
    EXPECT_EQ(state_of(world, second), "SENT") << how;
    EXPECT_EQ(world.record(second).job.retry_count, 0);
    EXPECT_TRUE(world.waits().empty());
    EXPECT_EQ(relay.connections(), 2);
  }
}

TEST(SmtpRoutes, TheConnectionsAreNoMoreThanAllowed) {
  SmtpScript slow;
  slow.before_dot_reply = 20ms;
  const ScriptedSmtp relay(slow);
  SmtpWorld::Options options = in_the_clear();
  options.smtp.connections_max = 3;
  SmtpWorld world(relay.port(), options);
  world.accept_many(30);
  ASSERT_TRUE(eventually([&] { return relay.messages().size() == 30; }));
  EXPECT_EQ(relay.connections(), 3);
}

TEST(SmtpRoutes, NoMoreMailsASecondThanAllowed) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld::Options options = in_the_clear();
  options.smtp.mails_per_second_max = 50;
  SmtpWorld world(relay.port(), options);
  const auto began = std::chrono::steady_clock::now();
  world.accept_many(20);
  ASSERT_TRUE(eventually([&] { return relay.messages().size() == 20; }));
  EXPECT_GE(std::chrono::steady_clock::now() - began, 19 * 20ms);
}

TEST(SmtpRoutes, ARelayThatAsksForLessGetsFewerConnections) {
  SmtpScript busy{{{"MAIL", {"450 4.7.1 sending rate exceeded"}}}};
  const ScriptedSmtp relay(busy);
  SmtpWorld::Options options = in_the_clear();
  options.smtp.connections_max = 8;
  SmtpWorld world(relay.port(), options);
  world.accept_many(40);
  ASSERT_TRUE(eventually([&] { return world.count(MailState::RETRY_PENDING) == 40; }));
  EXPECT_FALSE(world.breaker_is_open());
  EXPECT_TRUE(eventually([&] { return world.metric(R"(eilbote_smtp_connections{route="smtp"})") <= 1; }));
}

// ---- TLS ----

class SmtpTlsRoutes : public testing::Test {
 protected:
  SmtpTlsRoutes() {
    std::ofstream(folder_ / "ca.pem") << identity_.certificate();
    std::ofstream(folder_ / "other.pem") << TlsIdentity("relay.example.org").certificate();
    script_.tls = &identity_;
    script_.replies["EHLO"] = {"250-relay.example.org\r\n250-PIPELINING\r\n250 STARTTLS",
                               "250-relay.example.org\r\n250 PIPELINING"};
    options_.smtp.target.tls = SmtpTls::required;
    options_.smtp.ca_file = folder_ / "ca.pem";
  }
  // The state of a mail sent so, and what its record says.
  std::pair<std::string, std::string> sent() {
    const ScriptedSmtp relay(script_);
    SmtpWorld world(relay.port(), options_);
    const JobId id = world.accept({"ann@example.org"});
    if (!world.settles(id, 1)) return {"never", ""};
    commands_ = relay.commands();
    return {state_of(world, id), world.record(id).job.last_error};
  }

  TempFolder folder_;
  TlsIdentity identity_{"relay.example.org"};
  SmtpScript script_;
  SmtpWorld::Options options_;
  std::vector<std::string> commands_;
};

TEST_F(SmtpTlsRoutes, AMailLeavesEncrypted) {
  EXPECT_EQ(sent().first, "SENT");
}
TEST_F(SmtpTlsRoutes, OrFromTheFirstByte) {
  script_.tls_from_the_start = true;
  script_.replies.erase("EHLO");
  options_.smtp.target.tls = SmtpTls::implicit;
  EXPECT_EQ(sent().first, "SENT");
}

// Row 13.
TEST_F(SmtpTlsRoutes, ACertificateOfAnotherIsAMatterOfConfiguration) {
  options_.smtp.ca_file = folder_ / "other.pem";
  const auto [state, error] = sent();
  EXPECT_EQ(state, "RETRY_PENDING");
  EXPECT_THAT(error, HasSubstr("certificate"));
  EXPECT_THAT(commands_, Each(Not(StartsWith("MAIL"))));
}

TEST_F(SmtpTlsRoutes, OpportunisticAsksForNoCertificate) {
  options_.smtp.ca_file = folder_ / "other.pem";
  options_.smtp.target.tls = SmtpTls::opportunistic;
  EXPECT_EQ(sent().first, "SENT");
}

// Row 12: once in the clear, and the next connection remembers.
TEST_F(SmtpTlsRoutes, WhereTlsIsBrokenOpportunisticGoesInTheClear) {
  script_.replies["STARTTLS"] = {"220 go ahead\r\nand some garbage"};
  options_.smtp.target.tls = SmtpTls::opportunistic;
  options_.smtp.connect_retries.clear();
  script_.replies["EHLO"] = {"250-relay.example.org\r\n250-PIPELINING\r\n250 STARTTLS"};
  const auto [state, error] = sent();
  EXPECT_EQ(state, "SENT") << error;
  EXPECT_EQ(times(commands_, "STARTTLS"), 1);
}

TEST_F(SmtpTlsRoutes, AndWhereTheRelayCannotStartIt) {
  for (const std::string reply : {"454 4.7.0 TLS not available", "502 what?"}) {
    script_.replies["STARTTLS"] = {reply};
    script_.replies["EHLO"] = {"250-relay.example.org\r\n250-PIPELINING\r\n250 STARTTLS"};
    options_.smtp.target.tls = SmtpTls::opportunistic;
    EXPECT_EQ(sent().first, "SENT") << reply;
  }
}

TEST_F(SmtpTlsRoutes, ButNeverWithAPassword) {
  script_.replies["STARTTLS"] = {"220 go ahead\r\nand some garbage"};
  script_.replies["EHLO"] = {"250-relay.example.org\r\n250-AUTH PLAIN\r\n250 STARTTLS"};
  options_.smtp.target.tls = SmtpTls::opportunistic;
  options_.smtp.target.user = "me";
  options_.smtp.secret_ref = "env://PATH";
  options_.smtp.connect_retries.clear();
  EXPECT_EQ(sent().first, "RETRY_PENDING");
  EXPECT_THAT(commands_, Each(Not(StartsWith("AUTH"))));
}

// ---- logins ----

TEST(SmtpRoutes, ANewSecretIsUsedAsSoonAsTheOldOneIsRefused) {
  const TempFolder folder;
  std::ofstream(folder / "token") << "old";
  const ScriptedSmtp relay(SmtpScript{{{"EHLO", {kOffersLogin}}, {"AUTH", {"535 5.7.8 expired", "235 ok"}}}});
  SmtpWorld::Options options = in_the_clear();
  options.smtp.target.user = "me";
  options.smtp.target.auth = SmtpAuth::xoauth2;
  options.smtp.secret_ref = "file://" + folder / "token";
  SmtpWorld world(relay.port(), options);
  const JobId id = world.accept({"ann@example.org"});
  ASSERT_TRUE(world.settles(id, 1));
  EXPECT_EQ(state_of(world, id), "RETRY_PENDING");
  EXPECT_EQ(relay.connections(), 1) << "the same token is not offered twice";
  std::ofstream(folder / "token") << "new";
  ASSERT_TRUE(world.recovers());
  world.advance(5min);
  ASSERT_TRUE(world.settles(id, 2));
  EXPECT_EQ(state_of(world, id), "SENT");
}

TEST(SmtpRoutes, WhereARefusedLoginFailsMailsEachOfManyFails) {
  const ScriptedSmtp relay(SmtpScript{{{"EHLO", {kOffersLogin}}, {"AUTH", {"535 5.7.8 no"}}}});
  SmtpWorld::Options options = in_the_clear();
  options.smtp.target.user = "me";
  options.smtp.secret_ref = "env://PATH";
  options.smtp.auth_failure = SmtpAuthFailure::fail;
  SmtpWorld world(relay.port(), options);
  world.accept_many(10);
  EXPECT_TRUE(eventually([&] { return world.count(MailState::FAILED) == 10; }));
  EXPECT_EQ(relay.connections(), 1) << "the login is offered once";
}

TEST(SmtpRoutes, ASecretThatIsNotThereIsNamedAndNobodyIsAsked) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld::Options options = in_the_clear();
  options.smtp.target.user = "me";
  options.smtp.secret_ref = "env://EILBOTE_TEST_NO_SUCH_SECRET";
  SmtpWorld world(relay.port(), options);
  const JobId id = world.accept({"ann@example.org"});
  ASSERT_TRUE(world.settles(id, 1));
  EXPECT_THAT(world.record(id).job.last_error, HasSubstr("env://EILBOTE_TEST_NO_SUCH_SECRET"));
  EXPECT_EQ(relay.connections(), 0);
}

}  // namespace
}  // namespace eilbote::test::smtp_routes_test
