// The network fails, for seconds, minutes or hours: within one attempt, over several, and for everybody at once. Whatever
// was accepted is sent afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/public_state.h"
#include "support/eventually.h"
#include "support/scripted_smtp.h"
#include "support/smtp_world.h"
#include "support/test_scale.h"

namespace eilbote::test::smtp_outages_test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const LookupFault kNoAddress{true, "No address associated with hostname"};  // EAI_NODATA
const LookupFault kNoName{true, "Name or service not known"};
const LookupFault kTryAgain{false, "Temporary failure in name resolution"};
const char* const kOffersLogin = "250-relay.example.org\r\n250-PIPELINING\r\n250 AUTH PLAIN";

class SmtpOutages : public testing::Test {
 protected:
  void SetUp() override { testing::internal::CaptureStderr(); }
  void TearDown() override {
    if (!taken_) testing::internal::GetCapturedStderr();
  }
  // Everything logged so far; once per test.
  std::string log() {
    taken_ = true;
    return testing::internal::GetCapturedStderr();
  }
  static int times(const std::string& text, const std::string& what) {
    int n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
      ++n;
    return n;
  }

 private:
  bool taken_ = false;
};

// ---- within one attempt: 1. two DNS failures, then success ----

TEST_F(SmtpOutages, TwoFailedLookupsAndTheMailIsSentInTheSameAttempt) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld world(relay.port(), in_the_clear());
  world.names_fail(2, kNoAddress);
  const JobId id = world.accept({"ann@example.org"});
  ASSERT_TRUE(world.settles(id, 1));
  EXPECT_EQ(state_of(world, id), "SENT");
  EXPECT_EQ(world.record(id).job.retry_count, 0);
  EXPECT_THAT(world.waits(), ElementsAre(5, 15));
  const std::string log = this->log();
  EXPECT_THAT(log, HasSubstr("attempt=1/4"));
  EXPECT_THAT(log, HasSubstr("attempt=2/4"));
  EXPECT_THAT(log, HasSubstr("retryingIn=5s"));
  EXPECT_THAT(log, HasSubstr("No address associated with hostname"));
  EXPECT_EQ(times(log, "Z warning "), 2) << log;
  EXPECT_EQ(times(log, "mail handed over after a retry"), 1);
  EXPECT_THAT(log, Not(HasSubstr("Z error ")));
}

// ---- 2. a refused login is not tried again ----

TEST_F(SmtpOutages, ARefusedLoginIsTriedOnce) {
  const ScriptedSmtp relay(SmtpScript{{{"EHLO", {kOffersLogin}}, {"AUTH", {"535 5.7.8 wrong password"}}}});
  SmtpWorld::Options options = in_the_clear();
  options.smtp.target.user = "me";
  options.smtp.secret_ref = "env://PATH";
  SmtpWorld world(relay.port(), options);
  const JobId id = world.accept({"ann@example.org"});
  world.accept({"bob@example.org"});
  ASSERT_TRUE(world.settles(id, 1));
  EXPECT_THAT(world.waits(), IsEmpty());
  EXPECT_EQ(relay.connections(), 1) << "for both mails";
  EXPECT_EQ(state_of(world, id), "RETRY_PENDING");
  EXPECT_EQ(world.record(id).job.retry_count, 0);
  EXPECT_TRUE(world.breaker_is_open());
  // Probes do not hammer the relay with what it has refused; after five minutes it is asked once more.
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(world.is_probed_in_vain());
  EXPECT_EQ(relay.connections(), 1);
  world.advance(5min);
  EXPECT_TRUE(world.is_probed_in_vain());
  EXPECT_TRUE(eventually([&] { return relay.connections() == 2; }));
}

// ---- 3. a relay that does not answer in time; 4. all tries fail ----

