// The report desk: what it hands to the book, what it leaves out, whom it wakes and what it counts.
#include "engine/report_desk.h"

#include <gtest/gtest.h>

#include <deque>

#include "metrics/metrics.h"
#include "support/metric_value.h"

namespace eilbote::test::report_desk_test {
namespace {

class FakeBook final : public ReportBook {
 public:
  std::vector<DeliveryReport> taken;
  std::deque<Result<ReportOutcome>> answers;  // the last stays
  Result<ReportOutcome> take(const DeliveryReport& report) override {
    taken.push_back(report);
    Result<ReportOutcome> answer = answers.front();
    if (answers.size() > 1) answers.pop_front();
    return answer;
  }
  Result<std::vector<ReportRecord>> reports(const ReportQuery&) override {
    return std::vector<ReportRecord>{};
  }
};

ReportOutcome outcome(ReportKind kind, const std::string& from = "", const std::string& to = "",
                      int lane = 0) {
  ReportOutcome made;
  made.kind = kind;
  if (kind != ReportKind::unmatched) made.job = JobId{7};
  made.from = from;
  made.to = to;
  made.lane = LaneId{lane};
  return made;
}

DeliveryReport report() {
  DeliveryReport made;
  made.key = "provider:1";
  made.source = ReportSource::provider;
  made.recipients.push_back({"ada@example.org", "", ReportAction::failed, "5.1.1", ""});
  return made;
}

std::string reports_line(ReportTaken taken, const std::string& source) {
  return "eilbote_delivery_reports_total{outcome=\"" + std::string(kReportTakenNames.text(taken)) +
         "\",source=\"" + source + "\"}";
}

class ReportDeskTest : public testing::Test {
 protected:
  FakeBook book_;
  Metrics metrics_;
  std::vector<LaneId> woken_;
  ReportDesk desk_{book_, metrics_, [this](std::span<const LaneId> lanes) {
                     woken_.insert(woken_.end(), lanes.begin(), lanes.end());
                   }};
};

TEST_F(ReportDeskTest, CountsWhatBecameOfTheMail) {
  struct Case {
    const char* name;
    ReportOutcome outcome;
    ReportTaken taken;
    const char* metric;  // that is one now
  };
  const Case cases[] = {
      {"bounced", outcome(ReportKind::applied, "SENT", "BOUNCED"), ReportTaken::applied,
       "eilbote_messages_bounced_total"},
      {"delivered", outcome(ReportKind::applied, "SENT", "DELIVERED"), ReportTaken::applied,
       "eilbote_messages_delivered_total"},
      {"given up", outcome(ReportKind::applied, "SENT", "FAILED"), ReportTaken::applied,
       "eilbote_messages_failed_total"},
      {"again", outcome(ReportKind::applied, "SENT", "RETRY_PENDING", 3), ReportTaken::applied,
       "eilbote_messages_retry_pending_total"},
      {"a note", outcome(ReportKind::applied, "BOUNCED", "BOUNCED"), ReportTaken::applied, nullptr},
      {"seen before", outcome(ReportKind::seen_before, "SENT", "BOUNCED"), ReportTaken::seen_before, nullptr},
      {"unmatched", outcome(ReportKind::unmatched), ReportTaken::unmatched, nullptr},
  };
  for (const Case& one : cases) {
    Metrics metrics;
    FakeBook book;
    book.answers = {one.outcome};
    ReportDesk desk(book, metrics, [](std::span<const LaneId>) {});
    const auto answer = desk.take(report());
    ASSERT_TRUE(answer.has_value()) << one.name;
    EXPECT_EQ(answer->taken, one.taken) << one.name;
    EXPECT_EQ(answer->recipients.size(), 1U) << one.name;
    for (const std::string name : {"eilbote_messages_bounced_total", "eilbote_messages_delivered_total",
                                   "eilbote_messages_failed_total", "eilbote_messages_retry_pending_total"})
      EXPECT_EQ(metric_value(metrics, name).value_or(0), one.metric != nullptr && name == one.metric ? 1 : 0)
          << one.name << " " << name;
    EXPECT_EQ(metric_value(metrics, reports_line(one.taken, "provider")), 1) << one.name;
  }
}

TEST_F(ReportDeskTest, WakesTheLaneOfAMailThatIsQueuedAgain) {
  book_.answers = {outcome(ReportKind::applied, "SENT", "RETRY_PENDING", 3),
                   outcome(ReportKind::applied, "SENT", "BOUNCED")};
  ASSERT_TRUE(desk_.take(report()));
  EXPECT_EQ(woken_, std::vector<LaneId>{LaneId{3}});
  ASSERT_TRUE(desk_.take(report()));
  EXPECT_EQ(woken_.size(), 1U);
}

TEST_F(ReportDeskTest, AsksAgainWhenTheCommitIsInDoubt) {
  book_.answers = {fail(ErrorKind::ambiguous, "the link died"), outcome(ReportKind::seen_before)};
  const auto answer = desk_.take(report());
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->taken, ReportTaken::seen_before);
  EXPECT_EQ(book_.taken.size(), 2U);
  book_.answers = {fail(ErrorKind::unavailable, "away")};
  EXPECT_EQ(desk_.take(report()).error().kind, ErrorKind::unavailable);
  EXPECT_EQ(book_.taken.size(), 3U);
}

TEST_F(ReportDeskTest, WhatComesTooEarlyIsNotTaken) {
  book_.answers = {fail(too_early_error())};
  const auto answer = desk_.take(report());
  ASSERT_FALSE(answer.has_value());
  EXPECT_TRUE(says_too_early(answer.error()));
  EXPECT_EQ(book_.taken.size(), 1U) << "asking again at once would not help";
  for (const auto& [taken, text] : kReportTakenNames.entries)
    EXPECT_EQ(metric_value(metrics_, reports_line(taken, "provider")).value_or(0), 0) << text;
  EXPECT_TRUE(woken_.empty());
}

constexpr const char* kBounce =
    "From: MAILER-DAEMON@relay.example.org\r\nTo: shop@example.org\r\nSubject: Undelivered\r\n"
    "MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\r\n\r\n"
    "--b\r\nContent-Type: text/plain\r\n\r\nIt did not work.\r\n"
    "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; relay.example.org\r\n\r\n"
    "Final-Recipient: rfc822; ada@example.org\r\nAction: failed\r\nStatus: 5.1.1\r\n"
    "Diagnostic-Code: smtp; 550 5.1.1 no such user\r\n\r\n"
    "--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <x@example.org>\r\n\r\n--b--\r\n";

TEST_F(ReportDeskTest, ReadsABounce) {
  book_.answers = {outcome(ReportKind::applied, "SENT", "BOUNCED")};
  const auto answer = desk_.take_dsn(kBounce, dsn_key(kBounce), ReportSource::dsn, "trace");
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->kind, DsnKind::report);
  ASSERT_EQ(book_.taken.size(), 1U);
  EXPECT_EQ(book_.taken[0].key, dsn_key(kBounce));
  EXPECT_EQ(book_.taken[0].trace_id, "trace");
  ASSERT_EQ(book_.taken[0].recipients.size(), 1U);
  EXPECT_EQ(book_.taken[0].recipients[0].address, "ada@example.org");
  EXPECT_EQ(book_.taken[0].recipients[0].action, ReportAction::failed);
}

