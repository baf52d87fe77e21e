// The leases of this process: who holds what, and how they are named in a log line.
#include "engine/held_leases.h"

#include <gtest/gtest.h>

namespace eilbote::held_leases_test {
namespace {

Lease lease(std::int64_t job, std::int64_t token = 1) {
  return {JobId{job}, LeaseToken{token}};
}

TEST(HeldLeases, each_job_once_of_one_channel_or_of_both) {
  HeldLeases held;
  held.add(lease(1, 1), ChannelKind::mail);
  held.add(lease(1, 2), ChannelKind::mail);  // lost, and claimed again
  held.add(lease(2), ChannelKind::webhook);
  EXPECT_EQ(held.size(), 3U);
  EXPECT_EQ(held.jobs(), (std::vector{JobId{1}, JobId{2}}));
  EXPECT_EQ(held.jobs(ChannelKind::webhook), std::vector{JobId{2}});
  held.remove(lease(1, 1));
  EXPECT_FALSE(held.contains(lease(1, 1)));
  EXPECT_TRUE(held.contains(lease(1, 2)));
}

TEST(HeldLeases, names_the_first_twenty) {
  HeldLeases held;
  EXPECT_EQ(held.names(), "");
  held.add(lease(1), ChannelKind::mail);
  held.add(lease(2), ChannelKind::webhook);
  EXPECT_EQ(held.names(), to_text(JobId{1}) + ", " + to_text(JobId{2}));
  for (int i = 3; i <= 21; ++i)
    held.add(lease(i), ChannelKind::mail);
  EXPECT_TRUE(held.names().ends_with(to_text(JobId{20}) + ", ...")) << held.names();
}

}  // namespace
}  // namespace eilbote::held_leases_test
