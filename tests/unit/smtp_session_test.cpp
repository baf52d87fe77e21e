// A session with a relay that does anything at any stage.
#include "net/smtp_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/use_future.hpp>

#include "domain/smtp_body.h"
#include "support/eventually.h"
#include "support/scripted_smtp.h"

namespace eilbote::test::smtp_session_test {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class SmtpSessionTest : public testing::Test {
 protected:
  SmtpSessionTest() {
    relay_.host = "relay.example.org";
    relay_.ehlo_name = "me.example.org";
    relay_.tls = SmtpTls::off;
    hand_over_.before_dot = [this](const std::vector<int>&) { return still_mine_; };
    hand_over_.after_dot = [this](int code) { dot_code_ = code; };
  }
  template <class T>
  T run(asio::awaitable<T> work) {
    std::optional<T> result;
    run([](asio::awaitable<T> inner, std::optional<T>& out) -> asio::awaitable<void> {
      out.emplace(co_await std::move(inner));
    }(std::move(work), result));
    return std::move(*result);
  }
  void run(asio::awaitable<void> work) {
    auto done = asio::co_spawn(io_, std::move(work), asio::use_future);
    io_.restart();
    // Not run(): the link's timer outlasts what it was set for.
    while (done.wait_for(std::chrono::seconds{0}) != std::future_status::ready)
      io_.run_one();
    done.get();
  }
  SmtpSession::Opened open(const ScriptedSmtp& server) {
    return run(SmtpSession::open(io_.get_executor(), {asio::ip::address_v4::loopback(), server.port()},
                                 relay_, tls_));
  }
  // Why there was no session: "configuration SMTP_535".
  std::string refusal(SmtpScript script) {
    const ScriptedSmtp server(std::move(script));
    auto opened = open(server);
    if (opened) return "none";
    const SmtpRouteFault& fault = opened.error();
    return std::string(kVerdictNames.text(fault.verdict)) + " " + fault.code +
           (fault.is_network ? " network" : "");
  }
  DeliveryResult send(SmtpSession& session, const std::string& message = "Subject: x\r\n\r\n.dot\r\n") {
    SmtpEnvelope envelope;
    envelope.sender = "shop@example.org";
    envelope.recipients = {{0, "ann@example.org"}};
    const std::string body = smtp_body(message);
    envelope.bytes = body.size();
    return run(session.send(std::move(envelope), body, hand_over_));
  }
  static std::string offering(const std::string& what) { return "250-relay.example.org\r\n250 " + what; }

