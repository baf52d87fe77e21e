#include "engine/departures.h"

#include <algorithm>
#include <unordered_set>

#include "base/assert.h"

namespace eilbote {
namespace {

// A mail may have ten megabytes, a webhook one.
constexpr std::size_t kMailsPerStep = 32;
constexpr std::size_t kWebhooksPerStep = 128;

}  // namespace

Departures::Departures(Outbox& outbox, Courier& courier, int requests_per_host_max, Hooks hooks)
    : outbox_(outbox),
      courier_(courier),
      requests_per_host_max_(static_cast<std::size_t>(requests_per_host_max)),
      hooks_(std::move(hooks)),
      service_("departures", [this](const std::stop_token& stop) { run(stop); }) {}

void Departures::add(ClaimedJob job, bool probe) {
  const MutexLock lock(mutex_);
  ++unbegun_[job.job.pool];
  Waiting& one = waiting_.emplace_back();
  one.job = std::move(job);
  one.probe = probe;
}

std::size_t Departures::waiting() const {
  const MutexLock lock(mutex_);
  return waiting_.size() + loading_;
}

bool Departures::is_full() {
  const MutexLock lock(mutex_);
  return was_full_ = waiting_.size() + loading_ >= kWaitingMax;
}

bool Departures::has_waiting(const std::string& pool) {
  const MutexLock lock(mutex_);
  if (!unbegun_.contains(pool)) return false;
  asked_.insert(pool);
  return true;
}

std::size_t Departures::webhooks_in_line() const {
  const MutexLock lock(mutex_);
  auto count = static_cast<std::size_t>(std::ranges::count_if(
      waiting_, [](const Waiting& one) { return one.job.job.channel == ChannelKind::webhook; }));
  for (const auto& [route, line] : loaded_)
    if (!route.empty()) count += line.size();  // mails have no route
  return count;
}

void Departures::go() {
  {
    const MutexLock lock(mutex_);
    if (waiting_.empty()) return;
    wanted_ = true;
  }
  changed_.notify_all();
}

void Departures::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  wait_for_start();
}

void Departures::run(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  while (changed_.wait(mutex_, stop, [this]() EILBOTE_REQUIRES(mutex_) { return wanted_; }))
    load_and_start();
}

bool Departures::step() {
  const MutexLock lock(mutex_);
  if (!wanted_) return false;
  load_and_start();
  return true;
}

void Departures::load_and_start() {
  wanted_ = false;
  start_loaded();
  while (!closed_ && load_step())
    start_loaded();
  tell_eased();
}

// False when nothing can be loaded for now.
bool Departures::load_step() {
  Line step = take_step();
  if (step.empty()) return false;
  loading_ = step.size();
  Result<void> loaded;
  {
    const MutexUnlock unlocked(mutex_);
    loaded = load(step);
  }
  const Line back = sort_out(std::move(step), loaded.has_value());
  if (was_full_ && waiting_.size() < kWaitingMax) eased_ = true;
  {
    const MutexUnlock unlocked(mutex_);
    for (const Waiting& one : back)
      courier_.give_back(one.job, one.probe);
    if (!loaded) hooks_.trouble(loaded.error());
  }
  tell_eased();
  return loaded.has_value();
}

// What came of a step: loaded, or in line again; those that shall not begin any more are returned.
Departures::Line Departures::sort_out(Line step, bool loaded) {
  Line back, again;
  while (!step.empty()) {
    const Waiting& one = step.front();
    const Job& job = one.job.job;
    const bool is_over = closed_ || is_recalled(job);
    if (is_over) begun_or_back(job.pool);
    if (!is_over && loaded) hold(one);
    Line& to = is_over ? back : loaded ? loaded_[job.route] : again;
    to.splice(to.end(), step, step.begin());
  }
  waiting_.splice(waiting_.begin(), again);
  loading_ = 0;
  recalled_.clear();
  EILBOTE_DEBUG_ASSERT(is_consistent());
  return back;
}

// One by one, with a look before each whether it still may: a route can go down meanwhile.
void Departures::start_loaded() {
  std::vector<std::string> routes;
  for (const auto& [route, line] : loaded_)
    routes.push_back(route);
  for (const std::string& route : routes) {
    while (!closed_ && has_room(route)) {
      const auto line = loaded_.find(route);
      Line next;
      next.splice(next.begin(), line->second, line->second.begin());
      if (line->second.empty()) loaded_.erase(line);
      Waiting& one = next.front();
      contents_.begin({one.job.job.id, one.job.token});
      begun_or_back(one.job.job.pool);
      starting_ = true;
      {
        const MutexUnlock unlocked(mutex_);
        start(one);
      }
      starting_ = false;
      ++starts_;
      changed_.notify_all();
    }
  }
}

