// Calls that wait without an end are ended.
#include "transport/link_watch.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace eilbote::test::link_watch_test {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

class LinkWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    watch.start();
  }
  void TearDown() override {
    watch.stop();
    ::close(ends[0]);
    ::close(ends[1]);
  }
  // Whether somebody who waits on it is let go within the time.
  bool ends_within(milliseconds time) {
    pollfd waits{ends[0], POLLIN, 0};
    return ::poll(&waits, 1, static_cast<int>(time.count())) == 1;
  }

  int ends[2] = {-1, -1};
  LinkSwitch link;
  LinkWatch watch;
};

TEST_F(LinkWatchTest, cuts_when_it_is_due_and_not_before) {
  link.hold(ends[0]);
  const auto begin = Steady::now();
  watch.watch(link, begin + std::chrono::hours{1});
  watch.watch(link, begin + milliseconds{100});
  EXPECT_TRUE(ends_within(std::chrono::seconds{20}));
  EXPECT_GE(Steady::now() - begin, milliseconds{100});
}

TEST_F(LinkWatchTest, leaves_alone_what_is_forgotten_let_go_or_mended) {
  link.hold(ends[0]);
  watch.watch(link, Steady::now() + milliseconds{50});
  watch.forget(link);
  EXPECT_FALSE(ends_within(milliseconds{100}));
  link.let_go();
  link.cut();
  EXPECT_FALSE(ends_within(milliseconds{0})) << "it is somebody else's now";
  link.mend();
  link.hold(ends[0]);
  EXPECT_FALSE(ends_within(milliseconds{0}));
  link.let_go();
}

TEST_F(LinkWatchTest, what_was_cut_stays_so_for_the_next_socket) {
  link.cut();
  link.hold(ends[0]);
  EXPECT_TRUE(ends_within(milliseconds{0}));
}

}  // namespace
}  // namespace eilbote::test::link_watch_test