TEST_F(SmtpOutages, ASilentRelayIsTriedFourTimes) {
  const ScriptedSmtp relay(SmtpScript{{{"BANNER", {"silence"}}}});
  SmtpWorld::Options options = in_the_clear();
  options.smtp.timeouts.banner = 100ms;
  SmtpWorld world(relay.port(), options);
  const JobId id = world.accept({"ann@example.org"});
  ASSERT_TRUE(world.settles(id, 1));
  EXPECT_THAT(world.waits(), ElementsAre(5, 15, 30));
  EXPECT_EQ(relay.connections(), 4);
  EXPECT_EQ(state_of(world, id), "RETRY_PENDING");
  EXPECT_EQ(world.history(id).attempts[0].status, AttemptStatus::TIMEOUT);
}

TEST_F(SmtpOutages, WhenAllTriesFailTheAttemptFails) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld world(relay.port(), in_the_clear());
  world.names_fail(4, kNoName);
  const JobId id = world.accept({"ann@example.org"});
  ASSERT_TRUE(world.settles(id, 1));
  EXPECT_THAT(world.waits(), ElementsAre(5, 15, 30));
  const JobRecord record = world.record(id);
  EXPECT_EQ(public_state_text(record.job), "RETRY_PENDING");
  EXPECT_EQ(record.job.retry_count, 1);
  EXPECT_THAT(record.job.last_error, HasSubstr("Name or service not known"));
  EXPECT_TRUE(world.breaker_is_open());
  const std::string log = this->log();
  EXPECT_EQ(times(log, "Z warning "), 3) << log;
  EXPECT_THAT(log, HasSubstr("failed after 4 attempts"));
}

// ---- 5. success at once ----

TEST_F(SmtpOutages, AMailThatIsTakenAtOnceWaitsForNothing) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld world(relay.port(), in_the_clear());
  const JobId id = world.accept({"ann@example.org"});
  ASSERT_TRUE(world.settles(id, 1));
  EXPECT_EQ(state_of(world, id), "SENT");
  EXPECT_THAT(world.waits(), IsEmpty());
  EXPECT_THAT(log(), Not(HasSubstr("warning")));
}

// ---- over several attempts ----

// The night of the incident: the relay's name had no address for five minutes.
TEST_F(SmtpOutages, FiveMinutesWithoutAnAddressEndInSent) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld::Options options = in_the_clear();
  options.test_ends_waits = true;
  SmtpWorld world(relay.port(), options);
  world.names_fail_from_now_on(kNoAddress);
  const TimePoint began = world.now();
  const JobId id = world.accept({"ann@example.org"});
  for (const auto wait : {5s, 15s, 30s}) {
    const std::size_t waits = world.waits().size();
    ASSERT_TRUE(eventually([&] { return world.waits().size() > waits || waits > 0; }));
    ASSERT_TRUE(eventually([&] { return world.waits().back() == wait / 1s; }));
    world.advance(wait);
  }
  ASSERT_TRUE(world.settles(id, 1));
  ASSERT_TRUE(world.breaker_becomes(true));
  while (world.now() - began < 5min) {
    ASSERT_TRUE(world.is_probed_in_vain());
  }
  EXPECT_EQ(state_of(world, id), "RETRY_PENDING");
  world.names_work();
  ASSERT_TRUE(world.recovers());
  ASSERT_TRUE(world.settles(id, 2));
  EXPECT_EQ(state_of(world, id), "SENT");
  EXPECT_EQ(world.record(id).job.retry_count, 1);
  EXPECT_LT(world.now() - began, 7min);
}

