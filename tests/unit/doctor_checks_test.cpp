// The doctor's checks run side by side, and one that hangs is given up and remembered.
#include <gmock/gmock.h>

#include <future>

#include "app/doctor.h"

namespace eilbote::test::doctor_checks_test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

TEST(DoctorChecks, one_that_is_late_is_given_up_and_remembered) {
  const Check quick{"quick", "", [] { return std::vector<Finding>{Finding::ok("quick", "here")}; }};
  const Check broken{"broken", "", []() -> std::vector<Finding> { throw std::runtime_error("oops"); }};
  const auto good = run_checks({quick, broken, quick}, 30s);
  ASSERT_EQ(good.size(), 3U);
  EXPECT_EQ(good[0].seen, "here");
  EXPECT_EQ(good[1].seen, "oops");
  EXPECT_FALSE(has_late_checks());

  const auto gate = std::make_shared<std::promise<void>>();
  const auto opened = gate->get_future().share();
  const Check stuck{"stuck", "Look at it.", [gate, opened] {
                      opened.wait();
                      return std::vector<Finding>();
                    }};
  const auto late = run_checks({quick, stuck}, 200ms);
  gate->set_value();
  ASSERT_EQ(late.size(), 2U);
  EXPECT_EQ(late[1].severity, Severity::error);
  EXPECT_EQ(late[1].seen, "no answer within 200ms");
  EXPECT_EQ(late[1].advice, "Look at it.");
  EXPECT_TRUE(has_late_checks());
}

}  // namespace
}  // namespace eilbote::test::doctor_checks_test
