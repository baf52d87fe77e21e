// Tokens that were verified already, so that a client's thousandth request costs a hash and not a signature. Keyed by the
// token's SHA-256: no token lies in memory because of it. Bounded; the one not used for longest goes first.
#pragma once

#include <cstring>
#include <list>
#include <optional>
#include <unordered_map>

#include "base/mutex.h"
#include "base/sha256.h"
#include "base/time.h"
#include "domain/identity.h"

namespace eilbote {

class TokenCache {
 public:
  explicit TokenCache(std::size_t tokens_max) : tokens_max_(tokens_max) {}

  std::optional<Identity> find(const Sha256& token, TimePoint now) {
    const MutexLock lock(mutex_);
    const auto found = index_.find(token);
    if (found == index_.end()) return std::nullopt;
    if (found->second->until <= now) {
      entries_.erase(found->second);
      index_.erase(found);
      return std::nullopt;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->identity;
  }

  void add(const Sha256& token, Identity identity, TimePoint until) {
    const MutexLock lock(mutex_);
    if (const auto found = index_.find(token); found != index_.end()) {
      found->second->identity = std::move(identity);
      found->second->until = until;
      return;
    }
    if (entries_.size() >= tokens_max_) {
      index_.erase(entries_.back().token);
      entries_.pop_back();
    }
    entries_.push_front({token, std::move(identity), until});
    index_.emplace(token, entries_.begin());
  }

  std::size_t size() const {
    const MutexLock lock(mutex_);
    return entries_.size();
  }

 private:
  struct Entry {
    Sha256 token;
    Identity identity;
    TimePoint until;
  };
  struct FirstBytes {
    std::size_t operator()(const Sha256& digest) const {
      std::size_t hash = 0;
      std::memcpy(&hash, digest.data(), sizeof hash);
      return hash;
    }
  };

  const std::size_t tokens_max_;
  mutable Mutex mutex_;
  std::list<Entry> entries_ EILBOTE_GUARDED_BY(mutex_);  // the one used last is in front
  std::unordered_map<Sha256, std::list<Entry>::iterator, FirstBytes> index_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
