// PostgreSQL out of reach at the worst moments: a proxy cuts the link around COMMIT, the server stops,
// restarts, ends backends. What was committed is there once, what was not is not there, and the store works
// again by itself.
#include <future>

#include "support/outbox_fixture.h"
#include "support/postgres_server.h"
#include "support/tcp_proxy.h"

namespace eilbote::test::ambiguous_commits_test {
namespace {

class AmbiguousCommits : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    StoreOptions options = this->options();
    options.url = "postgresql://eilbote@127.0.0.1:" + std::to_string(proxy_.port()) +
                  options.url.substr(options.url.rfind('/'));
    options.connections = 2;
    behind_proxy_ = must(open_store(options, clock_));
    accepted(new_mail());  // clients, pools and lanes are known before anything is cut
    must(proxied().accept(std::vector<NewJob>{new_mail()}, AcceptRun::first));
    sql("TRUNCATE outbox, messages, status_changes, facets");
  }
  void TearDown() override {
    behind_proxy_ = {};
    StoreFixture::TearDown();
  }

  Outbox& proxied() { return *behind_proxy_.outbox; }
  OutboxCare& proxied_care() { return *behind_proxy_.care; }
  // A call may look for a database that is away for two seconds.
  static constexpr auto kPatience = seconds{4};
  static bool is_ambiguous(const auto& result) {
    return !result && result.error().kind == ErrorKind::ambiguous;
  }
  static bool is_unavailable(const auto& result) {
    return !result && result.error().kind == ErrorKind::unavailable;
  }
  // Works again after at most a few refusals, none of which did anything.
  void recovers() {
    const NewJob mail = new_mail();
    for (int look = 0; look < 50; ++look) {
      const auto outcome = proxied().accept(std::span(&mail, 1), AcceptRun::first);
      if (outcome) return;
      ASSERT_EQ(outcome.error().kind, ErrorKind::unavailable) << outcome.error().message;
    }
    ADD_FAILURE() << "the store does not recover";
  }

  TcpProxy proxy_{PostgresServer::shared().port()};
  SystemClock clock_;
  Store behind_proxy_;
};
INSTANTIATE_TEST_SUITE_P(Stores, AmbiguousCommits, ::testing::Values("postgres"), store_name);

TEST_P(AmbiguousCommits, AnAcceptWhoseAnswerIsLostIsThereOnce) {
  const std::vector<NewJob> batch{new_mail().keyed("order-1001"), new_mail().in_group("g"), new_mail()};
  proxy_.cut_next_commit(CutPoint::after_commit);
  const auto lost = proxied().accept(batch, AcceptRun::first);
  EXPECT_TRUE(is_ambiguous(lost));
  EXPECT_EQ(proxy_.cuts(), 1);
  EXPECT_EQ(count("outbox"), 3) << "it had been committed";
  for (const AcceptOutcome& outcome : must(proxied().accept(batch, AcceptRun::again)))
    EXPECT_EQ(outcome.kind, AcceptKind::accepted) << "the key counts as won";
  EXPECT_EQ(count("outbox"), 3);
  EXPECT_EQ(count("messages"), 3);
  EXPECT_EQ(count("mail_status"), 3);
  EXPECT_EQ(accept(new_mail().keyed("order-1001")).id, batch[0].id);
}

TEST_P(AmbiguousCommits, AnAcceptCutBeforeItsCommitIsNotThere) {
  const std::vector<NewJob> batch{new_mail().keyed("order-1001"), new_mail()};
  proxy_.cut_next_commit(CutPoint::before_commit);
  const auto lost = proxied().accept(batch, AcceptRun::first);
  EXPECT_TRUE(is_ambiguous(lost) || is_unavailable(lost));
  EXPECT_EQ(proxy_.cuts(), 1);
  EXPECT_EQ(count("outbox") + count("messages") + count("idempotency_keys"), 0);
  for (const AcceptOutcome& outcome : must(proxied().accept(batch, AcceptRun::again)))
    EXPECT_EQ(outcome.kind, AcceptKind::accepted);
  EXPECT_EQ(count("outbox"), 2);
}

TEST_P(AmbiguousCommits, ASettlementWhoseAnswerIsLostAnswersSettledBefore) {
  for (const char* group : {"", "g"}) {
    const JobId id = accepted(new_mail().in_group(group));
    Worker one(proxied(), proxied_care(), "one");
    ExchangeRequest request;
    request.settlements = {settle_sent(one.claim_only())};
    proxy_.cut_next_commit(CutPoint::after_commit);
    EXPECT_TRUE(is_ambiguous(proxied().exchange(request))) << "group '" << group << "'";
    EXPECT_EQ(state(id), "SENT");
    EXPECT_EQ(must(proxied().exchange(request)).settled, std::vector{SettleOutcome::settled_before});
    EXPECT_EQ(must(outbox().history(id)).attempts.size(), 1U);
    EXPECT_EQ(moves(id).size(), 2U);
  }
  EXPECT_EQ(proxy_.cuts(), 2);
}

TEST_P(AmbiguousCommits, ASettlementCutBeforeItsCommitIsMadeAgain) {
  const JobId id = accepted(new_mail());
  Worker one(proxied(), proxied_care(), "one");
  ExchangeRequest request;
  request.settlements = {settle_sent(one.claim_only())};
  proxy_.cut_next_commit(CutPoint::before_commit);
  const auto lost = proxied().exchange(request);
  EXPECT_TRUE(is_ambiguous(lost) || is_unavailable(lost));
  EXPECT_EQ(status(id), "dispatching");
  EXPECT_EQ(must(proxied().exchange(request)).settled, std::vector{SettleOutcome::settled});
  EXPECT_EQ(must(outbox().history(id)).attempts.size(), 1U);
}

