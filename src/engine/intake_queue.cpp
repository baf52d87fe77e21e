#include "engine/intake_queue.h"

#include <cstdint>

namespace eilbote {
namespace {

std::size_t content_bytes(const NewJob& job) {
  return job.channel == ChannelKind::mail ? job.mail.mime.size() : job.webhook.payload.size();
}

}  // namespace

void IntakeQueue::push_back(WaitingJob job) {
  std::deque<WaitingJob>& line = by_client_[job.job->client.value()];
  if (line.empty()) turn_.push_back(job.job->client.value());
  line.push_back(std::move(job));
  ++size_;
}

void IntakeQueue::push_front(WaitingJob job) {
  std::deque<WaitingJob>& line = by_client_[job.job->client.value()];
  if (line.empty()) turn_.push_front(job.job->client.value());
  line.push_front(std::move(job));
  ++size_;
}

void IntakeQueue::take(std::vector<WaitingJob>& batch, std::size_t rows_max, std::size_t bytes_max) {
  std::size_t bytes = 0;
  for (const WaitingJob& taken : batch)
    bytes += content_bytes(*taken.job);
  while (!turn_.empty() && batch.size() < rows_max) {
    const std::string client = turn_.front();
    std::deque<WaitingJob>& line = by_client_[client];
    const std::size_t next = content_bytes(*line.front().job);
    if (!batch.empty() && bytes + next > bytes_max) break;
    bytes += next;
    batch.push_back(std::move(line.front()));
    line.pop_front();
    --size_;
    turn_.pop_front();
    if (line.empty())
      by_client_.erase(client);
    else
      turn_.push_back(client);
  }
}

std::vector<WaitingJob> IntakeLines::take(Hand hand, std::size_t rows_max, std::size_t bytes_max) {
  std::vector<WaitingJob> batch;
  // Half of a full batch is kept for those without a group: neither line starves the other.
  if (hand == Hand::first) ordered_.take(batch, free_.size() > 0 ? rows_max / 2 : rows_max, bytes_max);
  free_.take(batch, rows_max, bytes_max);
  return batch;
}

std::vector<WaitingJob> IntakeLines::take_all() {
  std::vector<WaitingJob> all;
  ordered_.take(all, SIZE_MAX, SIZE_MAX);
  free_.take(all, SIZE_MAX, SIZE_MAX);
  return all;
}

}  // namespace eilbote
