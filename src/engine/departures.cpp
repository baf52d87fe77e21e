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
      hooks_(std::move(hooks)),
      service_("departures", [this](const std::stop_token& stop) { run(stop); }) {
  service_.start();
}

void Departures::add(ClaimedJob job, bool probe) {
  const std::lock_guard lock(mutex_);
  ++unbegun_[job.job.pool];
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

bool Departures::has_waiting(const std::string& pool) {
  const std::lock_guard lock(mutex_);
  if (!unbegun_.contains(pool)) return false;
  asked_.insert(pool);
  return true;
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
  Lock lock(mutex_);
  closed_ = true;
  changed_.wait(lock, [this] { return !starting_; });
}

void Departures::run(const std::stop_token& stop) {
  Lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return wanted_; })) {
    wanted_ = false;
    start_loaded(lock);
    while (!closed_ && load_step(lock))
      start_loaded(lock);
    tell_eased(lock);
  }
}

// False when nothing can be loaded for now.
bool Departures::load_step(Lock& lock) {
  Step step = take_step();
  if (step.empty()) return false;
  loading_ = step.size();
  lock.unlock();
  const auto loaded = load(step);
  lock.lock();
  const Step back = sort_out(std::move(step), loaded.has_value());
  if (was_full_ && waiting_.size() < kWaitingMax) eased_ = true;
  lock.unlock();
  for (const Waiting& one : back)
    courier_.give_back(one.job, one.probe);
  if (!loaded) hooks_.trouble(loaded.error());
  lock.lock();
  tell_eased(lock);
  return loaded.has_value();
}

// What came of a step: loaded, or in line again; those that shall not begin any more are returned.
Departures::Step Departures::sort_out(Step step, bool loaded) {
  Step back, again;
  for (Waiting& one : step) {
    const Job& job = one.job.job;
    if (closed_ || is_recalled(job)) {
      begun_or_back(job.pool);
      back.push_back(std::move(one));
    } else if (!loaded) {
      again.push_back(std::move(one));
    } else {
      hold(one);
      loaded_[job.route].push_back(std::move(one));
    }
  }
  waiting_.insert(waiting_.begin(), std::make_move_iterator(again.begin()),
                  std::make_move_iterator(again.end()));
  loading_ = 0;
  recalled_.clear();
  return back;
}

// One by one, with a look before each whether it still may: a route can go down meanwhile.
void Departures::start_loaded(Lock& lock) {
  std::vector<std::string> routes;
  for (const auto& [route, line] : loaded_)
    routes.push_back(route);
  for (const std::string& route : routes) {
    while (!closed_ && has_room(route)) {
      const auto line = loaded_.find(route);
      Waiting one = std::move(line->second.front());
      line->second.pop_front();
      if (line->second.empty()) loaded_.erase(line);
      if (const auto held = held_.find({one.job.job.id, one.job.token}); held != held_.end()) {
        held->second.begun = true;
        ++loads_[route].open;
      }
      begun_or_back(one.job.job.pool);
      starting_ = true;
      lock.unlock();
      start(std::move(one));
      lock.lock();
      starting_ = false;
      changed_.notify_all();
    }
  }
}

// Whether one of this route is loaded and may begin.
bool Departures::has_room(const std::string& route) const {
  if (!loaded_.contains(route)) return false;
  const auto load = loads_.find(route);
  return route.empty() || load == loads_.end() || load->second.open < requests_per_host_max_;
}

void Departures::begun_or_back(const std::string& pool) {
  const auto it = unbegun_.find(pool);
  if (--it->second > 0) return;
  unbegun_.erase(it);
  if (asked_.erase(pool) > 0) eased_ = true;
}

void Departures::tell_eased(Lock& lock) {
  if (!std::exchange(eased_, false)) return;
  was_full_ = false;
  lock.unlock();
  hooks_.eased();
  lock.lock();
}

bool Departures::is_recalled(const Job& job) const {
  return std::ranges::any_of(recalled_, [&](const auto& which) { return which(job); });
}

// The next few for which there is memory, in their order.
Departures::Step Departures::take_step() {
  Step step;
  std::size_t mails = 0, webhooks = 0;
  std::unordered_set<JobId> jobs;  // contents are told apart by them
  std::deque<Waiting> rest;
  for (Waiting& one : waiting_) {
    const Job& job = one.job.job;
    const bool is_mail = job.channel == ChannelKind::mail;
    const bool room = is_mail ? mails < kMailsPerStep : webhooks < kWebhooksPerStep;
    if (!room || is_full_now(job.channel, job.route) || !jobs.insert(job.id).second) {
      rest.push_back(std::move(one));
      continue;
    }
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
  ++load.contents;
  if (job.channel == ChannelKind::webhook) webhook_bytes_ += bytes;
}

void Departures::let_go(const Lease& lease) {
  const auto it = held_.find(lease);
  if (it == held_.end()) return;
  const Held& held = it->second;
  if (!held.route.empty()) webhook_bytes_ -= held.bytes;
  const auto load = loads_.find(held.route);
  load->second.bytes -= held.bytes;
  if (held.begun) --load->second.open;
  if (--load->second.contents == 0) loads_.erase(load);
  held_.erase(it);
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
    let_go(lease);
    if (waiting_.empty() && loaded_.empty()) return;
    wanted_ = true;
  }
  changed_.notify_all();
}

std::vector<Finished> Departures::hand_back(const Which& which) {
  std::vector<Finished> back;
  Lock lock(mutex_);
  if (loading_ > 0) recalled_.push_back(which);
  const auto take = [&](const Waiting& one) {
    const Job& job = one.job.job;
    if (!which(job)) return false;
    let_go({job.id, one.job.token});
    begun_or_back(job.pool);
    back.push_back(courier_.hand_back(one.job, one.probe));
    return true;
  };
  std::erase_if(waiting_, take);
  for (auto& [route, line] : loaded_)
    std::erase_if(line, take);
  std::erase_if(loaded_, [](const auto& entry) { return entry.second.empty(); });
  changed_.wait(lock, [this] { return !starting_; });
  return back;
}

}  // namespace eilbote
