// Postfix's smtp-sink fails at every stage in every way it knows. What becomes of the mail is the same each time: what was
// refused for good has failed, what may work later waits, an open question is on record as one, and what only lacks
// extensions is sent.
#include <gtest/gtest.h>

#include "support/eventually.h"
#include "support/relay_scenario.h"
#include "support/smtp_sink.h"

namespace eilbote::test::every_fault_of_a_relay_has_its_end {
namespace {

struct SinkCase {
  std::string name;
  std::vector<std::string> options;
  std::string want;  // state, breaker, and of a failed attempt its error type
};
void PrintTo(const SinkCase& one, std::ostream* out) {
  *out << one.name;
}

class EveryFaultOfARelay : public RelayScenario, public testing::WithParamInterface<SinkCase> {
 protected:
  void SetUp() override { SKIP_BECAUSE(SmtpSink::missing()); }
};

const std::string kWaits = "RETRY_PENDING closed TRANSIENT", kDown = "RETRY_PENDING open TRANSIENT",
                  kFailed = "FAILED closed PERMANENT", kSent = "SENT closed",
                  kNobodyKnows = "RETRY_PENDING closed UNKNOWN";

// smtp-sink: -q hangs up, -Q says 421 and hangs up, -r says 450, -f says 500.
const SinkCase kCases[] = {
    {"hangs_up_at_connect", {"-q", "CONNECT"}, kDown},
    {"says_421_at_connect", {"-Q", "CONNECT"}, kDown},
    {"says_450_at_connect", {"-r", "CONNECT"}, kDown},
    {"says_500_at_connect", {"-f", "CONNECT"}, kDown},
    {"hangs_up_at_EHLO", {"-q", "EHLO"}, kDown},
    {"says_421_at_EHLO", {"-Q", "EHLO"}, kDown},
    {"says_450_at_EHLO", {"-r", "EHLO"}, kDown},
    {"says_500_at_EHLO", {"-f", "EHLO"}, kSent},
    {"says_500_at_EHLO_and_HELO", {"-f", "EHLO,HELO"}, kDown},
    {"hangs_up_at_MAIL", {"-q", "MAIL"}, kDown},
    {"says_421_at_MAIL", {"-Q", "MAIL"}, kDown},
    {"says_450_at_MAIL", {"-r", "MAIL"}, kWaits},
    {"says_500_at_MAIL", {"-f", "MAIL"}, kFailed},
    {"hangs_up_at_RCPT", {"-q", "RCPT"}, kDown},
    {"says_421_at_RCPT", {"-Q", "RCPT"}, kDown},
    {"says_450_at_RCPT", {"-r", "RCPT"}, kWaits},
    {"says_500_at_RCPT", {"-f", "RCPT"}, kFailed},
    {"hangs_up_at_DATA", {"-q", "DATA"}, kDown},
    {"says_421_at_DATA", {"-Q", "DATA"}, kDown},
    {"says_450_at_DATA", {"-r", "DATA"}, kWaits},
    {"says_500_at_DATA", {"-f", "DATA"}, kFailed},
    {"hangs_up_at_the_dot", {"-q", "."}, kNobodyKnows},
    {"says_421_at_the_dot", {"-Q", "."}, kDown},
    {"says_450_at_the_dot", {"-r", "."}, kWaits},
    {"says_500_at_the_dot", {"-f", "."}, kFailed},
    {"hangs_up_at_the_dot_without_pipelining", {"-p", "-q", "."}, kNobodyKnows},
    {"says_500_at_RCPT_without_pipelining", {"-p", "-f", "RCPT"}, kFailed},
    {"knows_no_pipelining", {"-p"}, kSent},
    {"knows_no_ESMTP", {"-e"}, kSent},
    {"knows_no_8BITMIME", {"-8"}, kSent},
    {"knows_no_enhanced_codes", {"-E"}, kSent},
    {"looks_like_a_PIX", {"-P"}, kSent},
};
INSTANTIATE_TEST_SUITE_P(Sink, EveryFaultOfARelay, testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

std::string what_became_of(const MailApi& api, const std::string& id) {
  const json::value attempt = api.attempts(id).at(0);
  std::string all = api.status(id) + " " + breaker_state(api);
  if (has(attempt, "/errorType")) all += " " + text_at(attempt, "/errorType");
  return all;
}

TEST_P(EveryFaultOfARelay, has_its_end) {
  const SmtpSink sink(GetParam().options);
  const auto server = start_server("smtp://127.0.0.1:" + std::to_string(sink.port()) + "?tls=off");
  const MailApi api(*server);
  const std::string id = api.accept(rich_mail());
  ASSERT_TRUE(is_tried(api, id));
  std::string seen;
  eventually([&] { return (seen = what_became_of(api, id)) == GetParam().want; });
  EXPECT_EQ(seen, GetParam().want) << api.message(id);
  const bool is_sent = GetParam().want == kSent;
  EXPECT_EQ(number_at(api.message(id), "/details/retryCount"), is_sent ? 0 : 1);
  if (is_sent) {
    ASSERT_EQ(sink.files().size(), 1U);
    const json::value arrived = read_mail(sink.files()[0]);
    expect_rich_mail(arrived, id);
    EXPECT_EQ(arrived.at("recipients").as_array().size(), 3U) << arrived;
  }
  EXPECT_EQ(server->stop(), 0);
}

}  // namespace
}  // namespace eilbote::test::every_fault_of_a_relay_has_its_end
