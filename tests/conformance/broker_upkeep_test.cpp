// Upkeep with a broker: what was being published by an instance that is gone, what lies in the broker for too long, whose
// turn a chore is, and what states and events say of jobs that are not in the broker yet.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <set>

#include "engine/upkeep.h"
#include "metrics/metrics.h"
#include "support/eventually.h"
#include "support/metric_value.h"
#include "support/outbox_fixture.h"
#include "support/webhook_builder.h"

namespace eilbote::test::broker_upkeep_test {
namespace {

class BrokerUpkeep : public StoreFixture {
 protected:
  void set(JobId id, const std::string& assignments) {
    sql("UPDATE outbox SET " + assignments + " WHERE id = " + std::to_string(id.value()));
  }
  // A scheduler has it on its way to the broker.
  void being_published(JobId id, Epoch epoch) {
    set(id, "status = 'publishing', lease_token = " + std::to_string(make_lease_token(epoch, 1).value()));
  }
  void published(JobId id) { set(id, "status = 'published', last_queued_at = " + sql_time(now())); }
  JobId webhook() { return accepted(WebhookBuilder(new_id())); }
};

// ---- rescue ----

class Publications : public BrokerUpkeep {};
INSTANTIATE_TEST_SUITE_P(Stores, Publications, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(Publications, OfADeadInstanceAreQueuedAgainWithoutALoss) {
  const JobId mail = accepted(new_mail()), hook = webhook(), worn = accepted(new_mail());
  set(worn, "losses = 9, retry_count = 1, attempts = 1");
  Worker one = worker();
  for (const JobId id : {mail, hook, worn})
    being_published(id, one.epoch());
  EXPECT_EQ(rescue().changed, 0) << "it lives";
  const TimePoint due = job(mail).next_attempt_at;
  travel(seconds{16});
  const SweepResult rescued = rescue();
  EXPECT_EQ(rescued.changed, 3);
  EXPECT_EQ(rescued.failed, 0) << "a ninth loss is not followed by a tenth";
  EXPECT_EQ(std::set<LaneId>(rescued.lanes.begin(), rescued.lanes.end()).size(), 2U);
  for (const JobId id : {mail, hook, worn}) {
    EXPECT_EQ(status(id), "queued");
    EXPECT_EQ(moves(id).size(), 1U);
  }
  EXPECT_EQ(job(mail).losses, 0);
  EXPECT_EQ(job(worn).losses, 9);
  EXPECT_EQ(job(worn).attempts, 1);
  EXPECT_LE(job(mail).next_attempt_at, due) << "due as it was";
  EXPECT_EQ(count("outbox WHERE lease_token IS NOT NULL"), 0);
  EXPECT_EQ(count("instances"), 0) << "nothing holds it any more";
}

TEST_P(Publications, AreNotSparedAndAreNoOrphans) {
  const JobId sending = accepted(new_mail());
  Worker one = worker();
  ASSERT_EQ(one.claim().size(), 1U);
  const JobId carried = accepted(new_mail());
  being_published(carried, one.epoch());
  travel(seconds{16});
  EXPECT_EQ(ids_of(must(care().orphans("", 10))), std::vector{sending});
  EXPECT_EQ(ids_of(must(care().orphans("one", 10))), std::vector{sending});
  EXPECT_EQ(rescue({.spare_mails = true}).changed, 1) << "nobody has handed it over";
  EXPECT_EQ(status(carried), "queued");
  EXPECT_EQ(status(sending), "dispatching") << "is left to whoever knows what became of it";
  EXPECT_EQ(count("instances"), 1) << "still holds a mail";
  EXPECT_EQ(rescue().changed, 1);
  EXPECT_EQ(job(sending).losses, 1);
}

TEST_P(Publications, AreThePublishersWhenTheLedgerReconciles) {
  const JobId lost = accepted(new_mail());
  Worker one = worker();
  ASSERT_EQ(one.claim().size(), 1U);
  const JobId carried = accepted(new_mail());
  being_published(carried, one.epoch());
  EXPECT_EQ(must(care().reconcile(one.epoch(), {})), 1);
  EXPECT_EQ(status(lost), "queued");
  EXPECT_EQ(status(carried), "publishing");
}

TEST_P(Publications, OfAForeignSchedulerAreTakenBackWithoutALoss) {
  const JobId carried = accepted(new_mail()), claimed = accepted(new_mail());
  set(carried, "status = 'publishing'");
  set(claimed, "status = 'dispatching', last_attempt_at = " + sql_time(now()));
  EXPECT_EQ(sweep(Sweep::rescue_foreign).changed, 0);
  travel(minutes{6});
  EXPECT_EQ(sweep(Sweep::rescue_foreign).changed, 2);
  EXPECT_EQ(job(carried).losses, 0);
  EXPECT_EQ(job(claimed).losses, 1);
  EXPECT_EQ(count("outbox WHERE status = 'queued'"), 2);
}

TEST_P(Publications, AGroupedOneKeepsItsTurn) {
  const JobId first = accepted(new_mail().in_group("g"));
  accepted(new_mail().in_group("g"));
  Worker one = worker();
  being_published(first, one.epoch());
  travel(seconds{16});
  EXPECT_EQ(rescue().changed, 1);
  EXPECT_TRUE(has_turn(first));
  EXPECT_EQ(status(first), "queued");
}

// ---- the stale net ----

class StaleInTheBroker : public BrokerUpkeep {};
INSTANTIATE_TEST_SUITE_P(Stores, StaleInTheBroker, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(StaleInTheBroker, IsQueuedAgainDueAsItWas) {
  const JobId old = accepted(new_mail());
  published(old);
  const JobId waiting = accepted(new_mail().scheduled_for(now() + hours{1}));
  Worker one(outbox(), care(), "one", hours{1});
  const JobId carried = accepted(new_mail());
  being_published(carried, one.epoch());
  travel(minutes{14});
  EXPECT_EQ(sweep(Sweep::unpublish).changed, 0) << "not for a quarter of an hour yet";
  const JobId fresh = accepted(new_mail());
  published(fresh);
  travel(minutes{2});
  const TimePoint due = job(old).next_attempt_at;
  const SweepResult swept = sweep(Sweep::unpublish);
  EXPECT_EQ(swept.changed, 1);
  EXPECT_EQ(swept.failed, 0);
  EXPECT_FALSE(swept.more);
  EXPECT_EQ(swept.lanes, std::vector{lane_of()});
  const Job row = job(old);
  EXPECT_EQ(row.status, JobStatus::queued);
  EXPECT_EQ(row.next_attempt_at, due);
  EXPECT_EQ(row.losses, 0);
  EXPECT_EQ(row.attempts, 0);
  EXPECT_EQ(moves(old).size(), 1U) << "a mail is QUEUED before and after";
  EXPECT_EQ(status(fresh), "published");
  EXPECT_EQ(status(carried), "publishing");
  EXPECT_EQ(status(waiting), "queued");
  EXPECT_EQ(ids_of(one.claim()), std::vector{old});
}

TEST_P(StaleInTheBroker, HowLongIsASettingAndComesInPortions) {
  for (int i = 0; i < 5; ++i)
    published(accepted(new_mail()));
  travel(minutes{3});
  EXPECT_EQ(must(care().sweep({.sweep = Sweep::unpublish, .stale_published = minutes{5}})).changed, 0);
  const SweepParams two{.sweep = Sweep::unpublish, .stale_published = minutes{2}, .rows_max = 2};
  EXPECT_TRUE(must(care().sweep(two)).more);
  EXPECT_TRUE(must(care().sweep(two)).more);
  const SweepResult last = must(care().sweep(two));
  EXPECT_EQ(last.changed, 1);
  EXPECT_FALSE(last.more);
}

TEST_P(StaleInTheBroker, AMessageThatComesLateStartsNothingUntilItIsPublishedAgain) {
  const JobId id = accepted(new_mail());
  published(id);
  travel(minutes{20});
  ASSERT_EQ(sweep(Sweep::unpublish).changed, 1);
  Worker one = worker();
  EXPECT_TRUE(one.offer({{id, 1}}).empty());
  published(id);
  EXPECT_EQ(one.offer({{id, 1}}).size(), 1U) << "either message, the first that comes";
  EXPECT_TRUE(one.offer({{id, 1}}).empty());
}

TEST_P(StaleInTheBroker, IsAnEventOfAWebhookWhoseStateShowsIt) {
  reopen_with_broker();
  const JobId fresh = webhook(), failed = webhook();
  set(failed, "retry_count = 1, attempts = 1");
  for (const JobId id : {fresh, failed})
    published(id);
  travel(minutes{20});
  ASSERT_EQ(sweep(Sweep::unpublish).changed, 2);
  EXPECT_EQ(moves(fresh), (std::vector<std::string>{" -> PENDING", "QUEUED -> PENDING"}));
  const StatusEvent event = must(outbox().history(fresh)).events.back();
  EXPECT_EQ(event.reason, "in the broker for too long");
  EXPECT_EQ(event.actor, "engine");
  EXPECT_EQ(moves(failed).size(), 1U) << "ERROR before and after";
}

TEST_P(StaleInTheBroker, ARowThatIsBeingStartedIsPassedOver) {
  if (!on_postgres()) GTEST_SKIP() << "SQLite has one writer";
  const JobId id = accepted(new_mail());
  published(id);
  travel(minutes{20});
  const auto other = open_raw_postgres(options().url);
  other->run("BEGIN; UPDATE outbox SET updated_at = updated_at");
  EXPECT_EQ(sweep(Sweep::unpublish).changed, 0);
  other->run("ROLLBACK");
  EXPECT_EQ(sweep(Sweep::unpublish).changed, 1);
}

// ---- turns ----

class Turns : public StoreFixture {
 protected:
  bool takes(const Worker& worker, const std::string& chore = "sweep", Duration turn = seconds{10}) {
    return must(care().take_turn(chore, worker.epoch(), turn));
  }
  Worker living(const std::string& name) { return Worker(outbox(), care(), name, hours{1}); }
};
INSTANTIATE_TEST_SUITE_P(Stores, Turns, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(Turns, AnInstanceAloneHasEachAndWritesNothingToKeepIt) {
  Worker one = living("one");
  EXPECT_TRUE(takes(one));
  EXPECT_TRUE(takes(one, "another"));
  travel(minutes{1});
  const std::string until = value("SELECT until FROM chore_turns WHERE chore = 'sweep'");
  EXPECT_TRUE(takes(one)) << "also when its time is over";
  EXPECT_EQ(value("SELECT until FROM chore_turns WHERE chore = 'sweep'"), until);
}

TEST_P(Turns, ASuccessorHasThemAtOnce) {
  Worker one = living("one");
  ASSERT_TRUE(takes(one, "sweep", hours{1}));
  Worker again = living("one");  // the same instance, started anew
  EXPECT_TRUE(takes(again, "sweep", hours{1}));
  EXPECT_FALSE(takes(one, "sweep", hours{1})) << "its life is over";
}

TEST_P(Turns, AreOneInstancesUntilTheyAreOver) {
  if (!on_postgres()) GTEST_SKIP() << "SQLite has one instance";
  Worker one = living("one"), two = living("two");
  EXPECT_TRUE(takes(one));
  EXPECT_FALSE(takes(two));
  EXPECT_TRUE(takes(two, "another")) << "each chore has a turn of its own";
  EXPECT_FALSE(takes(one, "another"));
  travel(seconds{6});
  EXPECT_TRUE(takes(one)) << "asked again, and kept";
  travel(seconds{6});
  EXPECT_FALSE(takes(two)) << "counted from the last time it asked";
  travel(seconds{6});
  EXPECT_TRUE(takes(two)) << "over";
  EXPECT_FALSE(takes(one));
}

TEST_P(Turns, OfADeadHolderAreFree) {
  if (!on_postgres()) GTEST_SKIP() << "SQLite has one instance";
  Worker one = living("one"), two = living("two");
  ASSERT_TRUE(takes(one, "sweep", hours{9}));
  ASSERT_FALSE(takes(two));
  must(care().end_instance(one.epoch()));
  EXPECT_TRUE(takes(two));
}

TEST_P(Turns, OfManyThatAskAtOnceOneGetsIt) {
  if (!on_postgres()) GTEST_SKIP() << "SQLite has one instance";
  constexpr int kInstances = 6, kRounds = 10;
  std::vector<Epoch> epochs;
  for (int i = 0; i < kInstances; ++i)
    epochs.push_back(must(care().start_instance("i" + std::to_string(i), hours{1})));
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::future<bool>> answers;
    for (const Epoch epoch : epochs)
      answers.push_back(std::async(std::launch::async, [this, epoch, round] {
        return must(care().take_turn("round " + std::to_string(round), epoch, hours{1}));
      }));
    EXPECT_EQ(std::ranges::count_if(answers, [](auto& answer) { return answer.get(); }), 1);
  }
}

TEST_P(Turns, AnInstanceThatDeliversNothingTakesNoHomesAndGivesUpNone) {
  accepted(new_mail().in_pool("bulk"));
  sql("UPDATE dispatch_pools SET limited = true WHERE code = 'bulk'");
  const auto home = [&] { return value("SELECT home_epoch FROM dispatch_pools WHERE code = 'bulk'"); };
  Worker one = living("one");
  const Heartbeat without = must(care().heartbeat(one.epoch(), hours{1}, false));
  EXPECT_TRUE(without.alive);
  EXPECT_TRUE(without.home_pools.empty());
  EXPECT_EQ(home(), "NULL");
  ASSERT_EQ(must(care().heartbeat(one.epoch(), hours{1}, true)).home_pools.size(), 1U);
  EXPECT_TRUE(must(care().heartbeat(one.epoch(), hours{1}, false)).home_pools.empty());
  EXPECT_EQ(home(), std::to_string(one.epoch().value()));

  const SystemClock process;
  Instance api(care(), process, "api", hours{1}, false);
  must(api.begin());
  must(api.beat());
  EXPECT_TRUE(api.trusted());
  EXPECT_TRUE(api.home_pools().empty());
}

// ---- what states and events say ----

class BrokerStates : public BrokerUpkeep {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    reopen_with_broker();
  }
  std::vector<JobId> listed(WebhookFilter filter) {
    ListQuery query;
    query.channel = ChannelKind::webhook;
    query.webhook = std::move(filter);
    std::vector<JobId> ids = ids_of(must(outbox().list(query)).jobs);
    std::ranges::sort(ids);
    return ids;
  }
  std::vector<JobId> in_state(WebhookState state) { return listed({.state = state}); }
};
INSTANTIATE_TEST_SUITE_P(Stores, BrokerStates, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(BrokerStates, AWebhookIsPendingUntilItIsInTheBroker) {
  const JobId waiting = webhook(), carried = webhook(), there = webhook(), mail = accepted(new_mail());
  EXPECT_EQ(moves(waiting), std::vector<std::string>{" -> PENDING"});
  EXPECT_EQ(moves(mail), std::vector<std::string>{" -> QUEUED"});
  being_published(carried, worker().epoch());
  published(there);
  EXPECT_EQ(in_state(WebhookState::PENDING), (std::vector{waiting, carried}));
  EXPECT_EQ(in_state(WebhookState::QUEUED), std::vector{there});
  EXPECT_EQ(moves(there).size(), 1U) << "going into the broker is no event";
}

TEST_P(BrokerStates, DueAndRetryableAreAlsoWhatIsInTheBroker) {
  const JobId waiting = webhook(), there = webhook(), under_way = webhook();
  set(there, "retry_count = 1, attempts = 1");
  set(under_way, "status = 'dispatching', retry_count = 1, attempts = 1");
  published(there);
  EXPECT_EQ(listed({.due = true}), (std::vector{waiting, there}));
  EXPECT_EQ(listed({.retryable = true}), std::vector{there});
}

TEST_P(BrokerStates, ActsAndEndsSayPendingToo) {
  const JobId again = webhook(), cancelled = webhook(), in_broker = webhook();
  set(again, "status = 'failed', retry_count = 3, dead_reason = 'MaxAttemptsExceeded'");
  act(again, Act::retry);
  EXPECT_EQ(moves(again).back(), "ERROR -> PENDING");
  act(cancelled, Act::cancel);
  EXPECT_EQ(moves(cancelled).back(), "PENDING -> CANCELLED");
  published(in_broker);
  act(in_broker, Act::cancel);
  EXPECT_EQ(moves(in_broker).back(), "QUEUED -> CANCELLED");
  const JobId late = accepted(WebhookBuilder(new_id()).expiring_at(now() + hours{1}));
  travel(hours{2});
  ASSERT_EQ(sweep(Sweep::expire).changed, 1);
  EXPECT_EQ(moves(late).back(), "PENDING -> CANCELLED");
}

// ---- the engine's upkeep ----

class SharedUpkeep : public BrokerUpkeep {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    reopen_with_broker();
  }
  // Runs upkeep under `instance` until `done`.
  bool keep_up(Instance& instance, UpkeepOptions options, const std::function<bool()>& done) {
    const auto upkeep =
        make_upkeep(care(), instance, process_, metrics_, std::move(options),
                    [this](std::span<const LaneId> lanes) { told_ += static_cast<int>(lanes.size()); });
    upkeep->start();
    const bool held = eventually(done);
    upkeep->stop();
    return held;
  }

  const SystemClock process_;
  Metrics metrics_;
  std::atomic<int> told_{0};
};
INSTANTIATE_TEST_SUITE_P(Stores, SharedUpkeep, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(SharedUpkeep, TakesBackWhatIsStaleAndCountsIt) {
  const JobId id = accepted(new_mail());
  published(id);
  travel(minutes{10});
  Instance instance(care(), process_, "one", hours{1});
  must(instance.begin());
  UpkeepOptions options;
  options.stale_published = minutes{5};
  EXPECT_TRUE(keep_up(instance, options, [&] {
    return metric_value(metrics_, R"(eilbote_requeued_total{cause="stale"})").value_or(0) == 1;
  })) << metrics_.render();
  EXPECT_EQ(status(id), "queued");
  EXPECT_EQ(told_, 1);
}

// The keys are swept after the expiry in every round, so when they are gone the expiry was asked about.
TEST_P(SharedUpkeep, LeavesASweepToWhoeverHasItsTurn) {
  if (!on_postgres()) GTEST_SKIP() << "SQLite has one instance";
  const JobId late = accepted(new_mail().expiring_at(now() + hours{1}).keyed("key-old"));
  published(late);
  travel(days{2});
  Instance instance(care(), process_, "one", hours{1});
  must(instance.begin());
  Worker other(outbox(), care(), "other", hours{1});
  for (const char* chore : {"expire", "stale in the broker"})
    ASSERT_TRUE(must(care().take_turn(chore, other.epoch(), hours{1})));
  EXPECT_TRUE(keep_up(instance, {}, [&] { return count("idempotency_keys") == 0; }));
  EXPECT_EQ(status(late), "published") << "neither expired nor taken back: another one has the turns";
  must(care().end_instance(other.epoch()));
  EXPECT_TRUE(keep_up(instance, {}, [&] { return status(late) == "failed"; })) << "its holder is gone";
}

// A scheduler need not know the way out of mails, so it cannot say what became of one that was on it.
TEST_P(SharedUpkeep, LeavesMailsOfTheDeadToThoseWhoDeliver) {
  const JobId mail = accepted(new_mail());
  Worker dead = worker("dead");
  ASSERT_TRUE(dead.claim_one(mail));
  const JobId unpublished = accepted(new_mail());
  being_published(unpublished, dead.epoch());
  travel(hours{2});
  Instance instance(care(), process_, "one", hours{1});
  must(instance.begin());
  UpkeepOptions options;
  options.leaves_mails = true;
  EXPECT_TRUE(keep_up(instance, options, [&] { return status(unpublished) == "queued"; }));
  EXPECT_EQ(status(mail), "dispatching");
  EXPECT_TRUE(keep_up(instance, {}, [&] { return status(mail) == "queued"; }))
      << "one that delivers takes it";
}

TEST_P(SharedUpkeep, RescuesWhatADeadInstanceHeldThoughItHadTheTurn) {
  const JobId id = accepted(new_mail());
  Worker dead = worker("dead");
  being_published(id, dead.epoch());
  ASSERT_TRUE(must(care().take_turn("rescue dead instances", dead.epoch(), hours{1})));
  travel(seconds{16});
  Instance instance(care(), process_, "one", hours{1});
  must(instance.begin());
  EXPECT_TRUE(keep_up(instance, {}, [&] { return status(id) == "queued"; }));
}

}  // namespace
}  // namespace eilbote::test::broker_upkeep_test
