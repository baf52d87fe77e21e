// Clients of the chaos run: each hands in its orders one after the other and asks for each until it is acknowledged, wherever a
// server answers; repeats some of them later, cancels others, and writes down what it is told.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "chaos/orders.h"
#include "support/history.h"

namespace eilbote::chaos {

struct LoadOptions {
  std::uint64_t seed = 0;
  int rate = 100;  // orders a second, of all clients together
  int clients = 16;
  std::vector<std::string> fronts;
  std::string hook_url;
};

class Load {
 public:
  // Starts at once.
  Load(LoadOptions options, test::History& history);
  ~Load();
  // No new orders; waits until every order is acknowledged and every cancel decided. False: not within the patience.
  bool finish(std::chrono::seconds patience);
  int handed_in() const { return handed_in_; }
  int repeated() const { return repeated_; }
  int cancelled() const { return cancelled_; }

 private:
  class Client;
  const LoadOptions options_;
  test::History& history_;
  std::atomic<bool> enough_ = false, giving_up_ = false;
  std::atomic<int> handed_in_ = 0, repeated_ = 0, cancelled_ = 0, over_ = 0;
  std::vector<std::jthread> clients_;
};

}  // namespace eilbote::chaos
