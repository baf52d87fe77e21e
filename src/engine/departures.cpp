#include "engine/departures.h"

#include <algorithm>

namespace eilbote {
namespace {

// A mail may have ten megabytes, a webhook one.
constexpr std::size_t kMailsPerStep = 32;
constexpr std::size_t kWebhooksPerStep = 128;
constexpr std::size_t kMailBytesMax = 64 * 1024 * 1024;
constexpr std::size_t kWebhookBytesMax = 128 * 1024 * 1024;
constexpr std::size_t kHostBytesMax = 8 * 1024 * 1024;

}  // namespace

void Departures::add(ClaimedJob job, bool probe) {
  waiting_.push_back({std::move(job), probe});
}

bool Departures::is_full(ChannelKind channel, const std::string& route) const {
  const auto it = bytes_.find(route);
  const std::size_t bytes = it == bytes_.end() ? 0 : it->second;
  if (channel == ChannelKind::mail) return bytes >= kMailBytesMax;
  return bytes >= kHostBytesMax || webhook_bytes_ >= kWebhookBytesMax;
}

Result<void> Departures::go() {
  while (true) {
    std::vector<Waiting> step = take_step();
    if (step.empty()) return {};
    std::vector<JobId> mails, webhooks;
    for (const Waiting& one : step)
      (one.job.job.channel == ChannelKind::mail ? mails : webhooks).push_back(one.job.job.id);
    auto contents = outbox_.load_contents(mails, webhooks);
    if (!contents) {
      waiting_.insert(waiting_.begin(), std::make_move_iterator(step.begin()),
                      std::make_move_iterator(step.end()));
      return fail(contents.error());
    }
    auto mail = contents->mails.begin();
    auto webhook = contents->webhooks.begin();
    for (Waiting& one : step) {
      // Contents come in the order asked for, without those that are gone.
      const JobId id = one.job.job.id;
      const bool is_mail = mail != contents->mails.end() && mail->id == id;
      const bool is_webhook = webhook != contents->webhooks.end() && webhook->id == id;
      start(std::move(one), is_mail ? &*mail++ : nullptr, is_webhook ? &*webhook++ : nullptr);
    }
  }
}

// The next few for which there is memory, in their order.
std::vector<Departures::Waiting> Departures::take_step() {
  std::vector<Waiting> step;
  std::size_t mails = 0, webhooks = 0;
  std::deque<Waiting> rest;
  for (Waiting& one : waiting_) {
    const Job& job = one.job.job;
    const bool is_mail = job.channel == ChannelKind::mail;
    const bool room = is_mail ? mails < kMailsPerStep : webhooks < kWebhooksPerStep;
    if (!room || is_full(job.channel, job.route)) {
      rest.push_back(std::move(one));
      continue;
    }
    ++(is_mail ? mails : webhooks);
    step.push_back(std::move(one));
  }
  waiting_ = std::move(rest);
  return step;
}

void Departures::start(Waiting one, MailContent* mail, WebhookContent* webhook) {
  if (mail == nullptr && webhook == nullptr) return courier_.give_up(std::move(one.job), one.probe);
  hold(one.job.job, one.job.token, mail != nullptr ? mail->mime.size() : webhook->webhook.payload.size());
  if (mail != nullptr)
    courier_.start(std::move(one.job), std::move(*mail));
  else
    courier_.start(std::move(one.job), std::move(*webhook), one.probe);
}

void Departures::hold(const Job& job, LeaseToken token, std::size_t bytes) {
  held_[{job.id, token}] = {job.route, bytes};
  bytes_[job.route] += bytes;
  if (job.channel == ChannelKind::webhook) webhook_bytes_ += bytes;
}

void Departures::finished(const Lease& lease) {
  const auto it = held_.find(lease);
  if (it == held_.end()) return;
  const Held& held = it->second;
  if (!held.route.empty()) webhook_bytes_ -= held.bytes;
  const auto on_route = bytes_.find(held.route);
  if (on_route != bytes_.end()) {  // one without a byte may outlive the entry of its route
    on_route->second -= held.bytes;
    if (on_route->second == 0) bytes_.erase(on_route);
  }
  held_.erase(it);
}

std::vector<Finished> Departures::hand_back(const std::function<bool(const Job&)>& which) {
  std::vector<Finished> back;
  std::erase_if(waiting_, [&](const Waiting& one) {
    if (!which(one.job.job)) return false;
    back.push_back(courier_.hand_back(one.job, one.probe));
    return true;
  });
  return back;
}

}  // namespace eilbote
