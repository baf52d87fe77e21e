// What a role does, and what it asks of a broker.
#include "app/broker_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/options.h"
#include "app/role.h"
#include "config/loader.h"

namespace eilbote::test::broker_parts_test {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;
using enum CarrierQueue;

Config config_of(Role role, const std::map<std::string, std::string>& variables = {}) {
  ConfigSources sources;
  sources.environment = variables;
  sources.environment.try_emplace("EILBOTE_TRANSPORT_URL", "amqp://rabbit");
  sources.environment["EILBOTE_ROLE"] = kRoleNames.text(role);
  auto loaded = load_config(sources);
  EXPECT_THAT(loaded.faults, IsEmpty());
  return loaded.config;
}

TEST(Role, everything_is_done_by_somebody_and_all_does_everything) {
  struct Case {
    Role role;
    bool takes, delivers, schedules, publishes;
  };
  for (const Case& c :
       {Case{Role::all, true, true, true, true}, Case{Role::api, true, false, false, true},
        Case{Role::worker, false, true, false, false}, Case{Role::scheduler, false, false, true, true}}) {
    const auto name = kRoleNames.text(c.role);
    EXPECT_EQ(takes_jobs(c.role), c.takes) << name;
    EXPECT_EQ(delivers(c.role), c.delivers) << name;
    EXPECT_EQ(schedules(c.role), c.schedules) << name;
    EXPECT_EQ(publishes(c.role), c.publishes) << name;
  }
}

TEST(BrokerParts, only_who_delivers_takes_messages) {
  EXPECT_THAT(consumed_queues(config_of(Role::all)), UnorderedElementsAre(mail_send, webhook_send));
  EXPECT_THAT(consumed_queues(config_of(Role::worker)), UnorderedElementsAre(mail_send, webhook_send));
  EXPECT_THAT(consumed_queues(config_of(Role::api)), IsEmpty());
  EXPECT_THAT(consumed_queues(config_of(Role::scheduler)), IsEmpty());
  EXPECT_THAT(consumed_queues(config_of(Role::all, {{"EILBOTE_TRANSPORT_URL", "database:"}})), IsEmpty());
}

TEST(BrokerParts, retries_apart_have_their_queue_and_mails_on_request_have_none) {
  EXPECT_THAT(consumed_queues(config_of(Role::all, {{"EILBOTE_TRANSPORT_RETRIES_APART", "on"}})),
              UnorderedElementsAre(mail_send, mail_retry, webhook_send));
  const Config triggered =
      config_of(Role::all, {{"EILBOTE_DISPATCH", "triggered"}, {"EILBOTE_TRANSPORT_RETRIES_APART", "on"}});
  EXPECT_THAT(consumed_queues(triggered), UnorderedElementsAre(webhook_send));
  EXPECT_FALSE(publisher_options(triggered).mails);
}

TEST(BrokerParts, the_scheduler_is_set_by_its_options) {
  const Config config = config_of(Role::api, {{"EILBOTE_TRANSPORT_DEPTH_MAX", "7"},
                                              {"EILBOTE_PENDING_POLL_SECONDS", "3"},
                                              {"DISPATCH_RETRY_INTERVAL_SECONDS", "4"},
                                              {"EILBOTE_TRANSPORT_RETRIES_APART", "on"}});
  const PublisherOptions options = publisher_options(config);
  EXPECT_FALSE(options.schedules) << "the role api publishes its own new jobs only";
  EXPECT_TRUE(options.mails);
  EXPECT_TRUE(options.retries_apart);
  EXPECT_EQ(options.depth_max, 7);
  EXPECT_EQ(options.pending_poll, std::chrono::seconds{3});
  EXPECT_EQ(options.retry_interval, std::chrono::seconds{4});
  EXPECT_TRUE(publisher_options(config_of(Role::scheduler)).schedules);
}

TEST(BrokerParts, an_instance_that_delivers_nothing_says_so) {
  EXPECT_EQ(api_settings(config_of(Role::worker)).delivers_nothing, "");
  EXPECT_EQ(api_settings(config_of(Role::all)).delivers_nothing, "");
  EXPECT_NE(api_settings(config_of(Role::api)).delivers_nothing, "");
}

}  // namespace
}  // namespace eilbote::test::broker_parts_test