// Whether one of this route is loaded and may begin.
bool Departures::has_room(const std::string& route) const {
  if (!loaded_.contains(route)) return false;
  return route.empty() || contents_.open(route) < requests_per_host_max_;
}

void Departures::begun_or_back(const std::string& pool) {
  const auto it = unbegun_.find(pool);
  if (--it->second > 0) return;
  unbegun_.erase(it);
  if (asked_.erase(pool) > 0) eased_ = true;
}

void Departures::tell_eased() {
  if (!std::exchange(eased_, false)) return;
  was_full_ = false;
  const MutexUnlock unlocked(mutex_);
  hooks_.eased();
}

bool Departures::is_recalled(const Job& job) const {
  return std::ranges::any_of(recalled_, [&](const auto& which) { return which(job); });
}

// The next few for which there is memory, in their order.
Departures::Line Departures::take_step() {
  Line step;
  std::size_t mails = 0, webhooks = 0;
  std::unordered_set<JobId> jobs;  // contents are told apart by them
  for (auto one = waiting_.begin(); one != waiting_.end();) {
    const auto next = std::next(one);
    const Job& job = one->job.job;
    const bool is_mail = job.channel == ChannelKind::mail;
    const bool room = is_mail ? mails < kMailsPerStep : webhooks < kWebhooksPerStep;
    if (room && !contents_.is_full(job.channel, job.route) && jobs.insert(job.id).second) {
      ++(is_mail ? mails : webhooks);
      step.splice(step.end(), waiting_, one);
    }
    one = next;
  }
  return step;
}

Result<void> Departures::load(Line& step) {
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

void Departures::start(Waiting& one) {
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
  contents_.hold({job.id, one.job.token}, job.channel, job.route, bytes);
}

bool Departures::is_full(ChannelKind channel, const std::string& route) const {
  const MutexLock lock(mutex_);
  return contents_.is_full(channel, route);
}

void Departures::finished(const Lease& lease) {
  {
    const MutexLock lock(mutex_);
    contents_.let_go(lease);
    if (waiting_.empty() && loaded_.empty()) return;
    if (std::exchange(wanted_, true)) return;  // the thread has been told, and has not looked yet
  }
  changed_.notify_all();
}

std::vector<FinishedPtr> Departures::hand_back(const Which& which) {
  std::vector<FinishedPtr> back;
  const MutexLock lock(mutex_);
  if (loading_ > 0) recalled_.push_back(which);
  const auto take = [&](const Waiting& one) EILBOTE_REQUIRES(mutex_) {
    const Job& job = one.job.job;
    if (!which(job)) return false;
    contents_.let_go({job.id, one.job.token});
    begun_or_back(job.pool);
    back.push_back(courier_.hand_back(one.job, one.probe));
    return true;
  };
  std::erase_if(waiting_, take);
  for (auto& [route, line] : loaded_)
    std::erase_if(line, take);
  std::erase_if(loaded_, [](const auto& entry) { return entry.second.empty(); });
  EILBOTE_DEBUG_ASSERT(is_consistent());
  wait_for_start();
  return back;
}

// Until the one that is being handed to the courier is there.
void Departures::wait_for_start() {
  changed_.wait(mutex_,
                [this, seen = starts_]() EILBOTE_REQUIRES(mutex_) { return !starting_ || starts_ != seen; });
}

// The counts are what counting again gives. Those of the step on its way are in no list.
bool Departures::is_consistent() const {
  std::map<std::string, std::size_t> seen;
  for (const Waiting& one : waiting_)
    ++seen[one.job.job.pool];
  for (const auto& [route, line] : loaded_) {
    if (line.empty()) return false;
    for (const Waiting& one : line)
      ++seen[one.job.job.pool];
  }
  std::size_t listed = 0, counted = 0;
  for (const auto& [pool, n] : seen) {
    const auto count = unbegun_.find(pool);
    if (count == unbegun_.end() || count->second < n) return false;
    listed += n;
  }
  for (const auto& [pool, n] : unbegun_)
    counted += n;
  const bool asked_wait = std::ranges::all_of(
      asked_, [this](const std::string& pool) EILBOTE_REQUIRES(mutex_) { return unbegun_.contains(pool); });
  return counted == listed + loading_ && asked_wait && contents_.is_consistent();
}

}  // namespace eilbote
