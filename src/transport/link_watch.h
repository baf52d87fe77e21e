// Ends calls that wait without an end. librabbitmq waits for as long as it takes when the broker stops reading; the only way
// out is to shut its socket down from another thread. LinkSwitch is one connection's socket, LinkWatch the thread that shuts
// down those that are not taken back in time. Used by the RabbitMQ publisher and consumer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <stop_token>

#include "base/mutex.h"
#include "base/service.h"

namespace eilbote {

class LinkSwitch {
 public:
  LinkSwitch() = default;
  ~LinkSwitch() { let_go(); }
  LinkSwitch(const LinkSwitch&) = delete;
  LinkSwitch& operator=(const LinkSwitch&) = delete;

  // The socket that cut() is about from now on, by a descriptor of its own: whoever closes the other one, this one never
  // becomes somebody else's. The connection is over when both are closed.
  void hold(int fd);
  void let_go();
  // Every call that waits on the socket ends with an error, and so it is with every socket held from then on.
  void cut();
  // Sockets held from now on are not cut.
  void mend();

 private:
  Mutex mutex_;
  int fd_ EILBOTE_GUARDED_BY(mutex_) = -1;
  bool is_cut_ EILBOTE_GUARDED_BY(mutex_) = false;
};

class LinkWatch {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  LinkWatch();
  void start() { service_.start(); }
  void stop() { service_.stop(); }

  // Cuts the link at `due`, unless another time is set or it is forgotten before. The link outlives that.
  void watch(LinkSwitch& link, Steady due);
  void forget(LinkSwitch& link);

 private:
  void run(const std::stop_token& stop);

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<LinkSwitch*, Steady> due_ EILBOTE_GUARDED_BY(mutex_);
  Steady next_ EILBOTE_GUARDED_BY(mutex_) = Steady::max();  // what the thread waits for
  Service service_;
};

}  // namespace eilbote
