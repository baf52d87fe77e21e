// An endpoint that takes webhooks and writes down what it sees: which job began and ended when, in a history (history.h). How it
// answers is said by headers of the job, so that a test decides it when it hands the job in:
//   X-Fail: N     the first N deliveries of the job are answered 500
//   X-Refuse: 1   every delivery is answered 400, for good
//   X-Defer: N    the first N deliveries are asked to come again in a second
//   X-Name, X-Group, X-Place   the client's name of the job and its place in a group; go into the history
//   X-Pool, X-Mode             the pool it is in, and "block" where its group stops at a failure; likewise
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "support/history.h"
#include "support/scripted_http.h"

namespace eilbote::test {

class HookReceiver {
 public:
  // `pause`: how long it thinks before each answer.
  // `by`: who delivers here; empty: anybody.
  explicit HookReceiver(History& history, std::chrono::milliseconds pause = {}, std::string by = "");

  std::string url() const { return endpoint_.url(); }
  std::uint16_t port() const { return endpoint_.port(); }
  // How often a job was delivered, by its id; of all jobs together.
  int deliveries(const std::string& id) const;
  int deliveries() const;
  // The most that were there at the same time.
  int most_at_once() const;

 private:
  HttpScene begin(const HttpSeen& request);
  void end(const HttpSeen& request);

  History& history_;
  const std::chrono::milliseconds pause_;
  const std::string by_;
  mutable std::mutex mutex_;
  std::map<std::string, int> deliveries_;
  struct Under {
    std::int64_t delivery = 0;
    int answer = 0;
  };
  std::map<int, Under> under_way_;  // by connection
  int all_ = 0, most_ = 0;
  ScriptedHttp endpoint_;
};

// Over all receivers of a test program: several may write into one history.
std::int64_t next_delivery();

// Members of a job that tell a HookReceiver what to do, each with a comma in front: receiver_headers({{"X-Fail", "1"}}).
std::string receiver_headers(const std::map<std::string, std::string>& headers);

}  // namespace eilbote::test
