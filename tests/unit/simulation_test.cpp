// The simulation's own parts: a seed is a history, always the same one; a history that fails becomes as small as it can; and a
// world whose engine does wrong is noticed.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/log.h"
#include "metrics/metrics.h"
#include "simulation/expected_decision.h"
#include "simulation/history_run.h"
#include "simulation/model_store.h"
#include "simulation/shrink.h"

namespace eilbote::sim::simulation_test {
namespace {

// The engine's own lines say nothing that the story does not.
struct Quiet {
  Quiet() { log::configure(log::Format::text, log::Level::error); }
  ~Quiet() { log::configure(log::Format::text, log::Level::info); }
};

std::string story_of(const Plan& plan) {
  const Quiet quiet;
  Metrics metrics;
  std::string story;
  const Outcome outcome = run_plan(plan, metrics, [&](const std::string& line) { story += line + "\n"; });
  return story + (outcome.violation ? outcome.violation->what : "all rules hold");
}

TEST(Simulation, a_seed_is_always_the_same_history) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    ASSERT_EQ(draw_plan(seed), draw_plan(seed));
    ASSERT_EQ(story_of(draw_plan(seed)), story_of(draw_plan(seed))) << "seed " << seed;
  }
}

TEST(Simulation, other_seeds_are_other_histories) {
  EXPECT_NE(story_of(draw_plan(1)), story_of(draw_plan(2)));
}

TEST(Simulation, every_kind_of_step_is_drawn) {
  std::vector<StepKind> seen;
  for (std::uint64_t seed = 1; seed <= 500; ++seed)
    for (const Step& step : draw_plan(seed).steps)
      seen.push_back(step.kind);
  for (const auto& [kind, name] : kStepNames.entries)
    EXPECT_GT(std::ranges::count(seen, kind), 0) << name;
}

TEST(Simulation, a_plan_without_some_of_its_steps_is_a_plan) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Plan plan = draw_plan(seed);
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
      plan.steps.erase(plan.steps.begin() + static_cast<std::ptrdiff_t>(i));
    ASSERT_TRUE(story_of(plan).ends_with("all rules hold")) << "seed " << seed;
  }
}

// Fails when somebody kills an instance after two jobs were handed in.
bool kills_after_two(const Plan& plan) {
  int jobs = 0;
  for (const Step& step : plan.steps) {
    if (step.kind == StepKind::submit) ++jobs;
    if (step.kind == StepKind::kill && jobs >= 2) return true;
  }
  return false;
}

TEST(Simulation, what_does_not_matter_is_taken_away) {
  int shrunk = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Plan plan = draw_plan(seed);
    if (!kills_after_two(plan)) continue;
    ++shrunk;
    const Plan small = shrink(plan, kills_after_two);
    ASSERT_TRUE(kills_after_two(small)) << "seed " << seed;
    EXPECT_EQ(small.steps.size(), 3U) << "seed " << seed;
    EXPECT_EQ(small.setup.instances, 1);
    for (const Step& step : small.steps)
      EXPECT_EQ(step, (Step{step.kind, 0, 0, 0}));
  }
  EXPECT_GT(shrunk, 10);
}

TEST(Simulation, shrinking_ends_after_its_tries) {
  int tries = 0;
  const auto fails = [&](const Plan&) { return ++tries > 0; };
  const Plan plan = draw_plan(3);
  EXPECT_EQ(shrink(plan, fails, 0), plan);
  EXPECT_EQ(tries, 0);
  EXPECT_LE(shrink(plan, fails, 5).steps.size(), plan.steps.size());
  EXPECT_LE(tries, 5);
}

// ---- the rules ----

