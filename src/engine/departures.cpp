#include "engine/departures.h"

#include <algorithm>
#include <unordered_set>

namespace eilbote {
namespace {

// A mail may have ten megabytes, a webhook one.
constexpr std::size_t kMailsPerStep = 32;
constexpr std::size_t kWebhooksPerStep = 128;
constexpr std::size_t kMailBytesMax = 64 * 1024 * 1024;
constexpr std::size_t kWebhookBytesMax = 128 * 1024 * 1024;
constexpr std::size_t kHostBytesMax = 8 * 1024 * 1024;

}  // namespace

Departures::Departures(Outbox& outbox, Courier& courier, int requests_per_host_max, Hooks hooks)
    : outbox_(outbox),
      courier_(courier),
      requests_per_host_max_(static_cast<std::size_t>(requests_per_host_max)),
      worth_(std::clamp<std::size_t>(requests_per_host_max_ / 4, 1, 64)),
      hooks_(std::move(hooks)),
      service_("departures", [this](const std::stop_token& stop) { run(stop); }) {
  service_.start();
}

void Departures::add(ClaimedJob job, bool probe) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({std::move(job), probe, std::nullopt, std::nullopt});
}

std::size_t Departures::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() + loading_;
}

bool Departures::is_full() {
  const std::lock_guard lock(mutex_);
  return was_full_ = waiting_.size() + loading_ >= kWaitingMax;
}

bool Departures::has_waiting(const std::string& pool) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(waiting_, [&](const Waiting& one) { return one.job.job.pool == pool; });
}

void Departures::go() {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return;
    wanted_ = true;
  }
  changed_.notify_all();
}

void Departures::close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  changed_.wait(lock, [this] { return !starting_; });
}

void Departures::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return wanted_; })) {
    wanted_ = false;
    while (!closed_ && do_step(lock)) {
    }
  }
}

// False when nothing can be started for now.
bool Departures::do_step(std::unique_lock<std::mutex>& lock) {
  Step step = take_step();
  if (step.empty()) return false;
  loading_ = step.size();
  lock.unlock();
  const auto loaded = load(step);
  lock.lock();
  end_step(std::move(step), loaded.has_value(), lock);
  recalled_.clear();
  const bool eased = was_full_ && waiting_.size() < kWaitingMax;
  if (eased) was_full_ = false;
  lock.unlock();
  if (!loaded) hooks_.trouble(loaded.error());
  if (eased) hooks_.eased();
  lock.lock();
  return loaded.has_value();
}

// One by one, with a look before each whether it still shall begin: a route may have gone down meanwhile. Those without
// contents wait for the next try.
void Departures::end_step(Step step, bool loaded, std::unique_lock<std::mutex>& lock) {
  Step again;
  for (Waiting& one : step) {
    --loading_;
    const bool ends = closed_ || is_recalled(one.job.job);
    if (!ends && !loaded) {
      again.push_back(std::move(one));
      continue;
    }
    if (!ends) hold(one);
    starting_ = !ends;
    lock.unlock();
    if (ends)
      courier_.give_back(one.job, one.probe);
    else
      start(std::move(one));
    lock.lock();
    starting_ = false;
    if (closed_) changed_.notify_all();
  }
  waiting_.insert(waiting_.begin(), std::make_move_iterator(again.begin()),
                  std::make_move_iterator(again.end()));
}

bool Departures::is_recalled(const Job& job) const {
  return std::ranges::any_of(recalled_, [&](const auto& which) { return which(job); });
}

