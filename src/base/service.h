// Service: one named thread with a start and a stop. Each background thread of Eilbote is one; the
// composition root starts them in order and stops them in reverse. stop() may be called twice, and before
// start().
#pragma once

#include <condition_variable>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/mutex.h"

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
  // Asks the thread to stop and waits for it. From several threads at once each of them waits: whoever comes back from it
  // finds the thread gone. Not from the body itself.
  void stop();
  // Only asks. Waits registered with a stop_callback or a condition_variable_any wake up.
  void request_stop();
  const std::string& name() const { return name_; }

 private:
  const std::string name_;
  const std::function<void(std::stop_token)> body_;
  Mutex mutex_;
  bool stopped_ EILBOTE_GUARDED_BY(mutex_) = false;
  bool is_ending_ EILBOTE_GUARDED_BY(mutex_) = false;  // somebody waits for the thread
  std::jthread thread_ EILBOTE_GUARDED_BY(mutex_);
  std::condition_variable_any ended_;
};

}  // namespace eilbote
