// The intake over a real outbox: group commit, twins, bisection, a store that is away or loses its answer.
#include <gtest/gtest.h>
#include <pthread.h>

#include "support/engine_fixture.h"

namespace eilbote::test::engine_intake_test {
namespace {

using namespace std::chrono_literals;
using Kind = IntakeAnswer::Kind;
using IntakeTest = EngineFixture;

NewJob with_key(NewJob job, const std::string& key, char body = 'a') {
  job.idempotency_key = key;
  job.fingerprint.fill(static_cast<std::uint8_t>(body));
  return job;
}

TEST_F(IntakeTest, AnswersAfterTheCommit) {
  start_intake();
  const auto answer = hand_in(new_job()).get();
  EXPECT_EQ(answer.kind, Kind::accepted);
  EXPECT_EQ(mail_state(record(answer.id).job), MailState::QUEUED);
}

TEST_F(IntakeTest, OneHundredTwinsMakeOneMessage) {
  start_intake();
  std::vector<std::future<IntakeAnswer>> answers;
  for (int i = 0; i < 100; ++i)
    answers.push_back(hand_in(with_key(new_job(), "the-same-key")));
  int accepted = 0, replayed = 0;
  std::set<JobId> ids;
  for (auto& future : answers) {
    const auto answer = future.get();
    accepted += answer.kind == Kind::accepted;
    replayed += answer.kind == Kind::replayed;
    ids.insert(answer.id);
  }
  EXPECT_EQ(accepted, 1);
  EXPECT_EQ(replayed, 99);
  EXPECT_EQ(ids.size(), 1u);
}

TEST_F(IntakeTest, ATwinWithAnotherBodyIsAConflictInTheSameBatchToo) {
  start_intake();
  auto first = hand_in(with_key(new_job(), "key-of-two", 'a'));
  auto second = hand_in(with_key(new_job(), "key-of-two", 'b'));
  EXPECT_EQ(first.get().kind, Kind::accepted);
  EXPECT_EQ(second.get().kind, Kind::conflict);
}

TEST_F(IntakeTest, ATwinOfARefusedRowIsDecidedByItself) {
  const NewJob bad = with_key(new_job("bad@example.org"), "key-of-three", 'a');
  outbox_->before_accept = [id = bad.id](std::span<const NewJob> jobs, AcceptRun) -> std::optional<Error> {
    for (const NewJob& job : jobs)
      if (job.id == id) return Error{ErrorKind::rejected_data, "22021: bad row"};
    return std::nullopt;
  };
  // One batch again.
  intake_ = make_intake(*outbox_, clock_, metrics_, {}, [](std::span<const LaneId>) {});
  auto refused = hand_in(bad);
  const NewJob good = with_key(new_job(), "key-of-three", 'b');
  auto second = hand_in(good);
  auto third = hand_in(with_key(new_job(), "key-of-three", 'b'));
  intake_->start();
  EXPECT_EQ(refused.get().kind, Kind::rejected);
  const std::vector<IntakeAnswer> answers{second.get(), third.get()};
  const auto accepted = std::ranges::count(answers, Kind::accepted, &IntakeAnswer::kind);
  const auto replayed = std::ranges::count(answers, Kind::replayed, &IntakeAnswer::kind);
  EXPECT_EQ(accepted, 1) << "the refused one holds no key";
  EXPECT_EQ(replayed, 1);
  EXPECT_EQ(answers[0].id, answers[1].id);
}

TEST_F(IntakeTest, ARefusedRowFailsAlone) {
  const NewJob bad = new_job("bad@example.org");
  outbox_->before_accept = [id = bad.id](std::span<const NewJob> jobs, AcceptRun) -> std::optional<Error> {
    for (const NewJob& job : jobs)
      if (job.id == id) return Error{ErrorKind::rejected_data, "22021: bad row"};
    return std::nullopt;
  };
  // Handed in before the thread runs, so that they are one batch.
  intake_ = make_intake(*outbox_, clock_, metrics_, {}, [](std::span<const LaneId>) {});
  std::vector<std::future<IntakeAnswer>> good;
  for (int i = 0; i < 10; ++i)
    good.push_back(hand_in(new_job()));
  auto refused = hand_in(bad);
  for (int i = 0; i < 10; ++i)
    good.push_back(hand_in(new_job()));
  intake_->start();
  EXPECT_EQ(refused.get().kind, Kind::rejected);
  for (auto& future : good)
    EXPECT_EQ(future.get().kind, Kind::accepted);
}

TEST_F(IntakeTest, ALostAnswerIsAskedAgainAndNothingIsDoubled) {
  start_intake();
  outbox_->lose_accept_answers = 1;
  const auto answer = hand_in(with_key(new_job(), "lost-answer")).get();
  EXPECT_EQ(answer.kind, Kind::accepted) << "a key row that carries my id counts as won";
  EXPECT_EQ(hand_in(with_key(new_job(), "lost-answer")).get().id, answer.id);
  ListQuery all;
  EXPECT_EQ(real_->list(all)->jobs.size(), 1u);
}

TEST_F(IntakeTest, WaitsForAStoreThatComesBack) {
  std::atomic<int> refusals{3};
  outbox_->before_accept = [&](std::span<const NewJob>, AcceptRun) -> std::optional<Error> {
    if (refusals-- > 0) return Error{ErrorKind::unavailable, "away"};
    return std::nullopt;
  };
  start_intake();
  EXPECT_EQ(hand_in(new_job()).get().kind, Kind::accepted);
}

TEST_F(IntakeTest, GivesUpWhenPatienceIsOver) {
  outbox_->before_accept = [](std::span<const NewJob>, AcceptRun) -> std::optional<Error> {
    return Error{ErrorKind::unavailable, "away"};
  };
  IntakeLimits limits;
  limits.patience = 100ms;
  start_intake(limits);
  EXPECT_EQ(hand_in(new_job()).get().kind, Kind::unavailable);
}

TEST_F(IntakeTest, RefusesMoreThanItsQueueHolds) {
  IntakeLimits limits;
  limits.waiting_max = 2;
  intake_ = make_intake(*outbox_, clock_, metrics_, limits, [](std::span<const LaneId>) {});
  EXPECT_TRUE(intake_->accept(new_job(), {}, [](IntakeAnswer) {}));
  EXPECT_TRUE(intake_->accept(new_job(), {}, [](IntakeAnswer) {}));
  EXPECT_FALSE(intake_->accept(new_job(), {}, [](IntakeAnswer) {}));
}

TEST_F(IntakeTest, AHelperCommitsWhileTheFirstHandIsBusy) {
  IntakeLimits limits;
  limits.hands = 2;
  limits.help_from = 5;
  limits.rows_max = 5;
  std::promise<void> both_are_here;
  std::atomic<int> here{0};
  outbox_->before_accept = [&](std::span<const NewJob>, AcceptRun) -> std::optional<Error> {
    // The first two calls wait for each other: one hand alone would stand here for ever.
    const int mine = ++here;
    if (mine == 2) both_are_here.set_value();
    if (mine == 1 && both_are_here.get_future().wait_for(30s) != std::future_status::ready)
      return Error{ErrorKind::internal, "nobody helps"};
    return std::nullopt;
  };
  intake_ = make_intake(*outbox_, clock_, metrics_, limits, [](std::span<const LaneId>) {});
  std::vector<std::future<IntakeAnswer>> answers;
  for (int i = 0; i < 10; ++i)
    answers.push_back(hand_in(new_job()));
  intake_->start();
  for (auto& future : answers)
    EXPECT_EQ(future.get().kind, Kind::accepted);
  intake_->stop();
}

TEST_F(IntakeTest, ALittleIsCommittedWhileAHelperHangs) {
  IntakeLimits limits;
  limits.hands = 2;
  limits.help_from = 5;
  limits.rows_max = 5;
  std::promise<void> both_are_here, helper_may_go;
  std::shared_future<void> meeting = both_are_here.get_future().share(),
                           release = helper_may_go.get_future().share();
  std::atomic<int> here{0};
  outbox_->before_accept = [&](std::span<const NewJob>, AcceptRun) -> std::optional<Error> {
    const int mine = ++here;
    if (mine == 2) both_are_here.set_value();
    if (mine <= 2) meeting.wait_for(30s);
    char thread[16] = {};
    pthread_getname_np(pthread_self(), thread, sizeof thread);
    if (std::string_view(thread) == "intake-2") release.wait_for(30s);
    return std::nullopt;
  };
  intake_ = make_intake(*outbox_, clock_, metrics_, limits, [](std::span<const LaneId>) {});
  std::vector<std::future<IntakeAnswer>> answers;
  for (int i = 0; i < 10; ++i)
    answers.push_back(hand_in(new_job()));
  intake_->start();
  ASSERT_EQ(meeting.wait_for(30s), std::future_status::ready);

  std::future<IntakeAnswer> alone = hand_in(new_job());
  ASSERT_EQ(alone.wait_for(20s), std::future_status::ready) << "it waits for the helper";
  EXPECT_EQ(alone.get().kind, Kind::accepted);
  helper_may_go.set_value();
  for (auto& future : answers)
    EXPECT_EQ(future.get().kind, Kind::accepted);
  intake_->stop();
}

TEST_F(IntakeTest, JobsOfAGroupAreCommittedInTheirOrderHoweverManyHands) {
  IntakeLimits limits;
  limits.hands = 4;
  limits.help_from = 2;
  limits.rows_max = 7;
  std::mutex mutex;
  std::vector<JobId> seen;
  outbox_->before_accept = [&](std::span<const NewJob> jobs, AcceptRun) -> std::optional<Error> {
    const std::lock_guard lock(mutex);
    for (const NewJob& job : jobs)
      if (!job.group.empty()) seen.push_back(job.id);
    return std::nullopt;
  };
  start_intake(limits);
  std::vector<std::future<IntakeAnswer>> answers;
  std::vector<JobId> grouped;
  for (int i = 0; i < 300; ++i) {
    NewJob job = new_job();
    if (i % 3 == 0) {
      job.group = "invoices";
      job.group_mode = GroupMode::NEXT_ON_ERROR;
      grouped.push_back(job.id);
    }
    answers.push_back(hand_in(std::move(job)));
  }
  for (auto& future : answers)
    EXPECT_EQ(future.get().kind, Kind::accepted);
  intake_->stop();
  EXPECT_EQ(seen, grouped);
}

TEST_F(IntakeTest, StopCommitsWhatWaits) {
  intake_ = make_intake(*outbox_, clock_, metrics_, {}, [](std::span<const LaneId>) {});
  std::vector<std::future<IntakeAnswer>> answers;
  for (int i = 0; i < 50; ++i)
    answers.push_back(hand_in(new_job()));
  intake_->start();
  intake_->stop();
  for (auto& future : answers)
    EXPECT_EQ(future.get().kind, Kind::accepted);
}

}  // namespace
}  // namespace eilbote::test::engine_intake_test
