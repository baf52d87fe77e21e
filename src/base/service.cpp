#include "base/service.h"

#include <pthread.h>

#include <exception>

#include "base/log.h"

namespace eilbote {

Service::Service(std::string name, std::function<void(std::stop_token)> body)
    : name_(std::move(name)), body_(std::move(body)) {}

Service::~Service() {
  stop();
}

void Service::start() {
  const MutexLock lock(mutex_);
  if (stopped_ || thread_.joinable()) return;
  thread_ = std::jthread([this](const std::stop_token& token) {
    pthread_setname_np(pthread_self(), name_.substr(0, 15).c_str());
    try {
      body_(token);
    } catch (const std::exception& e) {
      log::error("a thread failed: the program stops here and must be started again",
                 {{"thread", name_}, {"error", e.what()}});
      std::terminate();
    }
  });
}

void Service::request_stop() {
  const MutexLock lock(mutex_);
  if (thread_.joinable()) thread_.request_stop();
}

void Service::stop() {
  std::jthread ending;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    if (is_ending_) {
      ended_.wait(mutex_, [this]() EILBOTE_REQUIRES(mutex_) { return !is_ending_; });
      return;
    }
    if (!thread_.joinable()) return;
    ending = std::move(thread_);
    is_ending_ = true;
  }
  ending.request_stop();
  ending.join();
  const MutexLock lock(mutex_);
  is_ending_ = false;
  ended_.notify_all();
}

}  // namespace eilbote
