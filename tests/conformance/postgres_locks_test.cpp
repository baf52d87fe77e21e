// Lock order on PostgreSQL: whatever two programs do at once, nobody waits in a circle. A deadlock would be
// repeated inside the store and stay unseen, so the server's own count is what is checked.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <thread>

#include "store/postgres/postgres_store.h"
#include "support/postgres_server.h"

namespace eilbote::test::postgres_locks_test {
namespace {

class PostgresLocks : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.url = PostgresServer::shared().create_database();
    ASSERT_TRUE(postgres::migrate(options_));
    auto opened = postgres::open(options_);
    ASSERT_TRUE(opened) << opened.error().message;
    outbox_ = std::move(opened->outbox);
    care_ = std::move(opened->care);
    publishing_ = std::move(opened->publishing);
  }
  void TearDown() override {
    outbox_.reset();
    care_.reset();
    publishing_.reset();
    PostgresServer::shared().drop_database(options_.url);
  }

  NewJob mail(const std::string& key = "", const std::string& group = "") {
    NewJob job;
    job.id = JobId{++last_id_};
    job.client = ClientName{"shop"};
    job.pool = "mail";
    job.idempotency_key = key;
    job.group = group;
    if (!group.empty()) job.group_mode = GroupMode::NEXT_ON_ERROR;
    job.mail.meta = "{}";
    return job;
  }
  static std::vector<Settlement> sent(const std::vector<ClaimedJob>& claimed) {
    std::vector<Settlement> settlements;
    for (const ClaimedJob& job : claimed) {
      Settlement settlement;
      settlement.id = job.job.id;
      settlement.token = job.token;
      settlement.grouped = job.grouped;
      settlement.decision.event = JobEvent::settle_sent;
      settlement.decision.status = JobStatus::sent;
      settlements.push_back(settlement);
    }
    return settlements;
  }
  // Counted by the server when the session that was chosen as the victim reports; it does so at the end of a
  // transaction at most once a second, and always when it ends.
  std::string deadlocks() {
    outbox_.reset();
    care_.reset();
    publishing_.reset();
    return PostgresServer::sql(options_.url,
                               "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  }

  StoreOptions options_;
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<OutboxCare> care_;
  std::unique_ptr<PublishBook> publishing_;
  std::atomic<std::int64_t> last_id_{0};
};

TEST_F(PostgresLocks, BatchesWithKeysInOppositeOrder) {
  constexpr int kRounds = 60, kKeys = 40;
  std::barrier together(2);
  std::atomic<int> accepted{0}, failed{0};
  const auto run = [&](bool backwards) {
    for (int round = 0; round < kRounds; ++round) {
      std::vector<NewJob> batch;
      for (int i = 0; i < kKeys; ++i) {
        const int n = backwards ? kKeys - 1 - i : i;
        batch.push_back(mail("round-" + std::to_string(round) + "-key-" + std::to_string(n)));
      }
      together.arrive_and_wait();
      const auto outcomes = outbox_->accept(batch, AcceptRun::first);
      if (!outcomes) {
        ++failed;
        continue;
      }
      for (const AcceptOutcome& outcome : *outcomes)
        accepted += outcome.kind == AcceptKind::accepted ? 1 : 0;
    }
  };
  std::thread other(run, true);
  run(false);
  other.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(accepted, kRounds * kKeys) << "each key once";
  EXPECT_EQ(deadlocks(), "0\n");
}

TEST_F(PostgresLocks, CancelOfABlockedRowAgainstPromote) {
  constexpr int kRounds = 40, kLine = 12;
  auto epoch = care_->start_instance("one", std::chrono::minutes{5});
  ASSERT_TRUE(epoch);
  std::uint32_t exchanges = 0;
  std::atomic<int> failed{0};
  for (int round = 0; round < kRounds; ++round) {
    std::vector<NewJob> line;
    for (int i = 0; i < kLine; ++i)
      line.push_back(mail("", "group-" + std::to_string(i % 2)));
    const auto outcomes = outbox_->accept(line, AcceptRun::first);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    const LaneId lane = outcomes->front().lane;
    std::barrier together(2);
    std::thread canceller([&] {
      std::vector<JobId> ids;
      for (int i = kLine - 1; i >= 0; --i)
        ids.push_back(line[static_cast<std::size_t>(i)].id);
      together.arrive_and_wait();
      const ActRequest request{.act = Act::cancel, .client = {}, .actor = "operator", .trace_id = ""};
      if (!outbox_->act(ids, request)) ++failed;
    });
    together.arrive_and_wait();
    // Every settlement passes the turn on, to a row that may be being cancelled.
    ExchangeRequest request;
    for (int turn = 0; turn < kLine; ++turn) {
      request.lanes = {ClaimLane{lane, 10, {}}};
      request.token = make_lease_token(*epoch, ++exchanges);
      const auto got = outbox_->exchange(request);
      if (!got) {
        ++failed;
        break;
      }
      request.settlements = sent(got->claimed);
    }
    request.lanes.clear();
    if (!outbox_->exchange(request)) ++failed;
    canceller.join();
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(PostgresServer::sql(options_.url,
                                "SELECT count(*) FROM outbox WHERE status NOT IN ('sent', 'cancelled')"),
            "0\n");
  EXPECT_EQ(deadlocks(), "0\n");
}

// A scheduler marks what it published while a worker starts it and settles what it started before.
TEST_F(PostgresLocks, MarksAgainstOffersWithSettlements) {
  constexpr int kRounds = 40, kJobs = 40;
  std::vector<NewJob> batch;
  for (int i = 0; i < kRounds * kJobs; ++i)
    batch.push_back(mail());
  const auto outcomes = outbox_->accept(batch, AcceptRun::first);
  ASSERT_TRUE(outcomes);
  const LaneId lane = outcomes->front().lane;
  const auto scheduler = care_->start_instance("scheduler", std::chrono::minutes{5});
  const auto worker = care_->start_instance("worker", std::chrono::minutes{5});
  ASSERT_TRUE(scheduler && worker);
  PublishRequest marks;
  ExchangeRequest request;
  int failed = 0, settled = 0;
  for (std::uint32_t round = 1; round <= kRounds + 1; ++round) {
    PublishRequest claim;
    claim.lanes = {ClaimLane{lane, kJobs, {}}};
    claim.token = make_lease_token(*scheduler, round);
    const auto published = publishing_->publish_round(claim);
    ASSERT_TRUE(published);
    marks.marks.clear();
    request.offers.clear();
    for (const PublishClaim& job : published->claimed) {
      marks.marks.insert(marks.marks.begin(), {job.id, job.token, true, Duration{0}});
      request.offers.push_back({job.id, job.attempt});
    }
    request.token = make_lease_token(*worker, round);
    std::thread other([&] { failed += publishing_->publish_round(marks) ? 0 : 1; });
    const auto got = outbox_->exchange(request);
    other.join();
    ASSERT_TRUE(got) << got.error().message;
    settled += static_cast<int>(std::ranges::count(got->settled, SettleOutcome::settled));
    request.settlements = sent(got->claimed);
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(settled, kRounds * kJobs) << "each was started, before or after its mark";
  EXPECT_EQ(deadlocks(), "0\n");
}

// Two workers get the same messages in opposite order, and each settles in the same call what it started before.
TEST_F(PostgresLocks, OffersInOppositeOrderWithSettlements) {
  constexpr int kRounds = 40, kJobs = 40;
  std::vector<NewJob> batch;
  for (int i = 0; i < kRounds * kJobs; ++i)
    batch.push_back(mail());
  ASSERT_TRUE(outbox_->accept(batch, AcceptRun::first));
  PostgresServer::sql(options_.url, "UPDATE outbox SET status = 'published', last_queued_at = now()");
  std::barrier together(2);
  std::atomic<int> failed{0}, settled{0};
  const auto run = [&](const std::string& name, bool backwards) {
    const auto epoch = care_->start_instance(name, std::chrono::minutes{5});
    ExchangeRequest request;
    for (int round = 0; round <= kRounds; ++round) {
      request.offers.clear();
      for (int i = 0; round < kRounds && i < kJobs; ++i) {
        const int n = round * kJobs + (backwards ? kJobs - 1 - i : i);
        request.offers.push_back({batch[static_cast<std::size_t>(n)].id, 1});
      }
      request.token = make_lease_token(*epoch, static_cast<std::uint32_t>(round + 1));
      together.arrive_and_wait();
      const auto got = outbox_->exchange(request);
      request.settlements.clear();
      if (!got) {
        ++failed;
        continue;
      }
      settled += static_cast<int>(std::ranges::count(got->settled, SettleOutcome::settled));
      request.settlements = sent(got->claimed);
    }
  };
  std::thread other(run, "other", true);
  run("one", false);
  other.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(settled, kRounds * kJobs) << "each was started once";
  EXPECT_EQ(deadlocks(), "0\n");
}

TEST_F(PostgresLocks, TwoProgramsPromoteTheSameLines) {
  constexpr int kGroups = 30, kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<NewJob> line;
    for (int i = 0; i < kGroups; ++i)
      line.push_back(mail("", "group-" + std::to_string(i)));
    std::vector<NewJob> reversed;
    for (int i = kGroups - 1; i >= 0; --i)
      reversed.push_back(mail("", "group-" + std::to_string(i)));
    std::barrier together(2);
    std::thread other([&] {
      together.arrive_and_wait();
      EXPECT_TRUE(outbox_->accept(reversed, AcceptRun::first));
    });
    together.arrive_and_wait();
    EXPECT_TRUE(outbox_->accept(line, AcceptRun::first));
    EXPECT_TRUE(care_->sweep({.sweep = Sweep::promote}));
    other.join();
  }
  EXPECT_EQ(PostgresServer::sql(options_.url, "SELECT count(*) FROM outbox WHERE holds_group"),
            std::to_string(kGroups) + "\n");
  EXPECT_EQ(deadlocks(), "0\n");
}

}  // namespace
}  // namespace eilbote::test::postgres_locks_test
