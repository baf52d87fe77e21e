// Watched mailboxes: each is kept by one living instance, what is known of it survives restarts, and what came in waits until
// it was read, once.
#include <gmock/gmock.h>

#include <thread>

#include "support/outbox_fixture.h"

namespace eilbote::test::mailbox_watch_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Names = std::vector<std::string>;

class MailboxWatchTest : public StoreFixture {
 protected:
  std::vector<WatchedMailbox> keep(const Worker& who, const Names& names, Duration lease = minutes{1}) {
    return must(mailboxes().keep(who.epoch(), names, lease));
  }
  static Names names_of(const std::vector<WatchedMailbox>& all) {
    Names names;
    for (const WatchedMailbox& one : all)
      names.push_back(one.mailbox);
    return names;
  }
  // Every instance so far, for an hour: SQLite ends all others when one starts.
  void let_live() { sql("UPDATE instances SET lease_until = " + sql_time(now() + hours{1})); }
  WatchedMailbox kept(const std::string& name) {
    if (!keeper_) keeper_ = std::make_unique<Worker>(outbox(), care(), "keeper", days{1000});
    return keep(*keeper_, {name}).at(0);
  }
  WatchedMailbox subscribed(const std::string& name, const std::string& subscription) {
    WatchedMailbox mailbox = kept(name);
    mailbox.subscription_id = subscription;
    mailbox.client_state = "secret of " + name;
    must(mailboxes().save(mailbox));
    return mailbox;
  }

  int add(const std::string& mailbox, const Names& ids) {
    std::vector<MailNotice> notices;
    for (const std::string& id : ids)
      notices.push_back({0, mailbox, id, 0});
    return must(mailboxes().add(notices));
  }
  std::vector<MailNotice> waiting(const Names& names, int limit = 100) {
    return must(mailboxes().waiting(names, limit));
  }
  Names ids_waiting(const Names& names, int limit = 100) {
    Names ids;
    for (const MailNotice& notice : waiting(names, limit))
      ids.push_back(notice.message_id);
    return ids;
  }
  void read(std::int64_t number) { must(mailboxes().read(std::span(&number, 1))); }

