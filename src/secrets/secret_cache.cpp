#include "secrets/secret_cache.h"

#include <algorithm>
#include <future>
#include <iterator>

#include "base/log.h"

namespace eilbote {
namespace {

std::chrono::steady_clock::time_point now_steady() {
  return std::chrono::steady_clock::now();
}

std::string_view place_of(std::string_view reference) {
  const auto slashes = reference.find("://");
  return slashes == std::string_view::npos ? reference : reference.substr(slashes + 3);
}

Error stopping() {
  return {ErrorKind::unavailable, "secrets are not read any more: the program is stopping"};
}

}  // namespace

SecretCache::SecretCache(std::string scheme, std::unique_ptr<SecretStore> store, SecretCacheRules rules,
                         Metrics* metrics)
    : scheme_(std::move(scheme)),
      store_(std::move(store)),
      rules_(rules),
      metrics_(metrics),
      service_("secrets", [this](const std::stop_token& stop) { run(stop); }) {}

SecretCache::~SecretCache() {
  stop();
}

void SecretCache::stop() {
  service_.stop();
  std::vector<Done> waiting;
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
    for (auto& [reference, entry] : entries_) {
      std::move(entry.waiting.begin(), entry.waiting.end(), std::back_inserter(waiting));
      entry.waiting.clear();
    }
  }
  for (const Done& done : waiting)
    done(fail(stopping()));
}

// ---- asking ----

std::optional<Result<Secret>> SecretCache::at_hand(std::string_view reference) {
  const MutexLock lock(mutex_);
  const Steady now = now_steady();
  Entry& entry = entry_of(reference, now);
  auto answer = known(entry, now);
  if (!answer) want(entry, now);
  return answer;
}

Result<Secret> SecretCache::resolve(std::string_view reference) {
  std::promise<Result<Secret>> found;
  {
    const MutexLock lock(mutex_);
    const Steady now = now_steady();
    Entry& entry = entry_of(reference, now);
    if (auto answer = known(entry, now)) return std::move(*answer);
    if (is_stopped_) return fail(stopping());
    // A look that is under way will do.
    auto& line = entry.is_looking ? entry.joining : entry.waiting;
    line.emplace_back([&](Result<Secret> secret) { found.set_value(std::move(secret)); });
    if (!entry.is_looking) want(entry, now);
  }
  return found.get_future().get();
}

void SecretCache::renew(std::string_view reference, Done done) {
  std::optional<Result<Secret>> answer;
  {
    const MutexLock lock(mutex_);
    const Steady now = now_steady();
    Entry& entry = entry_of(reference, now);
    // A store that has trouble, or asked for a pause, gets it.
    if (entry.trouble && now < entry.not_before && !entry.is_looking) answer = known(entry, now);
    if (!answer && is_stopped_) answer = fail(stopping());
    if (!answer) {
      entry.waiting.push_back(std::move(done));
      want(entry, now);
      return;
    }
  }
  done(std::move(*answer));
}

// ---- what is remembered ----

SecretCache::Entry& SecretCache::entry_of(std::string_view reference, Steady now) {
  auto found = entries_.find(reference);
  if (found == entries_.end()) {
    make_room();
    found = entries_.emplace(std::string(reference), Entry{}).first;
    found->second.look_at = Steady::max();
    found->second.not_before = now;
  }
  found->second.used_at = now;
  return found->second;
}

void SecretCache::make_room() {
  if (entries_.size() < rules_.entries_max) return;
  auto oldest = entries_.end();
  for (auto at = entries_.begin(); at != entries_.end(); ++at)
    if (!at->second.is_looking && at->second.waiting.empty() &&
        (oldest == entries_.end() || at->second.used_at < oldest->second.used_at))
      oldest = at;
  if (oldest != entries_.end()) entries_.erase(oldest);
}

bool SecretCache::is_stale(const Entry& entry, Steady now) const {
  return entry.value && now - entry.read_at > rules_.ttl;
}

std::optional<Result<Secret>> SecretCache::known(const Entry& entry, Steady now) const {
  if (entry.value && now - entry.read_at <= rules_.ttl + rules_.stale_max)
    return Result<Secret>(*entry.value);
  // What went wrong is believed until it is time to look again.
  if (entry.trouble && now < entry.not_before) return Result<Secret>(fail(*entry.trouble));
  return std::nullopt;
}