  asio::io_context io_;
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  SmtpRelay relay_;
  SmtpHandOver hand_over_;
  bool still_mine_ = true;
  int dot_code_ = 0;
};

TEST_F(SmtpSessionTest, SendsOneMailAfterTheOther) {
  const ScriptedSmtp server(SmtpScript{});
  auto session = open(server);
  ASSERT_TRUE(session) << session.error().text;
  const DeliveryResult first = send(*session);
  EXPECT_EQ(first.verdict, Verdict::delivered) << first.text;
  EXPECT_EQ(first.provider_message_id, "4Xyz");
  EXPECT_EQ(dot_code_, 250);
  EXPECT_TRUE(run(session->reset()));
  EXPECT_EQ(send(*session).verdict, Verdict::delivered);
  run(session->quit());
  EXPECT_THAT(server.messages(), ElementsAre("Subject: x\r\n\r\n..dot\r\n", "Subject: x\r\n\r\n..dot\r\n"));
  EXPECT_EQ(server.connections(), 1);
  EXPECT_TRUE(eventually([&] { return server.commands().back() == "QUIT"; }));
  EXPECT_EQ(server.commands().front(), "EHLO me.example.org");
}

TEST_F(SmtpSessionTest, SaysWhyThereIsNone) {
  EXPECT_EQ(refusal({{{"BANNER", {"554 no SMTP here"}}}}), "route_fault SMTP_554");
  EXPECT_EQ(refusal({{{"BANNER", {"421 busy"}}}}), "route_fault SMTP_421");
  EXPECT_EQ(refusal({{{"BANNER", {"close"}}}}), "route_fault SMTP_CONNECTION_LOST network");
  EXPECT_EQ(refusal({{{"BANNER", {"HTTP/1.1 400 Bad Request"}}}}), "route_fault SMTP_PROTOCOL");
  EXPECT_EQ(refusal({{{"EHLO", {"451 later"}}}}), "route_fault SMTP_451");
  relay_.timeouts.banner = 100ms;
  EXPECT_EQ(refusal({{{"BANNER", {"silence"}}}}), "route_fault SMTP_CONNECTION_LOST network");
}

TEST_F(SmtpSessionTest, FallsBackToHeloWhereNothingElseIsAskedFor) {
  const ScriptedSmtp server(SmtpScript{{{"EHLO", {"502 what?"}}}});
  auto session = open(server);
  ASSERT_TRUE(session) << session.error().text;
  EXPECT_EQ(send(*session).verdict, Verdict::delivered);
  EXPECT_EQ(server.commands()[1], "HELO me.example.org");
  relay_.tls = SmtpTls::required;
  EXPECT_EQ(refusal({{{"EHLO", {"502 what?"}}}}), "configuration SMTP_502");
}

TEST_F(SmtpSessionTest, LogsInByPlainOrLogin) {
  relay_.login = SmtpLogin{"user", Secret("pass"), false};
  const ScriptedSmtp plain(SmtpScript{{{"EHLO", {offering("AUTH LOGIN PLAIN")}}}});
  ASSERT_TRUE(open(plain));
  EXPECT_EQ(plain.commands()[1], "AUTH PLAIN AHVzZXIAcGFzcw==");

  const ScriptedSmtp login(SmtpScript{
      {{"EHLO", {offering("AUTH LOGIN")}}, {"AUTH", {"334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6", "235 ok"}}}});
  ASSERT_TRUE(open(login));
  EXPECT_THAT(login.commands(), ElementsAre("EHLO me.example.org", "AUTH LOGIN", "dXNlcg==", "cGFzcw=="));
}

TEST_F(SmtpSessionTest, LogsInWithATokenAndTakesTheRefusal) {
  relay_.login = SmtpLogin{"user", Secret("token"), true};
  const ScriptedSmtp good(SmtpScript{{{"EHLO", {offering("AUTH PLAIN XOAUTH2")}}}});
  ASSERT_TRUE(open(good));
  EXPECT_EQ(good.commands()[1], "AUTH XOAUTH2 dXNlcj11c2VyAWF1dGg9QmVhcmVyIHRva2VuAQE=");
  EXPECT_EQ(refusal({{{"EHLO", {offering("AUTH XOAUTH2")}},
                      {"AUTH", {"334 eyJzdGF0dXMiOiI0MDEifQ==", "535 5.7.8 no"}}}}),
            "configuration SMTP_535");
}

TEST_F(SmtpSessionTest, ARefusedOrImpossibleLoginIsAMatterOfConfiguration) {
  relay_.login = SmtpLogin{"user", Secret("pass"), false};
  EXPECT_EQ(refusal({{{"EHLO", {offering("AUTH PLAIN")}}, {"AUTH", {"535 5.7.8 no"}}}}),
            "configuration SMTP_535");
  EXPECT_EQ(refusal({{{"EHLO", {offering("AUTH PLAIN")}}, {"AUTH", {"454 4.7.0 later"}}}}),
            "route_fault SMTP_454");
  EXPECT_EQ(refusal({{{"EHLO", {offering("AUTH PLAIN")}}, {"AUTH", {"close"}}}}), "configuration SMTP_AUTH");
  EXPECT_EQ(refusal({{{"EHLO", {offering("AUTH CRAM-MD5")}}}}), "configuration SMTP_AUTH_NOT_OFFERED");
  EXPECT_EQ(refusal({{{"EHLO", {offering("SIZE 1")}}}}), "configuration SMTP_AUTH_NOT_OFFERED")
      << "never without";
  relay_.tls = SmtpTls::opportunistic;
  EXPECT_EQ(refusal({{{"EHLO", {offering("AUTH PLAIN")}}}}), "configuration SMTP_AUTH_IN_CLEAR");
}

TEST_F(SmtpSessionTest, ALoginThatTheRelayRepeatsIsNotKept) {
  struct Case {
    std::string offered;
    bool is_token;
    std::vector<std::string> replies;
  };
  const Case cases[] = {
      {"AUTH PLAIN", false, {"535-what is AUTH PLAIN AHVzZXIAcGFzcw==\r\n535 pass is wrong, pass is old"}},
      {"AUTH LOGIN", false, {"334 x", "334 x", "535-what is cGFzcw==\r\n535 pass is wrong, pass is old"}},
      {"AUTH XOAUTH2",
       true,
       {"334 x", "535-what is dXNlcj11c2VyAWF1dGg9QmVhcmVyIHBhc3MBAQ==\r\n535 pass is wrong, pass is old"}}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.offered);
    relay_.login = SmtpLogin{"user", Secret("pass"), one.is_token};
    const ScriptedSmtp server(SmtpScript{{{"EHLO", {offering(one.offered)}}, {"AUTH", one.replies}}});
    const auto opened = open(server);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().text, testing::EndsWith("*** *** is wrong, *** is old"));
    EXPECT_THAT(opened.error().reply.lines, testing::Contains("*** is wrong, *** is old"));
  }
}

