#include "net/name_pool.h"

#include <pthread.h>

#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace eilbote {

using Steady = std::chrono::steady_clock;

// Shared with the threads: whoever goes last frees it.
struct NamePool::State {
  struct Known {
    Addresses addresses;
    Steady::time_point until;
  };

  State(NameLookup look_up, NamePoolOptions with, Landed tell)
      : lookup(std::move(look_up)), options(with), landed(std::move(tell)) {}

  const NameLookup lookup;
  const NamePoolOptions options;

  std::mutex telling;  // held while `landed` runs; taken before `mutex`
  Landed landed;       // empty: the pool is gone

  std::mutex mutex;
  std::deque<std::string> queue;
  std::unordered_set<std::string> under_way;
  std::unordered_map<std::string, Known> known;
  std::size_t threads = 0;
  bool is_over = false;

  // The next name; nothing when there is none, and the thread is no longer counted.
  std::optional<std::string> next() {
    const std::lock_guard lock(mutex);
    if (is_over || queue.empty()) {
      --threads;
      return std::nullopt;
    }
    std::string host = std::move(queue.front());
    queue.pop_front();
    return host;
  }

  void keep(const std::string& host, const tl::expected<Addresses, LookupFault>& found) {
    const std::lock_guard lock(mutex);
    under_way.erase(host);
    const auto now = Steady::now();
    if (known.size() >= options.waiting_max)
      std::erase_if(known, [&](const auto& one) { return one.second.until <= now; });
    if (found && known.size() < options.waiting_max) known[host] = {*found, now + options.fresh};
  }

  void tell(const std::string& host, const tl::expected<Addresses, LookupFault>& found) {
    const std::lock_guard lock(telling);
    if (landed) landed(host, found);
  }
};

NamePool::NamePool(NameLookup lookup, NamePoolOptions options, Landed landed)
    : state_(std::make_shared<State>(std::move(lookup), options, std::move(landed))) {}

NamePool::~NamePool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_over = true;
    state_->queue.clear();
  }
  const std::lock_guard lock(state_->telling);
  state_->landed = nullptr;
}

std::optional<Addresses> NamePool::fresh(const std::string& host) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->known.find(host);
  if (found == state_->known.end() || found->second.until <= Steady::now()) return std::nullopt;
  return found->second.addresses;
}

bool NamePool::begin(const std::string& host) {
  const std::lock_guard lock(state_->mutex);
  if (state_->under_way.contains(host)) return true;
  if (state_->queue.size() >= state_->options.waiting_max) return false;
  state_->under_way.insert(host);
  state_->queue.push_back(host);
  if (state_->threads < state_->options.threads_max) {
    ++state_->threads;
    std::thread([state = state_] { work(state); }).detach();
  }
  return true;
}

void NamePool::work(const std::shared_ptr<State>& state) {
  pthread_setname_np(pthread_self(), "names");
  while (const auto host = state->next()) {
    auto found = state->lookup(*host);
    if (found && found->empty()) found = tl::unexpected(LookupFault{true, "no address"});
    state->keep(*host, found);
    state->tell(*host, found);
  }
}

}  // namespace eilbote