class Ruled : public testing::Test {
 protected:
  Ruled() : store_(time_, {pool("mail", 2), pool("narrow", 1, true)}) {
    epoch_ = store_.start_instance("one", std::chrono::seconds{15});
  }
  static Pool pool(const std::string& code, int concurrency, bool limited = false) {
    Pool pool;
    pool.code = code;
    pool.concurrency = concurrency;
    pool.limited = limited;
    return pool;
  }
  JobId accept(int attempts_max = 2, const std::string& name = "mail") {
    NewJob job;
    job.id = JobId{++last_id_};
    job.client = ClientName{"a"};
    job.pool = name;
    job.attempts_max = attempts_max;
    job.mail.recipients = {{RecipientKind::to, "r", RecipientStatus::waiting, ""}};
    EXPECT_TRUE(store_.accept(std::span(&job, 1), AcceptRun::first).has_value());
    return job.id;
  }
  LeaseToken claim(JobId id) {
    ExchangeRequest request;
    request.token = make_lease_token(epoch_, ++round_);
    request.claim_one = id;
    EXPECT_EQ(store_.exchange(request).claimed.size(), 1U);
    return request.token;
  }
  Settlement settlement(JobId id, LeaseToken token, JobEvent event, JobStatus status, int retry_count) {
    Settlement settlement;
    settlement.id = id;
    settlement.token = token;
    settlement.decision.event = event;
    settlement.decision.status = status;
    settlement.decision.retry_count = retry_count;
    settlement.decision.attempts = 1;
    settlement.attempt.emplace();
    settlement.attempt->number = 1;
    return settlement;
  }
  std::string_view broken() const {
    const auto& violation = rules_.violation();
    return violation ? violation->rule : "";
  }

  SimTime time_;
  ModelStore store_;
  Rules& rules_ = store_.rules();
  Epoch epoch_;
  std::int64_t last_id_ = 0;
  std::uint32_t round_ = 0;
};

TEST_F(Ruled, an_answer_before_the_commit_is_seen) {
  rules_.accepted(JobId{7}, "");
  EXPECT_EQ(broken(), rule::stored);
}

TEST_F(Ruled, a_hand_over_without_the_lease_is_seen) {
  const JobId id = accept();
  const LeaseToken token = claim(id);
  rules_.handed_over(0, id, token);
  EXPECT_EQ(broken(), "");
  rules_.handed_over(0, id, make_lease_token(epoch_, 99));
  EXPECT_EQ(broken(), rule::lease);
}

TEST_F(Ruled, a_second_hand_over_is_seen_unless_a_fault_explains_it) {
  const JobId id = accept();
  const LeaseToken token = claim(id);
  rules_.handed_over(0, id, token);
  rules_.lost(0);
  rules_.handed_over(0, id, token);
  EXPECT_EQ(broken(), "");
  rules_.handed_over(0, id, token);
  EXPECT_EQ(broken(), rule::duplicate);
}

TEST_F(Ruled, a_job_that_is_begun_twice_is_seen) {
  const JobId id = accept();
  const LeaseToken token = claim(id);
  rules_.begun({id, token, 1, 1});
  EXPECT_EQ(broken(), "");
  rules_.begun({id, token, 1, 1});
  EXPECT_EQ(broken(), rule::begun_once);
}

TEST_F(Ruled, a_full_pool_that_starts_more_is_seen) {
  const JobId id = accept(2, "narrow");
  const LeaseToken token = claim(id);
  rules_.begun({id, token, 1, 2});
  EXPECT_EQ(broken(), rule::pool_room);
}

TEST_F(Ruled, decisions_are_held_against_what_was_answered) {
  struct Case {
    const char* name;
    Verdict verdict;
    JobEvent event;
    JobStatus status;
    int retry_count;
    bool right;
  };
  const Case cases[] = {
      {"a failure counts", Verdict::transient, JobEvent::settle_retry, JobStatus::queued, 1, true},
      {"a failure that does not", Verdict::transient, JobEvent::settle_retry, JobStatus::queued, 0, false},
      {"a failure that ends it", Verdict::transient, JobEvent::settle_failed, JobStatus::failed, 1, false},
      {"a deferral burns nothing", Verdict::deferred, JobEvent::settle_retry, JobStatus::queued, 0, true},
      {"a deferral that does", Verdict::deferred, JobEvent::settle_retry, JobStatus::queued, 1, false},
      {"refused for good, and tried again", Verdict::permanent, JobEvent::settle_retry, JobStatus::queued, 1,
       false},
      {"uncertain, and at once again", Verdict::uncertain, JobEvent::settle_retry, JobStatus::queued, 1,
       false},
  };
  for (const Case& c : cases) {
    const JobId id = accept();
    const LeaseToken token = claim(id);
    Settlement settled = settlement(id, token, c.event, c.status, c.retry_count);
    settled.decision.delay = std::chrono::seconds{30};
    Answer answer;
    answer.result.verdict = c.verdict;
    const auto wrong = wrong_decision(*store_.find(id), settled, &answer);
    EXPECT_EQ(!wrong.has_value(), c.right) << c.name << ": " << wrong.value_or("");
  }
}

}  // namespace
}  // namespace eilbote::sim::simulation_test
