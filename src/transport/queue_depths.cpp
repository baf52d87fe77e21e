#include "transport/queue_depths.h"

#include <algorithm>

namespace eilbote {
namespace {

constexpr std::chrono::milliseconds kAskSoon{20}, kAskRarely{1000};
constexpr std::chrono::milliseconds kInterest{1000};  // how long it lasts after somebody wanted to know

}  // namespace

// A queue nobody wants to know of is not asked for. An empty one gets something in it by others only, or by what is counted
// here anyway.
std::optional<QueueDepths::Steady> QueueDepths::due(const Row& row) const {
  if (!row.heard || row.question || !row.wanted || *row.wanted + kInterest < row.last_asked)
    return std::nullopt;
  return row.last_asked + (*row.heard + row.since > 0 ? kAskSoon : kAskRarely);
}

QueueDepths::Answer QueueDepths::waiting(CarrierQueue queue, Steady now) const {
  const MutexLock lock(mutex_);
  const Row& row = rows_[static_cast<std::size_t>(queue)];
  if (!row.heard) return {};
  const bool was_wanted = due(row).has_value();
  row.wanted = now;
  return {*row.heard + row.since, !was_wanted && due(row).has_value()};
}

void QueueDepths::published(CarrierQueue queue) {
  const MutexLock lock(mutex_);
  Row& row = rows_[static_cast<std::size_t>(queue)];
  ++row.since;
  if (row.question) ++row.since_question;
}

void QueueDepths::heard(CarrierQueue queue, std::int64_t messages) {
  const MutexLock lock(mutex_);
  Row& row = rows_[static_cast<std::size_t>(queue)];
  row.since = row.question ? row.since_question : 0;
  row.heard = messages;
  row.question.reset();
}

std::vector<CarrierQueue> QueueDepths::take_due(Steady now) {
  const MutexLock lock(mutex_);
  std::vector<CarrierQueue> queues;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    const auto at = due(row);
    if (!at || *at > now) continue;
    row.question = row.last_asked = now;
    row.since_question = 0;
    queues.push_back(kCarrierQueueNames.entries[i].first);
  }
  return queues;
}

std::optional<QueueDepths::Steady> QueueDepths::next_due() const {
  const MutexLock lock(mutex_);
  std::optional<Steady> first;
  for (const Row& row : rows_)
    if (const auto at = due(row)) first = first ? std::min(*first, *at) : *at;
  return first;
}

std::optional<QueueDepths::Steady> QueueDepths::open_since() const {
  const MutexLock lock(mutex_);
  std::optional<Steady> first;
  for (const Row& row : rows_)
    if (row.question) first = first ? std::min(*first, *row.question) : *row.question;
  return first;
}

void QueueDepths::drop_questions() {
  const MutexLock lock(mutex_);
  for (Row& row : rows_)
    row.question.reset();
}

void QueueDepths::forget() {
  const MutexLock lock(mutex_);
  for (Row& row : rows_)
    row = {};
}

}  // namespace eilbote
