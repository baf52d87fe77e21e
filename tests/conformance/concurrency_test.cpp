// Many threads on one store: no row is claimed twice, one of many twins wins, and no order of locks
// deadlocks.
#include <atomic>
#include <barrier>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "support/outbox_fixture.h"

namespace eilbote::test::concurrency_test {
namespace {

class Concurrency : public StoreFixture {
 protected:
  // Runs body(0..n-1) on n threads that start together, and waits for all.
  void together(int n, const std::function<void(int)>& body) {
    std::barrier start(n);
    std::vector<std::string> errors(static_cast<std::size_t>(n));
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < n; ++i)
        threads.emplace_back([&, i] {
          start.arrive_and_wait();
          try {
            body(i);
          } catch (const std::exception& e) {
            errors[static_cast<std::size_t>(i)] = e.what();
          }
        });
    }
    for (const std::string& error : errors)
      EXPECT_EQ(error, "");
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, Concurrency, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(Concurrency, NoRowIsClaimedTwice) {
  constexpr std::size_t kRows = 2000;
  accepted_many(kRows);
  Worker one = worker();
  const std::vector<ClaimLane> lanes{{lane_of(), 17, {}}};
  std::array<std::vector<ClaimedJob>, 8> claimed;
  together(8, [&](int thread) {
    std::vector<ClaimedJob>& mine = claimed[static_cast<std::size_t>(thread)];
    for (int empty = 0; empty < 3;) {
      const std::vector<ClaimedJob> got = one.claim(lanes);
      mine.insert(mine.end(), got.begin(), got.end());
      empty = got.empty() ? empty + 1 : 0;
    }
  });
  std::set<JobId> distinct;
  std::size_t total = 0;
  for (const auto& mine : claimed) {
    total += mine.size();
    for (const ClaimedJob& c : mine)
      distinct.insert(c.job.id);
  }
  EXPECT_EQ(total, kRows);
  EXPECT_EQ(distinct.size(), kRows);
}

TEST_P(Concurrency, NoRowIsPublishedTwice) {
  constexpr std::size_t kRows = 2000;
  accepted_many(kRows);
  Worker one = worker();
  const LaneId lane = lane_of();
  std::array<std::vector<JobId>, 4> claimed;
  together(4, [&](int thread) {
    std::vector<JobId>& mine = claimed[static_cast<std::size_t>(thread)];
    std::vector<PublishMark> marks;
    for (int empty = 0; empty < 3;) {
      const auto got =
          must(publishing().publish_round({std::move(marks), {{lane, 17, {}}}, one.next_token()}));
      marks.clear();
      for (const PublishClaim& claim : got.claimed) {
        mine.push_back(claim.id);
        marks.push_back({claim.id, claim.token, true, {}});
      }
      empty = got.claimed.empty() ? empty + 1 : 0;
    }
  });
  std::set<JobId> distinct;
  std::size_t total = 0;
  for (const auto& mine : claimed) {
    total += mine.size();
    distinct.insert(mine.begin(), mine.end());
  }
  EXPECT_EQ(total, kRows);
  EXPECT_EQ(distinct.size(), kRows);
  EXPECT_EQ(count("outbox WHERE status = 'published'"), static_cast<int>(kRows));
}

// Workers start and settle what a scheduler is just marking, each in the order that suits them least.
TEST_P(Concurrency, WorkersMayBeFasterThanTheMarks) {
  constexpr int kRows = 400;
  accepted_many(kRows);
  Worker scheduler = worker("scheduler"), workers = worker("workers");
  const LaneId lane = lane_of();
  std::mutex mutex;
  std::vector<OfferedJob> carried;  // under the mutex
  std::atomic<int> started = 0;
  const auto schedule = [&] {
    std::vector<PublishMark> marks;
    for (;;) {
      const auto got =
          must(publishing().publish_round({std::move(marks), {{lane, 16, {}}}, scheduler.next_token()}));
      if (got.claimed.empty()) return;
      marks.clear();
      const std::lock_guard lock(mutex);
      for (const PublishClaim& claim : got.claimed) {
        marks.insert(marks.begin(), PublishMark{claim.id, claim.token, true, {}});
        carried.push_back({claim.id, claim.attempt});
      }
    }
  };
  const auto work = [&] {
    const auto deadline = std::chrono::steady_clock::now() + seconds{60};
    std::vector<Settlement> settlements;
    while (started < kRows || !settlements.empty()) {
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("some were never started");
      ExchangeRequest request;
      request.settlements = std::move(settlements);
      request.token = workers.next_token();
      settlements.clear();
      {
        const std::lock_guard lock(mutex);
        while (!carried.empty() && request.offers.size() < 8) {
          request.offers.push_back(carried.back());
          carried.pop_back();
        }
      }
      if (request.offers.empty() && request.settlements.empty()) {
        std::this_thread::yield();
        continue;
      }
      const ExchangeResult done = must(outbox().exchange(request));
      for (const SettleOutcome outcome : done.settled)
        EXPECT_EQ(outcome, SettleOutcome::settled);
      EXPECT_EQ(done.claimed.size(), request.offers.size()) << "no message is lost to a moment";
      for (const ClaimedJob& claimed : done.claimed)
        settlements.push_back(settle_sent(claimed));
      started += static_cast<int>(done.claimed.size());
    }
  };
  together(4, [&](int thread) { thread == 0 ? schedule() : work(); });
  EXPECT_EQ(started, kRows);
  EXPECT_EQ(count("outbox WHERE status = 'sent' AND attempts = 1"), kRows);
}

TEST_P(Concurrency, OfAHundredTwinsOneIsAccepted) {
  std::vector<NewJob> twins;
  for (int i = 0; i < 100; ++i)
    twins.push_back(new_mail().keyed("order-1001"));
  std::vector<AcceptOutcome> outcomes(100);
  together(20, [&](int thread) {
    for (std::size_t i = static_cast<std::size_t>(thread); i < 100; i += 20)
      outcomes[i] = accept(twins[i]);
  });
  int accepted_count = 0;
  JobId winner;
  for (const AcceptOutcome& outcome : outcomes)
    if (outcome.kind == AcceptKind::accepted) {
      ++accepted_count;
      winner = outcome.id;
    }
  EXPECT_EQ(accepted_count, 1);
  for (const AcceptOutcome& outcome : outcomes) {
    EXPECT_NE(outcome.kind, AcceptKind::conflict);
    EXPECT_EQ(outcome.id, winner);
  }
  EXPECT_EQ(count("outbox"), 1);
  EXPECT_EQ(count("messages"), 1);
}

TEST_P(Concurrency, ExpiredKeysAreTakenOverByOne) {
  accepted(new_mail().keyed("order-1001", "long ago"));
  travel(hours{25});
  std::vector<NewJob> twins;
  for (int i = 0; i < 16; ++i)
    twins.push_back(new_mail().keyed("order-1001", "today"));
  std::vector<AcceptOutcome> outcomes(16);
  together(
      16, [&](int i) { outcomes[static_cast<std::size_t>(i)] = accept(twins[static_cast<std::size_t>(i)]); });
  EXPECT_EQ(std::count_if(outcomes.begin(), outcomes.end(),
                          [](const AcceptOutcome& o) { return o.kind == AcceptKind::accepted; }),
            1);
  EXPECT_EQ(count("outbox"), 2);
}

TEST_P(Concurrency, KeysAndGroupsInOppositeOrderDoNotDeadlock) {
  std::array<std::vector<std::vector<NewJob>>, 4> batches;
  for (int thread = 0; thread < 4; ++thread)
    for (int round = 0; round < 10; ++round) {
      std::vector<NewJob> batch;
      for (int i = 0; i < 20; ++i) {
        const int n = thread % 2 == 0 ? i : 19 - i;
        const std::string name = std::to_string(round) + "-" + std::to_string(n);
        batch.push_back(new_mail().keyed("order-key-" + name).in_group("g" + std::to_string(n)));
      }
      batches[static_cast<std::size_t>(thread)].push_back(std::move(batch));
    }
  together(4, [&](int thread) {
    for (const std::vector<NewJob>& batch : batches[static_cast<std::size_t>(thread)])
      must(outbox().accept(batch, AcceptRun::first));
  });
  EXPECT_EQ(count("outbox"), 200);
  EXPECT_EQ(count("outbox WHERE holds_group"), 20) << "one turn per group";
}

TEST_P(Concurrency, SettleAgainstCancel) {
  const std::vector<JobId> ids = accepted_many(200);
  Worker one = worker();
  const std::vector<ClaimedJob> claimed = one.claim(200);
  ASSERT_EQ(claimed.size(), 200U);
  together(2, [&](int thread) {
    if (thread == 0) {
      for (std::size_t i = 0; i < claimed.size(); ++i) {
        const Settlement s = i % 2 == 0 ? settle_sent(claimed[i]) : settle_retry(claimed[i], hours{1});
        ASSERT_EQ(one.settle(s), SettleOutcome::settled) << "a leased job cannot be cancelled away";
      }
    } else {
      for (const JobId id : ids)
        act(id, Act::cancel, "shop");
    }
  });
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string after = state(claimed[i].job.id);
    EXPECT_TRUE(i % 2 == 0 ? after == "SENT" : after == "RETRY_PENDING" || after == "CANCELLED") << after;
  }
}

TEST_P(Concurrency, ClaimAgainstCancelAgainstSweeps) {
  std::vector<JobId> ids;
  for (int i = 0; i < 300; ++i) {
    MailBuilder mail = new_mail();
    if (i % 3 == 0) mail.expiring_at(now() - seconds{1});
    if (i % 2 == 0) mail.in_group("g" + std::to_string(i % 5));
    ids.push_back(accepted(mail));
  }
  Worker one = worker();
  std::set<JobId> sent;
  together(4, [&](int thread) {
    if (thread == 0) {
      for (int empty = 0; empty < 5;) {
        const std::vector<ClaimedJob> claimed = one.claim(5);
        std::vector<Settlement> all;
        for (const ClaimedJob& c : claimed) {
          all.push_back(settle_sent(c));
          ASSERT_TRUE(sent.insert(c.job.id).second) << "claimed twice";
        }
        for (const SettleOutcome outcome : one.exchange(all).settled)
          ASSERT_EQ(outcome, SettleOutcome::settled);
        empty = claimed.empty() ? empty + 1 : 0;
      }
    } else if (thread == 1) {
      for (std::size_t i = 0; i < ids.size(); i += 4)
        act(ids[i], Act::cancel, "shop");
    } else {
      for (int round = 0; round < 20; ++round) {
        for (const Sweep what : {Sweep::expire, Sweep::promote, Sweep::exhaust, Sweep::rescue_foreign})
          must(care().sweep({.sweep = what, .rows_max = 7}));
        rescue({.rows_max = 7});
      }
    }
  });
  sweep(Sweep::expire);
  sweep(Sweep::promote);
  for (std::vector<ClaimedJob> rest = one.claim(); !rest.empty(); rest = one.claim())
    for (const ClaimedJob& c : rest)
      one.settle(settle_sent(c));
  for (const JobId id : ids) {
    const std::string after = state(id);
    EXPECT_TRUE(after == "SENT" || after == "CANCELLED" || after == "FAILED") << after;
    EXPECT_EQ(moves(id).size(), 2U) << "accepted, then one end";
  }
}

TEST_P(Concurrency, AGroupIsNeverTwiceInFlight) {
  std::map<JobId, std::size_t> group_of;
  for (std::size_t i = 0; i < 120; ++i)
    group_of[accepted(new_mail().in_group("g" + std::to_string(i % 4)))] = i % 4;
  Worker one = worker();
  const std::vector<ClaimLane> lanes{{lane_of(), 2, {}}};
  std::array<std::atomic<int>, 4> in_flight{};
  std::atomic<int> sent = 0;
  together(6, [&](int) {
    for (int look = 0; look < 5000 && sent < 120; ++look)
      for (const ClaimedJob& c : one.claim(lanes)) {
        std::atomic<int>& mine = in_flight[group_of.at(c.job.id)];
        EXPECT_EQ(++mine, 1) << "two of a group at once";
        --mine;
        EXPECT_EQ(one.settle(settle_sent(c)), SettleOutcome::settled);
        ++sent;
      }
  });
  EXPECT_EQ(count("outbox WHERE status = 'sent'"), 120);
}

}  // namespace
}  // namespace eilbote::test::concurrency_test
