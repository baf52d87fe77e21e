#include "engine/offer_book.h"

namespace eilbote {

void OfferBook::add(const Offer& offer) {
  const auto name = std::pair{offer.channel, Name{offer.job.id, offer.job.attempt}};
  if (const auto known = by_name_.find(name); known != by_name_.end()) {
    Message& first = *known->second;
    ++first.twins;
    if (first.receipts.size() == kReceiptsMax) first.receipts.erase(first.receipts.begin());
    first.receipts.push_back(offer.receipt);
    return;
  }
  Line& line = lines_[offer.channel];
  if (line.size() >= kWaitingMax) forget_oldest(line);
  line.push_back({offer.job, offer.channel, {offer.receipt}, 0});
  by_name_[name] = std::prev(line.end());
}

void OfferBook::forget_oldest(Line& line) {
  const Message& oldest = line.front();
  by_name_.erase({oldest.channel, Name{oldest.job.id, oldest.job.attempt}});
  line.pop_front();
}

std::size_t OfferBook::waiting(ChannelKind channel) const {
  const auto line = lines_.find(channel);
  return line == lines_.end() ? 0 : line->second.size();
}

std::vector<OfferedJob> OfferBook::take(ChannelKind channel, int n) {
  std::vector<OfferedJob> jobs;
  const auto line = lines_.find(channel);
  if (line == lines_.end()) return jobs;
  for (auto it = line->second.begin(); it != line->second.end() && static_cast<int>(jobs.size()) < n;) {
    const auto one = it++;
    if (!asked_ids_.insert(one->job.id).second) continue;
    jobs.push_back(one->job);
    asked_.splice(asked_.end(), line->second, one);
  }
  if (line->second.empty()) lines_.erase(line);
  return jobs;
}

std::vector<OfferBook::Message> OfferBook::decided() {
  std::vector<Message> messages;
  messages.reserve(asked_.size());
  for (Message& message : asked_) {
    by_name_.erase({message.channel, Name{message.job.id, message.job.attempt}});
    messages.push_back(std::move(message));
  }
  asked_.clear();
  asked_ids_.clear();
  return messages;
}

void OfferBook::failed() {
  while (!asked_.empty()) {
    Line& line = lines_[asked_.back().channel];
    line.splice(line.begin(), asked_, std::prev(asked_.end()));
  }
  asked_ids_.clear();
}

void OfferBook::clear() {
  lines_.clear();
  asked_.clear();
  asked_ids_.clear();
  by_name_.clear();
}

}  // namespace eilbote