void SecretCache::want(Entry& entry, Steady now) {
  entry.look_at = std::min(entry.look_at, std::max(now, entry.not_before));
  if (!std::exchange(is_running_, true)) service_.start();
  changed_.notify_all();
}

// ---- the thread ----

std::pair<SecretCache::Entries::iterator, SecretCache::Steady> SecretCache::next_due() {
  auto due = entries_.end();
  Steady when = Steady::max();
  for (auto at = entries_.begin(); at != entries_.end(); ++at)
    if (at->second.look_at < when) {
      due = at;
      when = at->second.look_at;
    }
  return {due, when};
}

void SecretCache::run(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto [due, when] = next_due();
    const Steady now = now_steady();
    if (due == entries_.end()) {
      changed_.wait(mutex_, stop,
                    [this]() EILBOTE_REQUIRES(mutex_) { return next_due().first != entries_.end(); });
    } else if (when > now) {
      changed_.wait_until(mutex_, stop, when, [this, when = when]() EILBOTE_REQUIRES(mutex_) {
        return next_due().second < when;
      });
    } else if (due->second.waiting.empty() && now - due->second.used_at > rules_.idle_max) {
      entries_.erase(due);
    } else {
      look(std::string(due->first));
    }
  }
}

void SecretCache::look(const std::string& reference) {
  Entry& entry = entries_.find(reference)->second;
  std::vector<Done> waiting = std::move(entry.waiting);
  entry.waiting.clear();
  entry.is_looking = true;
  entry.look_at = Steady::max();
  const Steady began = now_steady();
  auto found = [&]() EILBOTE_REQUIRES(mutex_) {
    const MutexUnlock around_call(mutex_);
    return store_->fetch(place_of(reference));
  }();
  entry.is_looking = false;  // nobody takes an entry away while it is looked at
  settle(entry, reference, std::move(found), began);
  std::move(entry.joining.begin(), entry.joining.end(), std::back_inserter(waiting));
  entry.joining.clear();
  Result<Secret> answer = known(entry, now_steady()).value_or(fail(stopping()));
  std::size_t stale = 0;
  for (const auto& [name, one] : entries_)
    if (is_stale(one, began)) ++stale;
  const MutexUnlock around_calls(mutex_);
  if (metrics_ != nullptr) metrics_->set(Metric::secrets_stale, static_cast<double>(stale), {scheme_});
  for (const Done& done : waiting)
    done(answer);
}

void SecretCache::settle(Entry& entry, const std::string& reference, FromStore<Secret> found, Steady began) {
  const Steady now = now_steady();
  if (found) {
    if (entry.failures > 0) log::info("the secret can be read again", {{"reference", reference}});
    entry.value = std::move(*found);
    entry.read_at = began;
    entry.trouble.reset();
    entry.failures = 0;
    entry.not_before = began + rules_.pause_min;
    // Before its end, and not all at once.
    const auto spread = static_cast<Duration::rep>(std::hash<std::string>{}(reference) % 100);
    entry.look_at = began + rules_.ttl * (700 + spread) / 1000;
    count("read");
  } else {
    const SecretTrouble& why = found.error();
    const Duration doubled = std::chrono::seconds{1} * (1 << std::min(entry.failures, 10));
    const Duration pause = std::max(std::min({doubled, rules_.pause_max, rules_.ttl}), why.come_back);
    if (entry.failures++ == 0)
      log::warning(
          entry.value
              ? "a secret cannot be read again; its last value is used for EILBOTE_SECRET_STALE_MAX at most"
              : "a secret cannot be read; what needs it waits",
          {{"reference", reference}, {"error", why.error.message}});
    entry.trouble = why.error.with_context("secret " + reference);
    entry.not_before = now + pause;
    entry.look_at = entry.not_before;
    count(entry.value ? "stale" : "failed");
  }
  if (!entry.waiting.empty()) entry.look_at = std::min(entry.look_at, entry.not_before);
}

void SecretCache::count(const char* outcome) {
  if (metrics_ != nullptr) metrics_->add(Metric::secret_reads, 1, {scheme_, outcome});
}

}  // namespace eilbote
