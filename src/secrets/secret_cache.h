// Remembers what one store on the network answers: a secret is there at once, read again in the background before it is too
// old, and served on while the store is away. Asks the store from a thread of its own, `secrets`, so that whoever must not
// wait never does. Made by secrets.cpp, one per scheme. Safe from many threads.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/service.h"
#include "metrics/metrics.h"
#include "ports/secret_source.h"
#include "secrets/secret_store.h"

namespace eilbote {

struct SecretCacheRules {
  Duration ttl = std::chrono::minutes{5};
  Duration stale_max = std::chrono::hours{24};          // beyond the ttl, while the store cannot be read
  Duration pause_min = std::chrono::milliseconds{200};  // between two looks at the same secret
  Duration pause_max = std::chrono::seconds{30};        // after failures, unless the store asks for more
  Duration idle_max = std::chrono::hours{24};           // what nobody asks for is not kept fresh
  std::size_t entries_max = 10'000;
};

class SecretCache final : public SecretSource {
 public:
  // `metrics` may be null; it outlives the cache. `scheme` is for people and metrics.
  SecretCache(std::string scheme, std::unique_ptr<SecretStore> store, SecretCacheRules rules,
              Metrics* metrics);
  ~SecretCache() override;
  // Ends its thread and answers whoever waits. Afterwards it says what it knows, and asks nobody.
  void stop();

  Result<Secret> resolve(std::string_view reference) override;
  std::optional<Result<Secret>> at_hand(std::string_view reference) override;
  void renew(std::string_view reference, Done done) override;

 private:
  using Steady = Clock::Steady;
  struct Entry {
    std::optional<Secret> value;
    Steady read_at{};              // of the value
    std::optional<Error> trouble;  // of the last look; nothing: it went well
    int failures = 0;              // in a row
    Steady not_before{};           // of the next look
    Steady look_at{};              // when it is due
    Steady used_at{};
    bool is_looking = false;
    std::vector<Done> waiting;  // for a look that begins after they came
    std::vector<Done> joining;  // for the end of the one under way
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  Entry& entry_of(std::string_view reference, Steady now) EILBOTE_REQUIRES(mutex_);
  void make_room() EILBOTE_REQUIRES(mutex_);
  std::optional<Result<Secret>> known(const Entry& entry, Steady now) const EILBOTE_REQUIRES(mutex_);
  bool is_stale(const Entry& entry, Steady now) const EILBOTE_REQUIRES(mutex_);
  void want(Entry& entry, Steady now) EILBOTE_REQUIRES(mutex_);
  // The reference whose look is due, and when that is.
  std::pair<Entries::iterator, Steady> next_due() EILBOTE_REQUIRES(mutex_);
  void settle(Entry& entry, const std::string& reference, FromStore<Secret> found, Steady began)
      EILBOTE_REQUIRES(mutex_);
  // Gives the lock up for as long as the store takes, and while it answers.
  void look(const std::string& reference) EILBOTE_REQUIRES(mutex_);

  void run(const std::stop_token& stop);
  void count(const char* outcome);

  const std::string scheme_;
  const std::unique_ptr<SecretStore> store_;
  const SecretCacheRules rules_;
  Metrics* const metrics_;

  Mutex mutex_;
  std::condition_variable_any changed_;
  Entries entries_ EILBOTE_GUARDED_BY(mutex_);
  bool is_running_ EILBOTE_GUARDED_BY(mutex_) = false, is_stopped_ EILBOTE_GUARDED_BY(mutex_) = false;
  Service service_;  // last: its thread uses all of the above
};

}  // namespace eilbote