 private:
  std::unique_ptr<Worker> keeper_;
};
INSTANTIATE_TEST_SUITE_P(Stores, MailboxWatchTest, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(MailboxWatchTest, EachMailboxHasOneKeeper) {
  Worker one(outbox(), care(), "one"), two(outbox(), care(), "two");
  let_live();
  EXPECT_THAT(names_of(keep(one, {"b@x.org", "a@x.org", "b@x.org"})),
              UnorderedElementsAre("a@x.org", "b@x.org"));
  EXPECT_THAT(names_of(keep(two, {"a@x.org", "b@x.org", "c@x.org"})), ElementsAre("c@x.org"));
  EXPECT_THAT(names_of(keep(one, {"a@x.org", "b@x.org", "c@x.org"})),
              UnorderedElementsAre("a@x.org", "b@x.org"));
  EXPECT_THAT(keep(two, {"a@x.org"}), IsEmpty());
  EXPECT_THAT(keep(two, {}), IsEmpty());
}

TEST_P(MailboxWatchTest, AKeeperThatDoesNotComeBackLosesItAfterItsLease) {
  Worker one(outbox(), care(), "one"), two(outbox(), care(), "two");
  let_live();
  keep(one, {"a@x.org"}, minutes{10});
  travel(minutes{9});
  EXPECT_THAT(keep(two, {"a@x.org"}), IsEmpty());
  keep(one, {"a@x.org"}, minutes{10});
  travel(minutes{9});
  EXPECT_THAT(keep(two, {"a@x.org"}), IsEmpty()) << "kept on";
  travel(minutes{2});
  EXPECT_THAT(names_of(keep(two, {"a@x.org"}, minutes{10})), ElementsAre("a@x.org"));
  EXPECT_THAT(keep(one, {"a@x.org"}), IsEmpty()) << "too late";
}

TEST_P(MailboxWatchTest, ADeadInstanceKeepsNothing) {
  Worker one(outbox(), care(), "one"), two(outbox(), care(), "two");
  let_live();
  keep(one, {"a@x.org"}, hours{5});
  EXPECT_THAT(keep(two, {"a@x.org"}), IsEmpty());
  must(care().end_instance(one.epoch()));
  EXPECT_THAT(names_of(keep(two, {"a@x.org"})), ElementsAre("a@x.org"));
}

TEST_P(MailboxWatchTest, TwoThatAskAtOnceDoNotBothGetIt) {
  Worker one(outbox(), care(), "one"), two(outbox(), care(), "two");
  let_live();
  Names names;
  for (int i = 0; i < 40; ++i)
    names.push_back(std::to_string(i) + "@x.org");
  const Names backwards(names.rbegin(), names.rend());
  std::vector<WatchedMailbox> first, second;
  {
    const std::jthread other([&] { second = keep(two, backwards); });
    first = keep(one, names);
  }
  Names all = names_of(first);
  for (std::string& name : names_of(second))
    all.push_back(std::move(name));
  EXPECT_THAT(all, ::testing::UnorderedElementsAreArray(names));
}

TEST_P(MailboxWatchTest, WhatIsSavedComesBackAfterARestart) {
  Worker one(outbox(), care(), "one", days{1000});
  WatchedMailbox mailbox = keep(one, {"a@x.org"}).at(0);
  EXPECT_EQ(mailbox.subscription_id + mailbox.client_state + mailbox.delta_link, "");
  EXPECT_FALSE(mailbox.subscription_ends || mailbox.traced_until || mailbox.wants);
  mailbox.subscription_id = "sub-1";
  mailbox.client_state = "s3cret";
  mailbox.subscription_ends = now() + days{6};
  mailbox.delta_link = "https://graph.example/delta?token=1";
  mailbox.traced_until = now() - hours{1};
  must(mailboxes().save(mailbox));
  reopen();
  WatchedMailbox again = keep(one, {"a@x.org"}).at(0);
  EXPECT_EQ(again.subscription_id, "sub-1");
  EXPECT_EQ(again.client_state, "s3cret");
  EXPECT_EQ(again.subscription_ends, mailbox.subscription_ends);
  EXPECT_EQ(again.delta_link, mailbox.delta_link);
  EXPECT_EQ(again.traced_until, mailbox.traced_until);
  again.subscription_id = "";
  again.subscription_ends.reset();
  must(mailboxes().save(again));
  again = keep(one, {"a@x.org"}).at(0);
  EXPECT_EQ(again.subscription_id, "");
  EXPECT_FALSE(again.subscription_ends);
}

TEST_P(MailboxWatchTest, WhatWasEverWatchedIsKnown) {
  EXPECT_THAT(must(mailboxes().known(10)), IsEmpty());
  kept("b@x.org");
  kept("a@x.org");
  EXPECT_THAT(must(mailboxes().known(10)), ElementsAre("a@x.org", "b@x.org"));
  EXPECT_THAT(must(mailboxes().known(1)), ElementsAre("a@x.org"));
}

TEST_P(MailboxWatchTest, SavingDoesNotMoveTheKeeper) {
  Worker one(outbox(), care(), "one"), two(outbox(), care(), "two");
  let_live();
  const WatchedMailbox mailbox = keep(one, {"a@x.org"}).at(0);
  must(mailboxes().save(mailbox));
  EXPECT_THAT(keep(two, {"a@x.org"}), IsEmpty());
}

TEST_P(MailboxWatchTest, MailboxesAreFoundByTheirSubscriptions) {
  subscribed("a@x.org", "sub-a");
  subscribed("b@x.org", "sub-b");
  kept("c@x.org");  // without one
  Names asked{"", "sub-b", "sub-b"};
  for (int i = 0; i < 1000; ++i)
    asked.push_back("unknown-" + std::to_string(i));
  const std::vector<WatchedMailbox> found = must(mailboxes().with_subscriptions(asked));
  ASSERT_THAT(names_of(found), ElementsAre("b@x.org"));
  EXPECT_EQ(found[0].client_state, "secret of b@x.org");
  asked.push_back("sub-a");
  EXPECT_EQ(must(mailboxes().with_subscriptions(asked)).size(), 2U);
  EXPECT_THAT(must(mailboxes().with_subscriptions({})), IsEmpty());
}

TEST_P(MailboxWatchTest, EveryMailboxThatWasKeptIsKnownAfterARestart) {
  EXPECT_THAT(must(mailboxes().known(10)), IsEmpty());
  kept("b@x.org");
  subscribed("a@x.org", "sub-a");
  reopen();
  EXPECT_THAT(must(mailboxes().known(10)), ElementsAre("a@x.org", "b@x.org"));
  EXPECT_THAT(must(mailboxes().known(1)), ElementsAre("a@x.org"));
}

TEST_P(MailboxWatchTest, AWishWaitsUntilItWasActedOn) {
  subscribed("a@x.org", "sub-a");
  kept("b@x.org");
  must(mailboxes().want("a@x.org", GraphLifecycle::renew));
  must(mailboxes().want("nobody@x.org", GraphLifecycle::resync));
  reopen();
  WatchedMailbox mailbox = kept("a@x.org");
  EXPECT_EQ(mailbox.wants, GraphLifecycle::renew);
  EXPECT_EQ(must(mailboxes().with_subscriptions(Names{"sub-a"})).at(0).wants, GraphLifecycle::renew);
  EXPECT_FALSE(kept("b@x.org").wants);
  EXPECT_EQ(count("watched_mailboxes"), 2);
  must(mailboxes().save(mailbox));
  EXPECT_FALSE(kept("a@x.org").wants);
}

TEST_P(MailboxWatchTest, TheWeightierWishStays) {
  kept("a@x.org");
  must(mailboxes().want("a@x.org", GraphLifecycle::resync));
  EXPECT_EQ(kept("a@x.org").wants, GraphLifecycle::resync);
  must(mailboxes().want("a@x.org", GraphLifecycle::create));
  EXPECT_EQ(kept("a@x.org").wants, GraphLifecycle::create);
  must(mailboxes().want("a@x.org", GraphLifecycle::renew));
  EXPECT_EQ(kept("a@x.org").wants, GraphLifecycle::create);
}

TEST_P(MailboxWatchTest, AWishThatCameMeanwhileIsNotForgotten) {
  const WatchedMailbox before = kept("a@x.org");
  must(mailboxes().want("a@x.org", GraphLifecycle::resync));
  must(mailboxes().save(before));
  WatchedMailbox mailbox = kept("a@x.org");
  EXPECT_EQ(mailbox.wants, GraphLifecycle::resync);
  must(mailboxes().want("a@x.org", GraphLifecycle::create));
  must(mailboxes().save(mailbox));
  EXPECT_EQ(kept("a@x.org").wants, GraphLifecycle::create);
}

TEST_P(MailboxWatchTest, NoticesWaitOldestFirst) {
  EXPECT_EQ(add("a@x.org", {"m1"}), 1);
  travel(seconds{1});
  EXPECT_EQ(add("b@x.org", {"m2"}), 1);
  travel(seconds{1});
  EXPECT_EQ(add("a@x.org", {"m0"}), 1);
  EXPECT_THAT(ids_waiting({"a@x.org", "b@x.org"}), ElementsAre("m1", "m2", "m0"));
  EXPECT_THAT(ids_waiting({"a@x.org", "b@x.org"}, 2), ElementsAre("m1", "m2"));
  EXPECT_THAT(ids_waiting({"a@x.org"}), ElementsAre("m1", "m0"));
  EXPECT_THAT(ids_waiting({"c@x.org"}), IsEmpty());
  EXPECT_THAT(ids_waiting({}), IsEmpty());
  const MailNotice first = waiting({"a@x.org"}).at(0);
  EXPECT_EQ(first.mailbox, "a@x.org");
  EXPECT_EQ(first.tries, 0);
}

TEST_P(MailboxWatchTest, AMessageIsKnownOnceAlsoAfterItWasRead) {
  EXPECT_EQ(add("a@x.org", {"m1", "m1", "m2"}), 2) << "twice in one";
  EXPECT_EQ(add("a@x.org", {"m2", "m3"}), 1);
  EXPECT_EQ(add("b@x.org", {"m1"}), 1) << "of another mailbox";
  EXPECT_EQ(add("a@x.org", {}), 0);
  for (const MailNotice& notice : waiting({"a@x.org"}))
    read(notice.number);
  EXPECT_THAT(ids_waiting({"a@x.org"}), IsEmpty());
  EXPECT_EQ(add("a@x.org", {"m1", "m2", "m3"}), 0);
  EXPECT_THAT(ids_waiting({"a@x.org"}), IsEmpty());
  EXPECT_THAT(ids_waiting({"b@x.org"}), ElementsAre("m1"));
}

TEST_P(MailboxWatchTest, WhatIsPutOffComesBackInItsTime) {
  add("a@x.org", {"m1"});
  const std::int64_t number = waiting({"a@x.org"}).at(0).number;
  must(mailboxes().put_off(number, minutes{5}));
  EXPECT_THAT(ids_waiting({"a@x.org"}), IsEmpty());
  travel(minutes{6});
  ASSERT_EQ(waiting({"a@x.org"}).size(), 1U);
  EXPECT_EQ(waiting({"a@x.org"}).at(0).tries, 1);
  must(mailboxes().put_off(number, Duration{0}));
  EXPECT_EQ(waiting({"a@x.org"}).at(0).tries, 2);
  read(number);
  must(mailboxes().put_off(number, Duration{0}));
  EXPECT_THAT(ids_waiting({"a@x.org"}), IsEmpty()) << "what was read stays read";
}

TEST_P(MailboxWatchTest, WhatWasReadIsForgottenAfterAWeek) {
  add("a@x.org", {"m1", "m2", "m3"});
  for (const MailNotice& notice : waiting({"a@x.org"}))
    if (notice.message_id != "m3") read(notice.number);
  travel(days{6});
  EXPECT_EQ(must(mailboxes().forget_read(10)), 0);
  travel(days{2});
  EXPECT_EQ(must(mailboxes().forget_read(1)), 1);
  EXPECT_EQ(must(mailboxes().forget_read(10)), 1);
  EXPECT_EQ(must(mailboxes().forget_read(10)), 0);
  EXPECT_THAT(ids_waiting({"a@x.org"}), ElementsAre("m3")) << "what waits is never forgotten";
}

TEST_P(MailboxWatchTest, ReadingAgainDoesNotProlongTheWeek) {
  add("a@x.org", {"m1"});
  const std::int64_t number = waiting({"a@x.org"}).at(0).number;
  read(number);
  travel(days{5});
  read(number);
  travel(days{3});
  EXPECT_EQ(must(mailboxes().forget_read(10)), 1);
}

TEST_P(MailboxWatchTest, AThousandInOneCall) {
  Names ids;
  for (int i = 0; i < 1000; ++i)
    ids.push_back("m" + std::to_string(i));
  EXPECT_EQ(add("a@x.org", ids), 1000);
  EXPECT_EQ(add("a@x.org", ids), 0);
  const std::vector<MailNotice> all = waiting({"a@x.org"}, 2000);
  ASSERT_EQ(all.size(), 1000U);
  std::vector<std::int64_t> numbers;
  for (const MailNotice& notice : all)
    numbers.push_back(notice.number);
  must(mailboxes().read(numbers));
  EXPECT_THAT(ids_waiting({"a@x.org"}), IsEmpty());
}

// Notifiers repeat themselves, to whichever instance answers, in any order.
TEST_P(MailboxWatchTest, TheSameToldTwiceAtOnceIsOne) {
  Names ids;
  for (int i = 0; i < 200; ++i)
    ids.push_back("m" + std::to_string(i));
  const Names backwards(ids.rbegin(), ids.rend());
  int first = 0, second = 0;
  {
    const std::jthread other([&] { second = add("a@x.org", backwards); });
    first = add("a@x.org", ids);
  }
  EXPECT_EQ(first + second, 200);
  EXPECT_EQ(count("mail_notices"), 200);
}

}  // namespace
}  // namespace eilbote::test::mailbox_watch_test
