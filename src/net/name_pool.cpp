#include "net/name_pool.h"

#include <pthread.h>

#include <algorithm>
#include <deque>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "base/mutex.h"

namespace eilbote {

using Steady = std::chrono::steady_clock;

// A lookup that took longer is trouble, as one that failed.
constexpr std::chrono::seconds kSlow{2};

// Shared with the threads: whoever goes last frees it.
struct NamePool::State {
  struct Known {
    Addresses addresses;
    Steady::time_point until;
  };
  struct Task {
    std::string host;
    bool is_trouble = false;
  };

  State(NameLookup look_up, NamePoolOptions with, Landed tell)
      : lookup(std::move(look_up)), options(with), landed(std::move(tell)) {}

  const NameLookup lookup;
  const NamePoolOptions options;

  Mutex telling;                              // held while `landed` runs; taken before `mutex`
  Landed landed EILBOTE_GUARDED_BY(telling);  // empty: the pool is gone

  Mutex mutex;
  std::deque<std::string> queue EILBOTE_GUARDED_BY(mutex), trouble_queue EILBOTE_GUARDED_BY(mutex);
  std::unordered_set<std::string> under_way EILBOTE_GUARDED_BY(mutex);
  // Names whose last lookup failed, or took long.
  std::unordered_set<std::string> trouble EILBOTE_GUARDED_BY(mutex);
  std::unordered_map<std::string, Known> known EILBOTE_GUARDED_BY(mutex);
  std::size_t threads EILBOTE_GUARDED_BY(mutex) = 0, on_trouble EILBOTE_GUARDED_BY(mutex) = 0;
  bool is_over EILBOTE_GUARDED_BY(mutex) = false;

  // The next name; nothing when there is none, and the thread is no longer counted. Names that were trouble never hold more
  // than half of the threads, so that there are some left for the others.
  std::optional<Task> next() {
    const MutexLock lock(mutex);
    const bool may_be_trouble = on_trouble < std::max<std::size_t>(options.threads_max / 2, 1);
    const bool is_trouble = queue.empty() && may_be_trouble;
    auto& from = is_trouble ? trouble_queue : queue;
    if (is_over || from.empty()) {
      --threads;
      return std::nullopt;
    }
    Task task{std::move(from.front()), is_trouble};
    from.pop_front();
    if (is_trouble) ++on_trouble;
    return task;
  }

  void keep(const Task& task, const tl::expected<Addresses, LookupFault>& found, Steady::duration took) {
    const MutexLock lock(mutex);
    under_way.erase(task.host);
    if (task.is_trouble) --on_trouble;
    if (found && took < kSlow)
      trouble.erase(task.host);
    else if (trouble.size() < options.waiting_max)
      trouble.insert(task.host);
    const auto now = Steady::now();
    if (known.size() >= options.waiting_max)
      std::erase_if(known, [&](const auto& one) { return one.second.until <= now; });
    if (found && known.size() < options.waiting_max) known[task.host] = {*found, now + options.fresh};
  }

  void tell(const std::string& host, const tl::expected<Addresses, LookupFault>& found) {
    const MutexLock lock(telling);
    if (landed) landed(host, found);
  }
};

NamePool::NamePool(NameLookup lookup, NamePoolOptions options, Landed landed)
    : state_(std::make_shared<State>(std::move(lookup), options, std::move(landed))) {}

NamePool::~NamePool() {
  {
    const MutexLock lock(state_->mutex);
    state_->is_over = true;
    state_->queue.clear();
    state_->trouble_queue.clear();
  }
  const MutexLock lock(state_->telling);
  state_->landed = nullptr;
}

std::optional<Addresses> NamePool::fresh(const std::string& host) const {
  const MutexLock lock(state_->mutex);
  const auto found = state_->known.find(host);
  if (found == state_->known.end() || found->second.until <= Steady::now()) return std::nullopt;
  return found->second.addresses;
}

bool NamePool::begin(const std::string& host) {
  const MutexLock lock(state_->mutex);
  if (state_->under_way.contains(host)) return true;
  if (state_->under_way.size() >= state_->options.waiting_max) return false;
  if (state_->threads < state_->options.threads_max) {
    try {
      std::thread([state = state_] { work(state); }).detach();
      ++state_->threads;
    } catch (const std::system_error&) {
      if (state_->threads == 0) return false;  // those there are will do
    }
  }
  state_->under_way.insert(host);
  (state_->trouble.contains(host) ? state_->trouble_queue : state_->queue).push_back(host);
  return true;
}

void NamePool::work(const std::shared_ptr<State>& state) {
  pthread_setname_np(pthread_self(), "names");
  while (const auto task = state->next()) {
    const auto begin = Steady::now();
    auto found = state->lookup(task->host);
    if (found && found->empty()) found = tl::unexpected(LookupFault{true, "no address"});
    state->keep(*task, found, Steady::now() - begin);
    state->tell(task->host, found);
  }
}

}  // namespace eilbote
