// What a running server takes over from a configuration that was read again, and what it names for the next start.
#include "config/config_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace eilbote::test::config_changes_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Environment = std::map<std::string, std::string>;

ConfigChanges changes(const Environment& before, const Environment& now) {
  ConfigSources first, second;
  first.environment = before;
  second.environment = now;
  return changes_between(load_config(first).settings, load_config(second).settings);
}

TEST(ConfigChanges, are_none_where_nothing_changed) {
  const Environment same{{"EILBOTE_LISTEN", "127.0.0.1:1"}, {"EILBOTE_LOG_LEVEL", "debug"}};
  EXPECT_THAT(changes(same, same).live, IsEmpty());
  EXPECT_THAT(changes(same, same).at_restart, IsEmpty());
  EXPECT_THAT(changes({}, {{"EILBOTE_LOG_LEVEL", "info"}}).live, IsEmpty()) << "the default, written down";
}

TEST(ConfigChanges, are_live_or_for_the_next_start) {
  const auto found = changes(
      {{"EILBOTE_LOG_LEVEL", "debug"}},
      {{"EILBOTE_LOG_LEVEL", "error"}, {"EILBOTE_LISTEN", "127.0.0.1:1"}, {"EILBOTE_LEASE_SECONDS", "30"}});
  EXPECT_THAT(found.live, ElementsAre("EILBOTE_LOG_LEVEL"));
  EXPECT_THAT(found.at_restart, ElementsAre("EILBOTE_LISTEN", "EILBOTE_LEASE_SECONDS"));
}

TEST(ConfigChanges, TLS_moves_to_other_files_but_is_not_switched) {
  const Environment off, on{{"EILBOTE_LISTEN_TLS_CERT", "a"}, {"EILBOTE_LISTEN_TLS_KEY", "b"}},
      moved{{"EILBOTE_LISTEN_TLS_CERT", "c"}, {"EILBOTE_LISTEN_TLS_KEY", "b"}};
  EXPECT_THAT(changes(on, moved).live, ElementsAre("EILBOTE_LISTEN_TLS_CERT"));
  for (const auto& found : {changes(off, on), changes(on, off)}) {
    EXPECT_THAT(found.live, IsEmpty());
    EXPECT_THAT(found.at_restart, ElementsAre("EILBOTE_LISTEN_TLS_CERT", "EILBOTE_LISTEN_TLS_KEY"));
  }
}

// A name that is in no table would be live and never change.
TEST(ConfigChanges, live_options_are_in_the_table) {
  int live = 0;
  for (const Option& option : option_table())
    live += is_live(option.key) ? 1 : 0;
  EXPECT_EQ(live, 4);
}

}  // namespace
}  // namespace eilbote::test::config_changes_test
