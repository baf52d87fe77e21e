// Delivery reports in all orders, about many recipients, in hostile texts; and the spelling of addresses.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "domain/states.h"
#include "unit/report_rules_cases.h"

namespace eilbote::test::report_order_test {
namespace {

using namespace report_cases;

// The promise: where it ends does not depend on the order. Every move on the way is legal, and none is repeated.
TEST(ReportOrder, all_orders_of_reports_end_alike) {
  struct Case {
    const char* name;
    std::vector<RecipientReport> reports;
    const char* state;
    std::vector<R> statuses;
  };
  const Case cases[] = {
      {"one of three bounces",
       {said("a@x.org", A::delivered), said("b@x.org", A::failed, "5.1.1"), said("c@x.org", A::delivered),
        said("b@x.org", A::delayed, "4.4.1"), said("a@x.org", A::relayed)},
       "BOUNCED",
       {R::delivered, R::bounced, R::delivered}},
      {"all delivered, one of them twice",
       {said("a@x.org", A::delivered), said("b@x.org", A::delivered), said("c@x.org", A::delivered),
        said("a@x.org", A::delivered)},
       "DELIVERED",
       {R::delivered, R::delivered, R::delivered}},
      {"one is still missing",
       {said("a@x.org", A::delivered), said("c@x.org", A::delivered), said("b@x.org", A::expanded)},
       "SENT",
       {R::delivered, R::taken, R::delivered}},
      {"one given up, the others delivered",
       {said("a@x.org", A::given_up), said("b@x.org", A::delivered), said("c@x.org", A::delivered)},
       "DELIVERED",
       {R::refused, R::delivered, R::delivered}},
      {"one given up, one bounced, one silent",
       {said("a@x.org", A::given_up), said("b@x.org", A::failed, "4.2.2")},
       "BOUNCED",
       {R::refused, R::bounced, R::taken}},
      {"all given up",
       {said("a@x.org", A::given_up), said("b@x.org", A::given_up), said("c@x.org", A::given_up)},
       "FAILED",
       {R::refused, R::refused, R::refused}},
      {"all bounced, and strangers",
       {said("a@x.org", A::failed, "5.1.1"), said("b@x.org", A::failed, "5.1.1"),
        said("c@x.org", A::failed, "5.1.1"), said("z@x.org", A::delivered)},
       "BOUNCED",
       {R::bounced, R::bounced, R::bounced}},
  };
  for (const Case& one : cases)
    for (const bool uncertain : {false, true}) {
      SCOPED_TRACE(one.name);
      std::vector<std::size_t> order(one.reports.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      do {
        Mail mail{uncertain ? uncertain_job() : job_in(S::sent),
                  uncertain ? standing({R::waiting, R::waiting, R::waiting})
                            : standing({R::taken, R::taken, R::taken})};
        for (const std::size_t i : order)
          mail.take(one.reports[i]);
        ASSERT_EQ(mail.state(), one.state);
        ASSERT_EQ(mail.statuses(), one.statuses);
        int moved = 0;
        for (const StatusEvent& event : mail.events) {
          if (event.from == event.to) continue;
          ++moved;
          ASSERT_TRUE(
              mail_move_is_legal(*kMailStateNames.parse(event.from), *kMailStateNames.parse(event.to)))
              << event.from << " -> " << event.to;
        }
        ASSERT_LE(moved, uncertain ? 2 : 1);
      } while (std::next_permutation(order.begin(), order.end()));
    }
}

TEST(ReportOrder, a_report_about_many_is_one_event_of_bounded_length) {
  Mail mail{job_in(S::sent), {}};
  std::vector<RecipientReport> all;
  for (int i = 0; i < 300; ++i) {
    const std::string address = "recipient-number-" + std::to_string(i) + "@x.org";
    mail.recipients.push_back({RecipientKind::to, address, R::taken, ""});
    all.push_back(said(address, A::failed, "5.1.1", std::string(5000, 'x') + '\0'));
    all.push_back(said("stranger-" + address, A::failed, "5.1.1"));
  }
  const ReportDecision got = mail.take(std::move(all));
  EXPECT_EQ(mail.state(), "BOUNCED");
  EXPECT_EQ(got.recipients.size(), 300U);
  EXPECT_EQ(got.suppress.size(), 300U);
  ASSERT_EQ(got.events.size(), 2U);
  for (const StatusEvent& event : got.events)
    EXPECT_LE(event.reason.size(), kErrorTextMax);
  EXPECT_LE(got.recipients[0].reply.size(), kErrorTextMax);
  EXPECT_LE(got.last_error.size(), kErrorTextMax);
}

TEST(ReportOrder, texts_of_others_are_made_fit_to_store) {
  Mail mail{job_in(S::sent), standing({R::taken})};
  mail.take(said("a@x.org", A::failed, std::string("5.1.1\0\r\n", 8), "550\xff no\r\nsuch\tuser"));
  EXPECT_EQ(mail.recipients[0].reply.find('\0'), std::string::npos);
  EXPECT_EQ(mail.recipients[0].reply.find('\n'), std::string::npos);
  const ReportDecision got = mail.take(said(std::string("z\0@x.org\xff", 9), A::failed));
  ASSERT_EQ(got.events.size(), 1U);
  EXPECT_EQ(got.events[0].reason.find('\0'), std::string::npos);
  EXPECT_EQ(got.events[0].reason.find('\xff'), std::string::npos);
}

TEST(ReportOrder, report_of_recipients) {
  struct Case {
    std::vector<Recipient> recipients;
    std::optional<Report> want;
  };
  const Case cases[] = {
      {standing({}), std::nullopt},
      {standing({R::taken}), std::nullopt},
      {standing({R::delivered, R::taken}), std::nullopt},
      {standing({R::refused}), std::nullopt},
      {standing({R::delivered, R::refused, R::suppressed}), Report::delivered},
      {standing({R::delivered, R::bounced, R::taken}), Report::bounced},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i)
    EXPECT_EQ(report_of(cases[i].recipients), cases[i].want) << "case " << i;
}

TEST(NormalAddress, one_spelling_for_all) {
  const std::pair<const char*, const char*> cases[] = {
      {"a@x.org", "a@x.org"},
      {"Ann.Lee+News@Example.ORG", "ann.lee+news@example.org"},
      {" ann@example.org\r\n", "ann@example.org"},
      {"ann@BÜCHER.example", "ann@xn--bcher-kva.example"},
      {"ann@xn--BCHER-kva.example", "ann@xn--bcher-kva.example"},
      {"Jürgen@example.org", "jürgen@example.org"},
      {"ÄNN@example.org", "Änn@example.org"},  // only ASCII has a case everybody agrees on
      {"ann@[192.0.2.1]", "ann@[192.0.2.1]"},
      {"Not An Address", "not an address"},
      {"", ""},
  };
  for (const auto& [given, want] : cases)
    EXPECT_EQ(normal_address(given), want) << given;
}

}  // namespace
}  // namespace eilbote::test::report_order_test