// The next few for which there is room, in their order.
Departures::Step Departures::take_step() {
  std::map<std::string, Host> hosts;
  for (const Waiting& one : waiting_)
    if (one.job.job.channel == ChannelKind::webhook) ++hosts[one.job.job.route].waiting;
  for (auto& [name, host] : hosts) {
    const auto load = loads_.find(name);
    const std::size_t open = load == loads_.end() ? 0 : load->second.count;
    host.room = requests_per_host_max_ - std::min(open, requests_per_host_max_);
    // A few at a time: contents that are loaded one by one cost the database ten times as much.
    if (host.room < std::min(worth_, host.waiting)) host.room = 0;
  }
  Step step;
  std::size_t mails = 0, webhooks = 0;
  std::unordered_set<JobId> jobs;  // contents are told apart by them
  std::deque<Waiting> rest;
  for (Waiting& one : waiting_) {
    const Job& job = one.job.job;
    const bool is_mail = job.channel == ChannelKind::mail;
    const bool room =
        is_mail ? mails < kMailsPerStep : webhooks < kWebhooksPerStep && hosts[job.route].room > 0;
    if (!room || is_full_now(job.channel, job.route) || !jobs.insert(job.id).second) {
      rest.push_back(std::move(one));
      continue;
    }
    if (!is_mail) --hosts[job.route].room;
    ++(is_mail ? mails : webhooks);
    step.push_back(std::move(one));
  }
  waiting_ = std::move(rest);
  return step;
}

Result<void> Departures::load(Step& step) {
  std::vector<JobId> mails, webhooks;
  for (const Waiting& one : step)
    (one.job.job.channel == ChannelKind::mail ? mails : webhooks).push_back(one.job.job.id);
  auto contents = outbox_.load_contents(mails, webhooks);
  if (!contents) return fail(contents.error());
  // Contents come in the order asked for, without those that are gone.
  auto mail = contents->mails.begin();
  auto webhook = contents->webhooks.begin();
  for (Waiting& one : step) {
    const JobId id = one.job.job.id;
    if (mail != contents->mails.end() && mail->id == id) one.mail = std::move(*mail++);
    if (webhook != contents->webhooks.end() && webhook->id == id) one.webhook = std::move(*webhook++);
  }
  return {};
}

void Departures::start(Waiting one) {
  if (one.mail)
    courier_.start(std::move(one.job), std::move(*one.mail));
  else if (one.webhook)
    courier_.start(std::move(one.job), std::move(*one.webhook), one.probe);
  else
    courier_.give_up(std::move(one.job), one.probe);
}

void Departures::hold(const Waiting& one) {
  if (!one.mail && !one.webhook) return;
  const Job& job = one.job.job;
  const std::size_t bytes = one.mail ? one.mail->mime.size() : one.webhook->webhook.payload.size();
  held_[{job.id, one.job.token}] = {job.route, bytes};
  Load& load = loads_[job.route];
  load.bytes += bytes;
  ++load.count;
  if (job.channel == ChannelKind::webhook) webhook_bytes_ += bytes;
}

bool Departures::is_full(ChannelKind channel, const std::string& route) const {
  const std::lock_guard lock(mutex_);
  return is_full_now(channel, route);
}

bool Departures::is_full_now(ChannelKind channel, const std::string& route) const {
  const auto it = loads_.find(route);
  const Load load = it == loads_.end() ? Load{} : it->second;
  if (channel == ChannelKind::mail) return load.bytes >= kMailBytesMax;
  return load.bytes >= kHostBytesMax || webhook_bytes_ >= kWebhookBytesMax;
}

void Departures::finished(const Lease& lease) {
  {
    const std::lock_guard lock(mutex_);
    const auto it = held_.find(lease);
    if (it == held_.end()) return;
    const Held& held = it->second;
    if (!held.route.empty()) webhook_bytes_ -= held.bytes;
    const auto on_route = loads_.find(held.route);
    on_route->second.bytes -= held.bytes;
    const std::size_t open = --on_route->second.count;
    if (open == 0) loads_.erase(on_route);
    held_.erase(it);
    if (waiting_.empty() || open % worth_ != 0) return;
    wanted_ = true;
  }
  changed_.notify_all();
}

std::vector<Finished> Departures::hand_back(const std::function<bool(const Job&)>& which) {
  std::vector<Finished> back;
  const std::lock_guard lock(mutex_);
  if (loading_ > 0) recalled_.push_back(which);
  std::erase_if(waiting_, [&](const Waiting& one) {
    if (!which(one.job.job)) return false;
    back.push_back(courier_.hand_back(one.job, one.probe));
    return true;
  });
  return back;
}

}  // namespace eilbote
