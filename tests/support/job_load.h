// Clients that hand in numbered jobs in parallel, to servers that may be killed and come back elsewhere, and write down what they
// are told (history.h). Every third job is a mail, the others are webhooks for a HookReceiver; every other webhook is of its
// client's group, handed in in the group's order. Each has a key of its own and is asked for until it is acknowledged.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/history.h"

namespace eilbote::test {

struct JobLoadOptions {
  int jobs = 1000;
  int clients = 8;      // and as many groups
  int fail_every = 10;  // so many-th webhooks fail at the first delivery
  std::string receiver_url{};
};

class JobLoad {
 public:
  // Starts at once; clients wait for the first `serve_at`.
  JobLoad(JobLoadOptions options, History& history);
  ~JobLoad();

  // Where the servers are now (requests go round robin); none: clients wait.
  void serve_at(std::vector<std::string> urls);
  // Waits until so many jobs are acknowledged; false when they are not within the patience.
  bool acknowledged(int jobs, std::chrono::milliseconds patience = std::chrono::minutes{5});
  // Waits for the last one.
  void finish();

 private:
  void run(int client, const std::stop_token& stop);
  // Until it is acknowledged; false: stopped.
  bool hand_in(int client, int n, const std::stop_token& stop);
  std::string place(int tries, const std::stop_token& stop);

  const JobLoadOptions options_;
  History& history_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::string> urls_;
  int done_ = 0;
  std::vector<std::jthread> clients_;
};

}  // namespace eilbote::test
