// What a test of the relay finds, in words.
#include "channel/relay_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "secrets/secrets.h"
#include "support/scripted_smtp.h"
#include "support/temp_folder.h"

namespace eilbote::test::relay_probe_test {
namespace {

using testing::HasSubstr;

class RelayProbe : public testing::Test {
 protected:
  RelayProbe() {
    options_.target.host = "relay.example.org";
    options_.target.tls = SmtpTls::off;
    options_.ehlo_name = "me.example.org";
  }
  // Every step as "ok what: text" or "FAIL what: text".
  std::vector<std::string> findings(const ScriptedSmtp& relay) {
    options_.target.port = relay.port();
    return findings();
  }
  std::vector<std::string> findings() {
    std::vector<std::string> lines;
    for (const RelayFinding& step : probe_relay(options_, *secrets_, lookup_)) {
      lines.push_back((step.good ? "ok " : "FAIL ") + step.what + ": " + step.text);
      EXPECT_EQ(step.good, step.advice.empty()) << lines.back();
      advice_ = step.advice;
    }
    return lines;
  }

  SmtpOptions options_;
  std::unique_ptr<SecretSource> secrets_ = make_secret_source();
  NameLookup lookup_ = [](const std::string&) { return Addresses{boost::asio::ip::address_v4::loopback()}; };
  std::string advice_;
};

TEST_F(RelayProbe, GoesAllTheWayWithoutAMail) {
  const ScriptedSmtp relay(SmtpScript{});
  const auto lines = findings(relay);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "ok name relay.example.org: 127.0.0.1");
  EXPECT_THAT(lines[1], HasSubstr("connected, in the clear"));
  EXPECT_THAT(lines[2], HasSubstr("PIPELINING yes"));
  EXPECT_TRUE(relay.messages().empty());
}

TEST_F(RelayProbe, TellsAboutTheCertificate) {
  const TempFolder folder;
  const TlsIdentity identity("relay.example.org");
  std::ofstream(folder / "ca.pem") << identity.certificate();
  SmtpScript script;
  script.tls = &identity;
  script.tls_from_the_start = true;
  const ScriptedSmtp relay(script);
  options_.target.tls = SmtpTls::implicit;
  EXPECT_THAT(findings(relay).back(), HasSubstr("certificate"));
  EXPECT_THAT(advice_, HasSubstr("EILBOTE_SMTP_CA_FILE"));
  options_.ca_file = folder / "ca.pem";
  EXPECT_THAT(findings(relay)[1], HasSubstr("certificate for /CN=relay.example.org"));
  options_.ca_file = folder / "missing.pem";
  EXPECT_THAT(findings(relay)[0], HasSubstr("FAIL certificates"));
}

TEST_F(RelayProbe, TellsAboutTheLogin) {
  options_.target.user = "shop";
  options_.secret_ref = "env://PATH";
  const char* const offers = "250-relay.example.org\r\n250 AUTH PLAIN";
  const ScriptedSmtp good(SmtpScript{{{"EHLO", {offers}}}});
  EXPECT_EQ(findings(good)[2], "ok login as shop: accepted");
  const ScriptedSmtp bad(SmtpScript{{{"EHLO", {offers}}, {"AUTH", {"535 5.7.8 no"}}}});
  EXPECT_THAT(findings(bad).back(), HasSubstr("535 5.7.8 no"));
  EXPECT_THAT(advice_, HasSubstr("wrong"));
  options_.secret_ref = "env://EILBOTE_TEST_NO_SUCH_SECRET";
  EXPECT_THAT(findings(bad).back(), HasSubstr("FAIL secret"));
}

TEST_F(RelayProbe, TellsAboutTheNameAndTheConnection) {
  {
    const ScriptedSmtp relay(SmtpScript{});
    options_.target.port = relay.port();
  }
  EXPECT_THAT(findings().back(), HasSubstr("refused"));
  lookup_ = [](const std::string&) -> tl::expected<Addresses, LookupFault> {
    return tl::unexpected(LookupFault{true, "Name or service not known"});
  };
  EXPECT_EQ(findings().back(), "FAIL name relay.example.org: Name or service not known");
  EXPECT_THAT(advice_, HasSubstr("spelt right"));
}

}  // namespace
}  // namespace eilbote::test::relay_probe_test