// Its table names nobody: only the words in it tell that something is wrong.
TEST_F(ReportDeskTest, ABounceThatNamesNobodyIsANoteForAPerson) {
  std::string raw = kBounce;
  const auto from = raw.find("Final-Recipient:"), to = raw.find("--b\r\nContent-Type: text/rfc822-headers");
  raw.erase(from, to - from);
  book_.answers = {outcome(ReportKind::applied, "SENT", "SENT")};
  const auto answer = desk_.take_dsn(raw, dsn_key(raw), ReportSource::dsn, "");
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->kind, DsnKind::report);
  ASSERT_EQ(book_.taken.size(), 1U);
  ASSERT_EQ(book_.taken[0].recipients.size(), 1U);
  const RecipientReport& note = book_.taken[0].recipients[0];
  EXPECT_EQ(note.address, "");
  EXPECT_EQ(note.action, ReportAction::delayed) << "a note changes nothing";
  EXPECT_NE(note.diagnostic.find("a person has to look"), std::string::npos);
}

TEST_F(ReportDeskTest, IgnoresWhatIsNoReport) {
  book_.answers = {outcome(ReportKind::unmatched)};
  for (const char* raw :
       {"From: ada@example.org\r\nSubject: Hello\r\n\r\nHi.\r\n",
        "From: ada@example.org\r\nAuto-Submitted: auto-replied\r\nSubject: Out of office\r\n\r\nBack "
        "on Monday.\r\n"}) {
    const auto answer = desk_.take_dsn(raw, dsn_key(raw), ReportSource::graph, "");
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->taken, ReportTaken::ignored) << raw;
    EXPECT_NE(answer->kind, DsnKind::report) << raw;
  }
  EXPECT_TRUE(book_.taken.empty());
  EXPECT_EQ(metric_value(metrics_, reports_line(ReportTaken::ignored, "graph")), 2);
}

}  // namespace
}  // namespace eilbote::test::report_desk_test
