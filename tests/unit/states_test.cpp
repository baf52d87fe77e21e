// The state table: every pair of state and event against a list written from the product's description, not
// from the table; and the moves of a mail's public state.
#include "domain/states.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace eilbote::states_test {
namespace {

using S = JobStatus;
using E = JobEvent;

// What may happen in each state, in the words of the outbox.
const std::map<S, std::map<E, S>> kWant{
    // Waits for its time: a worker takes it, a scheduler hands it to the broker, people and time end it.
    {S::queued,
     {{E::claim, S::dispatching},
      {E::publish, S::publishing},
      {E::cancel, S::cancelled},
      {E::expire, S::failed},
      {E::exhaust, S::failed},
      {E::abandon, S::failed}}},
    // In its group's line: only its turn moves it on; people and time end it.
    {S::blocked,
     {{E::promote, S::queued}, {E::cancel, S::cancelled}, {E::expire, S::failed}, {E::abandon, S::failed}}},
    // Leased by a scheduler, for the moment in which its name goes to the broker: nobody delivers it, so people may still end it;
    // a worker may be faster than the mark.
    {S::publishing,
     {{E::mark_published, S::published},
      {E::start, S::dispatching},
      {E::release, S::queued},
      {E::rescue, S::queued},
      {E::lose, S::failed},
      {E::cancel, S::cancelled},
      {E::abandon, S::failed}}},
    // In the broker, without a lease.
    {S::published,
     {{E::start, S::dispatching},
      {E::unpublish, S::queued},
      {E::cancel, S::cancelled},
      {E::expire, S::failed},
      {E::abandon, S::failed}}},
    // Leased by a worker: only the holder settles it, or it is lost. A webhook can be told to stop after this attempt.
    {S::dispatching,
     {{E::settle_sent, S::sent},
      {E::settle_retry, S::queued},
      {E::settle_block, S::blocked},
      {E::settle_failed, S::failed},
      {E::release, S::queued},
      {E::rescue, S::queued},
      {E::lose, S::failed},
      {E::cancel, S::dispatching},
      {E::stop, S::cancelled}}},
    // A foreign worker's: it settles by its own SQL, or is recovered.
    {S::in_flight, {{E::rescue, S::queued}, {E::lose, S::failed}}},
    // Handed over: only the provider's word, or an operator after a bounce, changes anything.
    {S::sent,
     {{E::report, S::sent}, {E::report_failed, S::failed}, {E::reopen, S::queued}, {E::retry, S::queued}}},
    // Dead until an operator sends it again, or gives up on it for its group's sake, or until a report says that what was
    // uncertain has arrived somewhere.
    {S::failed, {{E::retry, S::queued}, {E::cancel, S::cancelled}, {E::report, S::sent}}},
    {S::cancelled, {}},
};

TEST(States, every_pair_of_state_and_event) {
  std::size_t legal = 0;
  for (const auto& [status, status_text] : kJobStatusNames.entries) {
    ASSERT_TRUE(kWant.contains(status)) << status_text;
    for (const auto& [event, event_text] : kJobEventNames.entries) {
      const auto& row = kWant.at(status);
      const auto want = row.contains(event) ? std::optional(row.at(event)) : std::nullopt;
      EXPECT_EQ(next_status(status, event), want) << status_text << " + " << event_text;
      legal += want.has_value();
    }
  }
  EXPECT_EQ(job_transitions().size(), legal) << "a pair is in the table twice";
}

TEST(States, final_states_are_left_only_by_providers_and_operators) {
  const std::set<E> outside{E::retry, E::reopen, E::report, E::report_failed, E::cancel};
  for (const JobTransition& t : job_transitions())
    if (is_final(t.from)) {
      EXPECT_TRUE(outside.contains(t.event)) << kJobEventNames.text(t.event);
    }
}

TEST(States, a_lease_of_a_worker_ends_only_by_its_holder_or_by_its_loss) {
  const std::set<E> holder{E::settle_sent, E::settle_retry, E::settle_block, E::settle_failed,
                           E::release,     E::rescue,       E::lose,         E::stop};
  for (const JobTransition& t : job_transitions())
    if (is_leased(t.from) && t.from != S::publishing && t.from != t.to) {
      EXPECT_TRUE(holder.contains(t.event)) << kJobEventNames.text(t.event);
    }
}

TEST(States, every_state_but_the_foreign_one_can_be_reached_and_left) {
  std::set<S> reached{S::queued, S::blocked, S::in_flight};
  std::set<S> left{S::cancelled};
  for (const JobTransition& t : job_transitions()) {
    reached.insert(t.to);
    left.insert(t.from);
  }
  EXPECT_EQ(reached.size(), kJobStatusNames.entries.size());
  EXPECT_EQ(left.size(), kJobStatusNames.entries.size());
}

TEST(States, leased_and_final) {
  const std::set<S> leased{S::publishing, S::dispatching, S::in_flight};
  const std::set<S> final{S::sent, S::failed, S::cancelled};
  for (const auto& [status, text] : kJobStatusNames.entries) {
    EXPECT_EQ(is_leased(status), leased.contains(status)) << text;
    EXPECT_EQ(is_final(status), final.contains(status)) << text;
  }
}

TEST(MailMoves, every_pair) {
  using M = MailState;
  const std::set<std::pair<M, M>> legal{
      {M::QUEUED, M::SENT},
      {M::QUEUED, M::CANCELLED},
      {M::QUEUED, M::FAILED},
      {M::QUEUED, M::RETRY_PENDING},
      {M::RETRY_PENDING, M::SENT},
      {M::RETRY_PENDING, M::FAILED},
      {M::RETRY_PENDING, M::CANCELLED},
      {M::SENT, M::DELIVERED},
      {M::SENT, M::BOUNCED},
      {M::SENT, M::FAILED},
      {M::SENT, M::RETRY_PENDING},
      {M::FAILED, M::QUEUED},
      {M::FAILED, M::SENT},
      {M::BOUNCED, M::QUEUED},
  };
  for (const auto& [from, from_text] : kMailStateNames.entries)
    for (const auto& [to, to_text] : kMailStateNames.entries)
      EXPECT_EQ(mail_move_is_legal(from, to), legal.contains({from, to})) << from_text << " to " << to_text;
}

}  // namespace
}  // namespace eilbote::states_test
