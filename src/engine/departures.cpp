#include "engine/departures.h"

#include <algorithm>

namespace eilbote {
namespace {

// A mail may have ten megabytes, a webhook one.
constexpr std::size_t kMailsPerStep = 32;
constexpr std::size_t kWebhooksPerStep = 128;
constexpr std::size_t kContentBytesMax = 64 * 1024 * 1024;

}  // namespace

void Departures::add(ClaimedJob job, bool probe) {
  waiting_.push_back({std::move(job), probe});
}

bool Departures::has_memory() const {
  return bytes_sum_ < kContentBytesMax;
}

Result<void> Departures::go() {
  while (!waiting_.empty() && has_memory())
    if (auto started = start_some(); !started) return started;
  return {};
}

Result<void> Departures::start_some() {
  std::vector<JobId> mails, webhooks;
  std::size_t count = 0;
  for (const Waiting& one : waiting_) {
    std::vector<JobId>& ids = one.job.job.channel == ChannelKind::mail ? mails : webhooks;
    ids.push_back(one.job.job.id);
    ++count;
    if (mails.size() == kMailsPerStep || webhooks.size() == kWebhooksPerStep) break;
  }
  auto contents = outbox_.load_contents(mails, webhooks);
  if (!contents) return fail(contents.error());
  auto mail = contents->mails.begin();
  auto webhook = contents->webhooks.begin();
  for (std::size_t i = 0; i < count; ++i) {
    Waiting one = std::move(waiting_.front());
    waiting_.pop_front();
    const Lease lease{one.job.job.id, one.job.token};
    if (one.job.job.channel == ChannelKind::mail) {
      if (mail == contents->mails.end() || mail->id != lease.first) {
        courier_.give_up(std::move(one.job));
        continue;
      }
      hold(lease, mail->mime.size());
      courier_.start(std::move(one.job), std::move(*mail++));
    } else {
      if (webhook == contents->webhooks.end() || webhook->id != lease.first) {
        courier_.give_up(std::move(one.job));
        continue;
      }
      hold(lease, webhook->webhook.payload.size());
      courier_.start(std::move(one.job), std::move(*webhook++), one.probe);
    }
  }
  return {};
}

void Departures::hold(const Lease& lease, std::size_t bytes) {
  bytes_[lease] = bytes;
  bytes_sum_ += bytes;
}

void Departures::finished(const Lease& lease) {
  const auto it = bytes_.find(lease);
  if (it == bytes_.end()) return;
  bytes_sum_ -= it->second;
  bytes_.erase(it);
}

std::vector<Finished> Departures::hand_back(Which which) {
  std::vector<Finished> back;
  std::erase_if(waiting_, [&](const Waiting& one) {
    if (which == Which::mails && one.job.job.channel != ChannelKind::mail) return false;
    back.push_back(courier_.hand_back(one.job, one.probe));
    return true;
  });
  return back;
}

}  // namespace eilbote