// Two hours without a relay, for so many mails: what it costs them, and whether all are sent afterwards.
void survive_two_hours(int mails) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld world(relay.port(), in_the_clear());
  world.relay_is_at({"127.0.0.2"});
  world.accept_many(mails);
  ASSERT_TRUE(world.breaker_becomes(true));
  const TimePoint began = world.now();
  while (world.now() - began < 2h) {
    ASSERT_TRUE(world.is_probed_in_vain());
  }
  EXPECT_LE(world.count(MailState::RETRY_PENDING), 1)
      << "the outage burnt more than the attempt that found it";
  EXPECT_EQ(world.count(MailState::SENT), 0);
  world.relay_is_at({"127.0.0.1"});
  ASSERT_TRUE(world.recovers());
  ASSERT_TRUE(eventually([&] { return static_cast<int>(relay.messages().size()) >= mails; }, 120s, 100ms));
  EXPECT_TRUE(eventually([&] { return world.count(MailState::SENT) == mails; }));
  EXPECT_EQ(world.count(MailState::FAILED), 0);
  EXPECT_EQ(static_cast<int>(relay.messages().size()), mails) << "each once";
}

TEST_F(SmtpOutages, ASingleMailSurvivesTwoHours) {
  survive_two_hours(1);
}
TEST_F(SmtpOutages, FiftyThousandMailsSurviveTwoHours) {
  survive_two_hours(scaled(50'000));
}

// ---- names ----

TEST_F(SmtpOutages, ARelayWithSeveralAddressesIsTriedAtEach) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld::Options options = in_the_clear();
  options.smtp.mails_per_connection_max = 1;
  SmtpWorld world(relay.port(), options);
  world.relay_is_at({"127.0.0.2", "127.0.0.3", "127.0.0.1"});
  for (int i = 0; i < 2; ++i) {
    const JobId id = world.accept({"ann@example.org"});
    ASSERT_TRUE(world.settles(id, 1));
    EXPECT_EQ(state_of(world, id), "SENT");
  }
  EXPECT_THAT(world.waits(), IsEmpty()) << "the next address comes before any wait";
  EXPECT_FALSE(world.breaker_is_open());
}

// An address where the relay turns us away at the door is as good as one where nobody answers.
TEST_F(SmtpOutages, ABannerThatRefusesLeadsToTheNextAddress) {
  const ScriptedSmtp relay(SmtpScript{{{"BANNER", {"554 not today", "220 welcome"}}}});
  SmtpWorld world(relay.port(), in_the_clear());
  world.relay_is_at({"127.0.0.1", "127.0.0.1"});
  const JobId id = world.accept({"ann@example.org"});
  ASSERT_TRUE(world.settles(id, 1));
  EXPECT_EQ(state_of(world, id), "SENT");
  EXPECT_EQ(relay.connections(), 2);
}

TEST_F(SmtpOutages, WhileTheResolverHasTroubleTheLastAddressesAreGood) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld::Options options = in_the_clear();
  options.smtp.mails_per_connection_max = 1;
  SmtpWorld world(relay.port(), options);
  ASSERT_TRUE(world.settles(world.accept({"ann@example.org"}), 1));
  world.names_fail_from_now_on(kTryAgain);
  world.advance(14min);
  const JobId second = world.accept({"ann@example.org"});
  ASSERT_TRUE(world.settles(second, 1));
  EXPECT_EQ(state_of(world, second), "SENT");
  EXPECT_EQ(world.lookups(), 2);
  world.advance(2min);
  const JobId third = world.accept({"ann@example.org"});
  ASSERT_TRUE(world.settles(third, 1));
  EXPECT_EQ(state_of(world, third), "RETRY_PENDING");
}

TEST_F(SmtpOutages, ANameThatIsUnknownForAQuarterOfAnHourIsAnAlarm) {
  const ScriptedSmtp relay(SmtpScript{});
  SmtpWorld world(relay.port(), in_the_clear());
  world.names_fail_from_now_on(kNoName);
  ASSERT_TRUE(world.settles(world.accept({"ann@example.org"}), 1));
  for (int i = 0; i < 32; ++i) {
    ASSERT_TRUE(world.is_probed_in_vain());
  }
  EXPECT_EQ(times(log(), "is it spelt right?"), 1);
}

}  // namespace
}  // namespace eilbote::test::smtp_outages_test
