// Clients that send numbered mails in parallel to a server that may be killed and come back elsewhere. Half of them
// carry an Idempotency-Key and are sent until they are acknowledged; the others are sent once, whatever comes of it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/mail_history.h"

namespace eilbote::test {

struct MailLoadOptions {
  int mails = 1000;
  int clients = 16;
  bool half_with_keys = true;
  std::string extra{};  // further members of each mail, as JSON
};

class MailLoad {
 public:
  // Starts at once; clients wait for the first `serve_at`.
  MailLoad(MailLoadOptions options, MailHistory& history);
  ~MailLoad();

  // Where the servers are now (requests go round robin); none: clients wait.
  void serve_at(std::vector<std::string> urls);
  // Waits until this many mails are dealt with; false when they are not within the patience.
  bool dealt_with(int mails, std::chrono::milliseconds patience = std::chrono::minutes{5});
  // Waits for the last one.
  void finish();

 private:
  void run(std::stop_token stop);
  void send(int n, const std::stop_token& stop);
  // Empty when it was stopped.
  std::string place(int n, const std::stop_token& stop);

  const MailLoadOptions options_;
  MailHistory& history_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::string> urls_;
  int next_ = 0;
  int done_ = 0;
  std::vector<std::jthread> clients_;
};

}  // namespace eilbote::test
