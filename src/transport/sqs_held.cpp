#include "transport/sqs_held.h"

#include <algorithm>

namespace eilbote {
namespace {

// Acknowledged messages that are remembered; far more than come again.
constexpr std::size_t kDoneMax = 20'000;

}  // namespace

bool SqsHeld::take(const SqsMessage& message, Receipt receipt, Clock::Steady now) {
  if (const auto known = receipts_.find(message.id); known != receipts_.end()) {
    Message& held = held_.at(known->second);
    held.handle = message.handle;
    held.until = now + visibility_;
    held.extend_at = now + visibility_ / 2;
    held.is_expired = false;
    return false;
  }
  if (done_.contains(message.id)) {
    const auto waiting = std::find_if(deletes_.begin(), deletes_.end(),
                                      [&](const Deletion& one) { return one.id == message.id; });
    if (waiting != deletes_.end()) deletes_.erase(waiting);
    deletes_.push_back({message.id, message.handle, now + visibility_});
    return false;
  }
  held_[receipt] = {message.id, message.handle, now + visibility_, now + visibility_ / 2};
  receipts_[message.id] = receipt;
  return true;
}

void SqsHeld::acknowledge(Receipt receipt) {
  const auto found = held_.find(receipt);
  if (found == held_.end()) return;
  Message& message = found->second;
  receipts_.erase(message.id);
  remember(message.id);
  deletes_.push_back({std::move(message.id), std::move(message.handle), message.until});
  held_.erase(found);
}

void SqsHeld::remember(const std::string& id) {
  if (!done_.insert(id).second) return;
  done_order_.push_back(id);
  if (done_order_.size() <= kDoneMax) return;
  done_.erase(done_order_.front());
  done_order_.pop_front();
}

std::vector<Receipt> SqsHeld::to_extend(Clock::Steady now, std::size_t max) {
  std::vector<Receipt> due;
  for (auto& [receipt, message] : held_) {
    if (due.size() == max) break;
    if (message.is_expired || message.extend_at > now) continue;
    message.extend_at = now + visibility_ / 8;  // if nothing comes of it, there is time to ask again
    due.push_back(receipt);
  }
  return due;
}

void SqsHeld::extended(Receipt receipt, Clock::Steady asked_at) {
  const auto found = held_.find(receipt);
  if (found == held_.end()) return;
  found->second.until = asked_at + visibility_;
  found->second.extend_at = asked_at + visibility_ / 2;
}

void SqsHeld::expired(Receipt receipt) {
  const auto found = held_.find(receipt);
  if (found != held_.end()) found->second.is_expired = true;
}

std::optional<Clock::Steady> SqsHeld::next_extension() const {
  std::optional<Clock::Steady> next;
  for (const auto& [receipt, message] : held_)
    if (!message.is_expired && (!next || message.extend_at < *next)) next = message.extend_at;
  return next;
}

std::vector<SqsHeld::Deletion> SqsHeld::next_deletions(std::size_t max) {
  std::vector<Deletion> batch;
  while (!deletes_.empty() && batch.size() < max) {
    batch.push_back(std::move(deletes_.front()));
    deletes_.pop_front();
  }
  deleting_ += batch.size();
  return batch;
}

void SqsHeld::delete_again(Deletion deletion, Clock::Steady now) {
  --deleting_;
  if (now >= deletion.until) return;
  const bool is_newer = std::any_of(deletes_.begin(), deletes_.end(),
                                    [&](const Deletion& one) { return one.id == deletion.id; });
  if (!is_newer) deletes_.push_front(std::move(deletion));
}

std::vector<std::string> SqsHeld::give_up() {
  std::vector<std::string> handles;
  handles.reserve(held_.size());
  for (auto& [receipt, message] : held_)
    handles.push_back(std::move(message.handle));
  held_.clear();
  receipts_.clear();
  return handles;
}

std::string SqsHeld::handle(Receipt receipt) const {
  const auto found = held_.find(receipt);
  return found == held_.end() ? "" : found->second.handle;
}

}  // namespace eilbote
