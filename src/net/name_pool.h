// Looks names up on a few threads of its own, so that a name that takes long holds up nobody who waits for another one. Each
// name is asked for once at a time, and its addresses are good for a while; names that were trouble leave half of the threads to
// the others. Used by the HTTP client.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/name_lookup.h"

namespace eilbote {

struct NamePoolOptions {
  std::size_t threads_max = 8;
  std::size_t waiting_max = 10'000;  // names, not askers
  std::chrono::seconds fresh{30};
};

class NamePool {
 public:
  // From one of the pool's threads, once for every name that was begun. Never called after the pool is gone.
  using Landed =
      std::function<void(const std::string& host, const tl::expected<Addresses, LookupFault>& found)>;

  NamePool(NameLookup lookup, NamePoolOptions options, Landed landed);
  // Does not wait for a resolver, which cannot be interrupted: its thread is left alone and ends by itself.
  ~NamePool();
  NamePool(const NamePool&) = delete;
  NamePool& operator=(const NamePool&) = delete;

  // Addresses that were found a short while ago.
  std::optional<Addresses> fresh(const std::string& host) const;
  // Has `landed` called, unless that is under way already. False: too many names wait.
  bool begin(const std::string& host);

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);

  const std::shared_ptr<State> state_;
};

}  // namespace eilbote
