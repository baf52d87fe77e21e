// Service: one named thread with a start and a stop. Each background thread of Eilbote is one; the
// composition root starts them in order and stops them in reverse. stop() may be called twice, and before
// start().
#pragma once

#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace eilbote {

class Service {
 public:
  // `body` runs on the thread until it returns; it must return soon after the token asks for it.
  // An exception that escapes `body` ends the program: a missing thread must not go unnoticed.
  Service(std::string name, std::function<void(std::stop_token)> body);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  void start();
  // Asks the thread to stop and waits for it.
  void stop();
  // Only asks. Waits registered with a stop_callback or a condition_variable_any wake up.
  void request_stop();
  const std::string& name() const { return name_; }

 private:
  const std::string name_;
  const std::function<void(std::stop_token)> body_;
  std::mutex mutex_;
  bool stopped_ = false;
  std::jthread thread_;
};

}  // namespace eilbote