TEST_P(AmbiguousCommits, AClaimWhoseAnswerIsLostIsFreedByReconcile) {
  const std::vector<JobId> ids = accepted_many(3);
  Worker one(proxied(), proxied_care(), "one");
  ExchangeRequest request;
  request.lanes = {ClaimLane{lane_of(), 10, {}}};
  request.token = one.next_token();
  proxy_.cut_next_commit(CutPoint::after_commit);
  EXPECT_TRUE(is_ambiguous(proxied().exchange(request)));
  EXPECT_EQ(count("outbox WHERE status = 'dispatching'"), 3) << "claimed, and nobody knows";
  EXPECT_EQ(must(proxied_care().reconcile(one.epoch(), {})), 3);
  EXPECT_EQ(ids_of(one.claim()), ids);
  EXPECT_EQ(job(ids[0]).losses, 0);
}

TEST_P(AmbiguousCommits, ASettleAndClaimWhoseAnswerIsLostIsBoth) {
  const JobId first = accepted(new_mail());
  Worker one(proxied(), proxied_care(), "one");
  const ClaimedJob claimed = one.claim_only();
  const JobId second = accepted(new_mail());
  ExchangeRequest request;
  request.settlements = {settle_sent(claimed)};
  request.lanes = {ClaimLane{claimed.lane, 10, {}}};
  request.token = one.next_token();
  proxy_.cut_next_commit(CutPoint::after_commit);
  ASSERT_TRUE(is_ambiguous(proxied().exchange(request)));
  EXPECT_EQ(must(proxied_care().reconcile(one.epoch(), {})), 1);
  request.token = one.next_token();
  const ExchangeResult again = must(proxied().exchange(request));
  EXPECT_EQ(again.settled, std::vector{SettleOutcome::settled_before});
  EXPECT_EQ(ids_of(again.claimed), std::vector{second});
  EXPECT_EQ(state(first), "SENT");
}

TEST_P(AmbiguousCommits, ACancelWhoseAnswerIsLostHasHappened) {
  const JobId id = accepted(new_mail());
  const ActRequest request{.act = Act::cancel, .client = ClientName{"shop"}, .actor = "shop", .trace_id = ""};
  proxy_.cut_next_commit(CutPoint::after_commit);
  EXPECT_TRUE(is_ambiguous(proxied().act(std::span(&id, 1), request)));
  EXPECT_EQ(state(id), "CANCELLED");
  EXPECT_EQ(must(proxied().act(std::span(&id, 1), request)).at(0).kind, ActKind::refused);
  EXPECT_EQ(moves(id).size(), 2U);
}

TEST_P(AmbiguousCommits, ADatabaseThatRefusesIsUnavailableAtOnce) {
  proxy_.refuse(true);
  const auto start = std::chrono::steady_clock::now();
  const NewJob mail = new_mail();
  EXPECT_TRUE(is_unavailable(proxied().accept(std::span(&mail, 1), AcceptRun::first)));
  EXPECT_TRUE(is_unavailable(proxied().exchange({})));
  EXPECT_TRUE(is_unavailable(proxied().find(mail.id, std::nullopt)));
  EXPECT_TRUE(is_unavailable(proxied().check()));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 4 * kPatience);
  proxy_.refuse(false);
  recovers();
  EXPECT_EQ(count("outbox"), 1) << "the refused one is not there";
}

TEST_P(AmbiguousCommits, AStalledLinkHoldsUpNobodyElse) {
  proxy_.stall(true);
  const NewJob mail = new_mail();
  auto waiting =
      std::async(std::launch::async, [&] { return proxied().accept(std::span(&mail, 1), AcceptRun::first); });
  accepted(new_mail());  // on a link of its own
  proxy_.stall(false);
  EXPECT_TRUE(waiting.get());
  EXPECT_EQ(count("outbox"), 2);
}

TEST_P(AmbiguousCommits, EndedBackendsAreReplaced) {
  const JobId id = accepted(new_mail());
  for (int round = 0; round < 3; ++round) {
    rows(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
        "datname = current_database()");
    recovers();
  }
  EXPECT_EQ(state(id), "QUEUED");
  EXPECT_EQ(count("outbox"), 4);
}

TEST_P(AmbiguousCommits, AStoppedDatabaseIsUnavailableAndItsReturnIsNoticed) {
  const JobId before = accepted(new_mail().keyed("order-1001"));
  close_raw();  // our own link would die with the server
  PostgresServer::shared().stop();
  const auto start = std::chrono::steady_clock::now();
  const NewJob mail = new_mail();
  EXPECT_TRUE(is_unavailable(outbox().accept(std::span(&mail, 1), AcceptRun::first)));
  EXPECT_TRUE(is_unavailable(outbox().exchange({})));
  EXPECT_TRUE(is_unavailable(outbox().active_lanes()));
  EXPECT_TRUE(is_unavailable(care().rescue({})));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 4 * kPatience);
  PostgresServer::shared().start();
  open_raw();
  recovers();
  EXPECT_EQ(state(before), "QUEUED") << "what was acknowledged is still there";
  EXPECT_EQ(accept(new_mail().keyed("order-1001")).kind, AcceptKind::replayed);
  EXPECT_EQ(count("outbox"), 2);
}

}  // namespace
}  // namespace eilbote::test::ambiguous_commits_test
