// What a delivery report makes of a mail: every action on every standing of a recipient and in every state of the mail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/states.h"
#include "unit/report_rules_cases.h"

namespace eilbote::test::report_rules_test {
namespace {

using namespace report_cases;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ReportRules, a_bounce_is_the_recipients_and_the_mails) {
  Mail mail{job_in(S::sent), standing({R::taken, R::taken})};
  const ReportDecision got = mail.take(said("b@x.org", A::failed, "5.1.1", "smtp; 550 no such user\r\n"));
  EXPECT_TRUE(got.changes_row);
  EXPECT_EQ(mail.state(), "BOUNCED");
  EXPECT_EQ(mail.job.last_error, "5.1.1 smtp; 550 no such user");
  EXPECT_THAT(mail.statuses(), ElementsAre(R::taken, R::bounced));
  EXPECT_EQ(mail.recipients[1].reply, "5.1.1 smtp; 550 no such user");
  EXPECT_THAT(mail.moves(), ElementsAre("SENT -> BOUNCED: b@x.org: failed (5.1.1)"));
  EXPECT_EQ(mail.events[0].actor, kEngineActor);
  EXPECT_EQ(mail.events[0].trace_id, "0af7651916cd43dd8448eb211c80319c");
  EXPECT_THAT(got.suppress, ElementsAre("b@x.org"));
}

TEST(ReportRules, delivered_when_every_taken_one_is) {
  Mail mail{job_in(S::sent), standing({R::taken, R::refused, R::taken, R::suppressed})};
  EXPECT_FALSE(mail.take(said("a@x.org", A::delivered)).changes_row);
  EXPECT_EQ(mail.state(), "SENT");
  EXPECT_THAT(mail.statuses(), ElementsAre(R::delivered, R::refused, R::taken, R::suppressed));
  EXPECT_EQ(mail.recipients[0].reply, "250 ok") << "nothing was said: the reply of the hand-over stays";
  EXPECT_TRUE(mail.take(said("c@x.org", A::delivered, "2.1.5")).changes_row);
  EXPECT_EQ(mail.state(), "DELIVERED");
  EXPECT_EQ(mail.recipients[2].reply, "2.1.5");
  EXPECT_THAT(mail.moves(), ElementsAre("SENT -> SENT: a@x.org: delivered",
                                        "SENT -> DELIVERED: c@x.org: delivered (2.1.5)"));
  EXPECT_THAT(mail.suppressed, IsEmpty());
}

TEST(ReportRules, a_report_without_an_address_is_about_all_that_were_taken) {
  Mail mail{job_in(S::sent), standing({R::taken, R::refused, R::taken})};
  mail.take(said("", A::delivered));
  EXPECT_EQ(mail.state(), "DELIVERED");
  EXPECT_THAT(mail.statuses(), ElementsAre(R::delivered, R::refused, R::delivered));
  EXPECT_THAT(mail.moves(), ElementsAre("SENT -> DELIVERED: all recipients: delivered"));

  Mail nobody{job_in(S::sent), standing({R::refused})};
  EXPECT_FALSE(nobody.take(said("", A::failed, "5.0.0")).changes_row);
  EXPECT_THAT(nobody.moves(),
              ElementsAre("SENT -> SENT: all recipients: failed (5.0.0), but nobody was handed the mail"));
}

TEST(ReportRules, hard_bounces_are_suppressed_and_soft_ones_not) {
  struct Case {
    const char* name;
    A action;
    const char* status;
    bool suppressed;
  };
  const Case cases[] = {
      {"no such user", A::failed, "5.1.1", true},
      {"long code", A::failed, "5.1.351", true},
      {"no status", A::failed, "", true},
      {"mailbox full for too long", A::failed, "4.2.2", false},
      {"delayed", A::delayed, "4.4.1", false},
      {"delivered", A::delivered, "2.0.0", false},
      {"given up by the provider", A::given_up, "5.0.0", false},
      {"deferred by the provider", A::deferred, "5.0.0", false},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    Mail mail{job_in(S::sent), standing({R::taken, R::taken})};
    mail.recipients[0].address = "Some.One@BÜCHER.example";
    mail.take(said("some.one@xn--bcher-kva.example", one.action, one.status));
    if (one.suppressed) {
      EXPECT_THAT(mail.suppressed, ElementsAre("some.one@xn--bcher-kva.example"));
    } else {
      EXPECT_THAT(mail.suppressed, IsEmpty());
    }
    EXPECT_EQ(mail.state() == "BOUNCED", one.action == A::failed) << "a soft bounce is one, too";
  }
}

// A trace's rows have no code: a full mailbox fails as an unknown one does.
TEST(ReportRules, without_a_status_the_source_says_whether_a_bounce_is_hard) {
  for (const auto& [source, source_text] : kReportSourceNames.entries) {
    SCOPED_TRACE(source_text);
    Mail bare{job_in(S::sent), standing({R::taken})};
    bare.source = source;
    bare.take(said("a@x.org", A::failed, "", "message trace: failed"));
    EXPECT_EQ(bare.state(), "BOUNCED");
    EXPECT_EQ(bare.suppressed.empty(), source == ReportSource::message_trace);
    Mail coded{job_in(S::sent), standing({R::taken})};
    coded.source = source;
    coded.take(said("a@x.org", A::failed, "5.1.1"));
    EXPECT_THAT(coded.suppressed, ElementsAre("a@x.org"));
  }
}

TEST(ReportRules, recipients_are_found_by_either_address_whatever_their_spelling) {
  struct Case {
    const char* name;
    const char* address;
    const char* original;
    bool found;
  };
  const Case cases[] = {
      {"as it is", "a@x.org", "", true},           {"another case", "A@X.ORG", "", true},
      {"blanks around it", " a@x.org ", "", true}, {"forwarded", "target@elsewhere.example", "a@x.org", true},
      {"somebody else", "z@x.org", "", false},     {"somebody else, forwarded", "z@x.org", "y@x.org", false},
      {"a longer name", "aa@x.org", "", false},    {"no address at all", "undisclosed", "", false},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    Mail mail{job_in(S::sent), standing({R::taken})};
    const ReportDecision got = mail.take({one.address, one.original, A::failed, "5.1.1", "smtp; 550 no"});
    EXPECT_EQ(got.changes_row, one.found);
    EXPECT_EQ(mail.state(), one.found ? "BOUNCED" : "SENT");
    ASSERT_EQ(got.events.size(), 1U);
    EXPECT_THAT(got.events[0].reason, HasSubstr(one.found ? "a@x.org" : "no recipient of this mail"));
    if (one.found) {
      EXPECT_THAT(got.suppress, ElementsAre("a@x.org")) << "the mail's own address";
    }
  }
}

TEST(ReportRules, an_address_that_is_there_twice_is_reported_on_twice) {
  Mail mail{job_in(S::sent), standing({R::taken, R::taken})};
  mail.recipients[1].address = "A@x.org";
  const ReportDecision got = mail.take(said("a@x.org", A::failed));
  EXPECT_THAT(mail.statuses(), ElementsAre(R::bounced, R::bounced));
  EXPECT_THAT(got.suppress, ElementsAre("a@x.org"));
}

TEST(ReportRules, notes_change_nothing) {
  for (const A action : {A::relayed, A::expanded, A::delayed}) {
    Mail mail{job_in(S::sent), standing({R::taken, R::taken})};
    const ReportDecision got = mail.take(said("b@x.org", action, "4.4.1"));
    EXPECT_FALSE(got.changes_row);
    EXPECT_THAT(got.recipients, IsEmpty());
    const std::string word(kReportActionNames.text(action));
    EXPECT_THAT(mail.moves(), ElementsAre("SENT -> SENT: b@x.org: " + word + " (4.4.1)"));
  }
}

// Every action on every standing of a recipient that is not simply taken: nothing new, or a note that says why.
TEST(ReportRules, what_contradicts_a_recipients_standing_is_a_note) {
  for (const auto& [status, status_text] : kRecipientStatusNames.entries)
    for (const auto& [action, action_text] : kReportActionNames.entries) {
      if (status == R::taken) continue;
      SCOPED_TRACE(std::string(action_text) + " of one that is " + std::string(status_text));
      Mail mail{job_in(S::sent), standing({status, R::taken})};
      if (status == R::bounced) mail.job.report = Report::bounced;
      const std::string before = mail.state();
      const ReportDecision got = mail.take(said("a@x.org", action, "5.1.1"));
      const bool the_same = (action == A::delivered && status == R::delivered) ||
                            (action == A::failed && status == R::bounced) ||
                            (action == A::given_up && status == R::refused);
      EXPECT_FALSE(got.changes_row);
      EXPECT_THAT(got.recipients, IsEmpty());
      EXPECT_THAT(got.suppress, IsEmpty());
      EXPECT_EQ(got.events.size(), the_same ? 0U : 1U);
      EXPECT_EQ(mail.state(), before);
    }
}

TEST(ReportRules, a_late_failure_after_delivered_is_a_note) {
  Mail mail{job_in(S::sent), standing({R::taken})};
  mail.take(said("a@x.org", A::delivered));
  for (const A action : {A::failed, A::given_up, A::deferred}) {
    const ReportDecision got = mail.take(said("a@x.org", action, "5.1.1"));
    EXPECT_FALSE(got.changes_row);
    EXPECT_THAT(got.suppress, IsEmpty());
    ASSERT_EQ(got.events.size(), 1U);
    EXPECT_EQ(got.events[0].from, got.events[0].to);
    EXPECT_THAT(got.events[0].reason, HasSubstr("but it is delivered"));
  }
  EXPECT_EQ(mail.state(), "DELIVERED");
}

// A mail that nobody has been handed, in every state it can be in.
TEST(ReportRules, in_any_other_state_it_is_a_note) {
  for (const auto& [status, status_text] : kJobStatusNames.entries)
    for (const auto& [action, action_text] : kReportActionNames.entries) {
      if (status == S::sent) continue;
      SCOPED_TRACE(std::string(action_text) + " of a mail that is " + std::string(status_text));
      Mail mail{job_in(status), standing({R::waiting})};
      if (status == S::failed) mail.job.dead_reason = DeadReason::PermanentFailure;
      const ReportDecision got = mail.take(said("a@x.org", action, "5.1.1"));
      EXPECT_FALSE(got.changes_row);
      EXPECT_THAT(got.recipients, IsEmpty());
      EXPECT_THAT(got.suppress, IsEmpty());
      ASSERT_EQ(got.events.size(), 1U);
      EXPECT_EQ(got.events[0].from, mail.state());
      EXPECT_EQ(got.events[0].to, mail.state());
    }
}

TEST(ReportRules, a_mail_that_still_goes_out_keeps_its_state_and_remembers) {
  for (const S status : {S::queued, S::dispatching, S::blocked}) {
    Mail mail{job_in(status), standing({R::taken, R::waiting})};
    mail.job.partial = true;
    mail.job.retry_count = 1;
    const ReportDecision got = mail.take(said("a@x.org", A::failed, "5.1.1"));
    EXPECT_FALSE(got.changes_row) << "the row may be leased";
    EXPECT_THAT(mail.statuses(), ElementsAre(R::bounced, R::waiting));
    EXPECT_THAT(got.suppress, ElementsAre("a@x.org"));
    EXPECT_THAT(mail.moves(), ElementsAre("RETRY_PENDING -> RETRY_PENDING: a@x.org: failed (5.1.1)"));
    EXPECT_THAT(mail.take(said("b@x.org", A::deferred)).recipients, IsEmpty());
    Mail given_up{mail.job, standing({R::taken, R::waiting})};
    EXPECT_THAT(given_up.take(said("a@x.org", A::given_up)).recipients, IsEmpty());
    EXPECT_EQ(given_up.events.size(), 1U);
    // Once it is sent, it is what its recipients say, at the latest with the next report.
    mail.job.status = S::sent;
    mail.job.partial = false;
    mail.recipients[1].status = R::taken;
    EXPECT_EQ(report_of(mail.recipients), Report::bounced);
    mail.take(said("b@x.org", A::delayed));
    EXPECT_EQ(mail.state(), "BOUNCED");
  }
}

TEST(ReportRules, an_uncertain_mail_is_sent_once_somebody_reports_on_it) {
  struct Case {
    A action;
    const char* state;
    std::vector<std::string> moves;
  };
  const std::string sent = "FAILED -> SENT: a report says that it was handed over after all";
  const Case cases[] = {
      {A::delayed, "SENT", {sent, "SENT -> SENT: a@x.org: delayed"}},
      {A::relayed, "SENT", {sent, "SENT -> SENT: a@x.org: relayed"}},
      {A::delivered, "DELIVERED", {sent, "SENT -> DELIVERED: a@x.org: delivered"}},
      {A::failed, "BOUNCED", {sent, "SENT -> BOUNCED: a@x.org: failed"}},
      {A::given_up, "FAILED", {sent, "SENT -> FAILED: a@x.org: given-up"}},
      {A::deferred, "RETRY_PENDING", {sent, "SENT -> RETRY_PENDING: a@x.org: deferred"}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(kReportActionNames.text(one.action));
    Mail mail{uncertain_job(), standing({R::waiting})};
    EXPECT_TRUE(mail.take(said("a@x.org", one.action)).changes_row);
    EXPECT_EQ(mail.state(), one.state);
    EXPECT_EQ(mail.moves(), one.moves);
    EXPECT_NE(mail.job.dead_reason, DeadReason::Uncertain);
    for (const StatusEvent& event : mail.events)
      EXPECT_TRUE(event.from == event.to ||
                  mail_move_is_legal(*kMailStateNames.parse(event.from), *kMailStateNames.parse(event.to)));
  }
}

TEST(ReportRules, an_uncertain_mail_has_all_its_recipients_taken) {
  Mail mail{uncertain_job(), standing({R::waiting, R::refused, R::waiting})};
  mail.take(said("a@x.org", A::delivered));
  EXPECT_THAT(mail.statuses(), ElementsAre(R::delivered, R::refused, R::taken));
  EXPECT_EQ(mail.state(), "SENT");
  EXPECT_EQ(mail.job.last_error, "");
  EXPECT_EQ(mail.job.retry_count, 1);

  Mail other{uncertain_job(), standing({R::waiting})};
  EXPECT_FALSE(other.take(said("z@x.org", A::delivered)).changes_row)
      << "whoever wrote that knew no recipient";
  EXPECT_EQ(other.state(), "FAILED");
  Mail unnamed{uncertain_job(), standing({R::waiting})};
  unnamed.take(said("", A::delivered));
  EXPECT_EQ(unnamed.state(), "DELIVERED");
}

TEST(ReportRules, given_up_by_the_provider_is_failed) {
  Mail mail{job_in(S::sent), standing({R::taken, R::taken})};
  mail.take(said("", A::given_up, "5.7.1", "sender not allowed"));
  EXPECT_EQ(mail.state(), "FAILED");
  EXPECT_EQ(mail.job.dead_reason, DeadReason::PermanentFailure);
  EXPECT_EQ(mail.job.last_error, "5.7.1 sender not allowed");
  EXPECT_THAT(mail.statuses(), ElementsAre(R::refused, R::refused));
  EXPECT_THAT(mail.moves(), ElementsAre("SENT -> FAILED: all recipients: given-up (5.7.1)"));

  Mail one_of_two{job_in(S::sent), standing({R::taken, R::taken})};
  EXPECT_FALSE(one_of_two.take(said("a@x.org", A::given_up)).changes_row) << "the other one has it";
  EXPECT_EQ(one_of_two.state(), "SENT");
  one_of_two.take(said("b@x.org", A::delivered));
  EXPECT_EQ(one_of_two.state(), "DELIVERED") << "refused ones do not count";
}

TEST(ReportRules, deferred_by_the_provider_goes_out_again) {
  Mail mail{job_in(S::sent), standing({R::taken, R::refused, R::taken})};
  mail.job.retry_count = 1;
  const ReportDecision got = mail.take(said("", A::deferred, "4.3.2", "try later"));
  EXPECT_EQ(mail.state(), "RETRY_PENDING");
  EXPECT_EQ(got.status, S::queued);
  EXPECT_EQ(got.retry_count, 2);
  EXPECT_EQ(got.delay, Duration{std::chrono::seconds{90}});
  EXPECT_FALSE(got.partial);
  EXPECT_EQ(got.last_error, "4.3.2 try later");
  EXPECT_THAT(mail.statuses(), ElementsAre(R::waiting, R::refused, R::waiting));
  EXPECT_THAT(mail.moves(), ElementsAre("SENT -> RETRY_PENDING: all recipients: deferred (4.3.2)"));

  Mail grouped{job_in(S::sent), standing({R::taken, R::delivered})};
  grouped.job.group_mode = GroupMode::NEXT_ON_ERROR;
  const ReportDecision in_line = grouped.take(said("a@x.org", A::deferred));
  EXPECT_EQ(in_line.status, S::blocked) << "it gave up its turn when it was sent";
  EXPECT_TRUE(in_line.partial) << "somebody has it";
  EXPECT_EQ(grouped.state(), "RETRY_PENDING");
}

TEST(ReportRules, deferred_without_attempts_left_is_the_end) {
  Mail mail{job_in(S::sent), standing({R::taken})};
  mail.job.retry_count = mail.job.attempts_max - 1;
  const ReportDecision got = mail.take(said("a@x.org", A::deferred, "4.3.2"));
  EXPECT_EQ(mail.state(), "FAILED");
  EXPECT_EQ(got.dead_reason, DeadReason::MaxAttemptsExceeded);
  EXPECT_EQ(got.retry_count, mail.job.attempts_max);
  EXPECT_FALSE(got.delay.has_value());
  EXPECT_THAT(mail.statuses(), ElementsAre(R::refused));

  Mail others{job_in(S::sent), standing({R::taken, R::delivered})};
  others.job.retry_count = others.job.attempts_max - 1;
  others.take(said("a@x.org", A::deferred));
  EXPECT_EQ(others.state(), "DELIVERED") << "the one that is left has it";
}

TEST(ReportRules, a_mail_that_came_back_is_not_deferred) {
  Mail mail{job_in(S::sent), standing({R::taken, R::taken})};
  mail.take({said("b@x.org", A::deferred), said("a@x.org", A::failed, "5.1.1")});
  EXPECT_EQ(mail.state(), "BOUNCED");
  EXPECT_THAT(mail.statuses(), ElementsAre(R::bounced, R::taken));
  EXPECT_EQ(mail.job.retry_count, 0);
  EXPECT_THAT(mail.moves(), ElementsAre("SENT -> BOUNCED: a@x.org: failed (5.1.1)",
                                        "BOUNCED -> BOUNCED: b@x.org: deferred, but the mail has come back"));
}

bool early(const Job& job, const std::vector<Recipient>& recipients, std::vector<RecipientReport> what) {
  return is_too_early(job, recipients, report_with(std::move(what)));
}

TEST(ReportRules, too_early_while_the_hand_over_may_have_happened) {
  struct Case {
    const char* name;
    S status;
    int attempts;
    int losses;
    bool early;
  };
  const Case cases[] = {
      {"leased for the first time", S::dispatching, 0, 0, true},
      {"leased again", S::in_flight, 2, 0, true},
      {"being published", S::publishing, 0, 0, true},
      {"waits after an attempt", S::queued, 1, 0, true},
      {"waits after a lost lease", S::queued, 0, 1, true},
      {"waits in its group after an attempt", S::blocked, 1, 0, true},
      {"published after an attempt", S::published, 1, 0, true},
      {"never tried", S::queued, 0, 0, false},
      {"never tried, in its group", S::blocked, 0, 0, false},
      {"sent", S::sent, 1, 0, false},
      {"failed", S::failed, 1, 1, false},
      {"cancelled", S::cancelled, 1, 1, false},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    Job job = job_in(one.status);
    job.attempts = one.attempts;
    job.losses = one.losses;
    EXPECT_EQ(early(job, standing({R::waiting}), {said("A@x.org", A::failed, "5.1.1")}), one.early);
  }
  EXPECT_FALSE(early(uncertain_job(), standing({R::waiting}), {said("a@x.org", A::failed)}))
      << "nobody will settle it: the report does";
}

TEST(ReportRules, too_early_is_what_would_move_a_recipient_that_waits) {
  const Job leased = job_in(S::dispatching);
  for (const auto& [action, action_text] : kReportActionNames.entries) {
    SCOPED_TRACE(action_text);
    const bool moves = action != A::delayed && action != A::relayed && action != A::expanded;
    EXPECT_EQ(early(leased, standing({R::waiting}), {said("a@x.org", action)}), moves);
    EXPECT_EQ(early(leased, standing({R::waiting}), {said("", action)}), moves);
    EXPECT_EQ(early(leased, standing({R::waiting}), {{"alias@y.org", "a@x.org", action}}), moves);
    EXPECT_FALSE(early(leased, standing({R::waiting}), {said("z@x.org", action)})) << "a stranger";
    EXPECT_FALSE(early(leased, standing({R::taken, R::waiting}), {said("a@x.org", action)})) << "it has it";
    EXPECT_FALSE(early(leased, standing({R::taken, R::waiting}), {said("", action)})) << "of those who have";
    EXPECT_EQ(
        early(leased, standing({R::taken, R::waiting}), {said("a@x.org", action), said("b@x.org", action)}),
        moves)
        << "all of a report counts at once";
  }
  for (const R status : {R::taken, R::refused, R::suppressed, R::delivered, R::bounced})
    EXPECT_FALSE(early(leased, standing({status}), {said("a@x.org", A::failed)}));
}

TEST(ReportRules, too_early_is_known_again_whatever_was_put_in_front_of_it) {
  EXPECT_EQ(too_early_error().kind, ErrorKind::unavailable);
  EXPECT_TRUE(says_too_early(too_early_error()));
  EXPECT_TRUE(says_too_early(too_early_error().with_context("delivery report")));
  EXPECT_FALSE(says_too_early(Error{ErrorKind::unavailable, "the database does not answer"}));
  EXPECT_FALSE(says_too_early(Error{ErrorKind::conflict, std::string(kTooEarly)}));
}

TEST(ReportRules, one_who_has_the_mail_tells_nothing_of_another_whose_hand_over_is_open) {
  Mail mail{uncertain_job(), standing({R::taken, R::waiting})};
  mail.take(said("a@x.org", A::delivered));
  EXPECT_EQ(mail.state(), "FAILED");
  EXPECT_EQ(mail.recipients[1].status, R::waiting) << "nobody knows whether it has the mail";
  mail.take(said("b@x.org", A::delivered));
  EXPECT_NE(mail.state(), "FAILED") << "now somebody said so";
  EXPECT_EQ(mail.recipients[1].status, R::delivered);
}

TEST(ReportRules, the_address_the_mail_went_to_comes_before_the_one_an_alias_led_to) {
  Mail mail{job_in(S::sent), standing({R::taken, R::taken})};
  RecipientReport report = said("b@x.org", A::failed, "5.1.1");
  report.original_address = "a@x.org";
  mail.take(report);
  EXPECT_THAT(mail.statuses(), ElementsAre(R::bounced, R::taken));
  EXPECT_THAT(mail.suppressed, ElementsAre("a@x.org"));
}

TEST(ReportRules, a_bounce_that_names_nobody_suppresses_one_recipient_but_not_several) {
  Mail one{job_in(S::sent), standing({R::taken, R::refused})};
  one.take(said("", A::failed));
  EXPECT_THAT(one.suppressed, ElementsAre("a@x.org"));
  Mail several{job_in(S::sent), standing({R::taken, R::taken})};
  several.take(said("", A::failed));
  EXPECT_EQ(several.state(), "BOUNCED");
  EXPECT_THAT(several.suppressed, IsEmpty());
}

TEST(ReportRules, what_is_told_of_an_earlier_hand_over_does_not_take_back_the_last_one) {
  for (const A action : {A::deferred, A::given_up}) {
    Mail mail{job_in(S::sent), standing({R::taken})};
    mail.job.last_attempt_at = TimePoint{} + std::chrono::hours{10};
    mail.said_at = *mail.job.last_attempt_at - std::chrono::minutes{2};
    EXPECT_FALSE(mail.take(said("a@x.org", action)).changes_row);
    EXPECT_EQ(mail.state(), "SENT");
    EXPECT_EQ(mail.moves().size(), 1U) << "it is on record";
    mail.said_at = *mail.job.last_attempt_at + std::chrono::seconds{1};
    EXPECT_TRUE(mail.take(said("a@x.org", action)).changes_row);
  }
}

}  // namespace
}  // namespace eilbote::test::report_rules_test