TEST_F(SmtpSessionTest, EncryptsAndAsksAgainWhatTheRelayCan) {
  const TlsIdentity identity("relay.example.org");
  tls_.add_certificate_authority(asio::buffer(identity.certificate()));
  relay_.tls = SmtpTls::required;
  SmtpScript script;
  script.tls = &identity;
  // What is offered in the clear may be an attacker's.
  script.replies["EHLO"] = {"250-relay\r\n250-STARTTLS\r\n250 PIPELINING", "250 relay"};
  const ScriptedSmtp server(script);
  auto session = open(server);
  ASSERT_TRUE(session) << session.error().text;
  EXPECT_TRUE(session->is_encrypted());
  EXPECT_FALSE(session->can().pipelining);
  EXPECT_EQ(send(*session).verdict, Verdict::delivered);

  relay_.tls = SmtpTls::implicit;
  script.tls_from_the_start = true;
  const ScriptedSmtp implicit(script);
  auto second = open(implicit);
  ASSERT_TRUE(second) << second.error().text;
  EXPECT_EQ(send(*second).verdict, Verdict::delivered);
}

TEST_F(SmtpSessionTest, NeverFallsBackToTheClearWhenTlsIsRequired) {
  const TlsIdentity identity("relay.example.org");
  relay_.tls = SmtpTls::required;
  EXPECT_EQ(refusal({{{"EHLO", {offering("PIPELINING")}}}}), "configuration SMTP_TLS_NOT_OFFERED");
  EXPECT_EQ(refusal({{{"EHLO", {offering("STARTTLS")}}, {"STARTTLS", {"454 not now"}}}}),
            "route_fault SMTP_454");
  SmtpScript untrusted{{{"EHLO", {offering("STARTTLS")}}}};
  untrusted.tls = &identity;
  EXPECT_EQ(refusal(untrusted), "configuration SMTP_CERTIFICATE");
  relay_.tls = SmtpTls::opportunistic;
  const ScriptedSmtp server(untrusted);
  EXPECT_TRUE(open(server)) << "not checked when it is only better than nothing";
}

TEST_F(SmtpSessionTest, AnAnswerThatNeverComesAfterTheDotIsUncertain) {
  relay_.timeouts.dot = 100ms;
  for (const std::string reply : {"silence", "close"}) {
    const ScriptedSmtp server(SmtpScript{{{"DOT", {reply}}}});
    auto session = open(server);
    ASSERT_TRUE(session);
    EXPECT_EQ(send(*session).verdict, Verdict::uncertain) << reply;
    EXPECT_FALSE(session->is_usable());
    EXPECT_TRUE(eventually([&] { return server.messages().size() == 1; }));
  }
}

TEST_F(SmtpSessionTest, AnEndBeforeTheDotIsARouteFault) {
  for (const std::string command : {"MAIL", "RCPT", "DATA"}) {
    const ScriptedSmtp server(SmtpScript{{{command, {"close"}}}});
    auto session = open(server);
    ASSERT_TRUE(session);
    EXPECT_EQ(send(*session).verdict, Verdict::route_fault) << command;
    EXPECT_TRUE(server.messages().empty());
  }
}

TEST_F(SmtpSessionTest, AMailThatIsNotOursAnyMoreDoesNotLeave) {
  still_mine_ = false;
  const ScriptedSmtp server(SmtpScript{});
  auto session = open(server);
  ASSERT_TRUE(session);
  EXPECT_EQ(send(*session).verdict, Verdict::released);
  EXPECT_FALSE(session->is_usable());
  EXPECT_EQ(dot_code_, 0);
  EXPECT_TRUE(server.messages().empty());
}

TEST_F(SmtpSessionTest, CarriesALargeMessage) {
  const ScriptedSmtp server(SmtpScript{});
  auto session = open(server);
  ASSERT_TRUE(session);
  const std::string message = "Subject: large\r\n\r\n" + std::string(70, 'x') + "\r\n";
  std::string large = message;
  while (large.size() < 3'000'000)
    large += std::string(70, 'y') + "\r\n";
  EXPECT_EQ(send(*session, large).verdict, Verdict::delivered);
  ASSERT_EQ(server.messages().size(), 1u);
  EXPECT_EQ(server.messages()[0], large);
}

}  // namespace
}  // namespace eilbote::test::smtp_session_test
