// The queues' addresses, and whether SQS is there. Looks every queue up, makes those that are missing where it may, and asks
// SQS once before it says that publishing works. Whatever goes wrong later is told to it; then it asks again, less and less
// often, until all is well. On the transport's loop, but for state().
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/random.h"
#include "ports/transport.h"
#include "transport/sqs_door.h"
#include "transport/sqs_loop.h"
#include "transport/sqs_timing.h"
#include "transport/sqs_url.h"

namespace eilbote {

struct Metrics;

class SqsQueues {
 public:
  // All of these outlive it. `queues` has at least one.
  SqsQueues(SqsUrl url, std::vector<CarrierQueue> queues, const SqsTiming& timing, SqsDoor& door,
            SqsLoop& loop, Random& random, Metrics& metrics);

  // `on_connected` is called each time that publishing works after it did not.
  void start(std::function<void()> on_connected);
  void stop();

  // Null while it is not known.
  const std::string* address(CarrierQueue queue) const;
  bool is_fifo() const { return url_.fifo; }
  bool is_connected() const { return is_connected_; }

  // The queue is not there any more, or a request failed for a reason that is not its own.
  void lost(CarrierQueue queue, const SqsError& error);
  void trouble(const SqsError& error);
  // As the fault asks for: lost, trouble, or nothing.
  void judge(CarrierQueue queue, const SqsError& error);

  TransportState state() const;

 private:
  void mend();
  void take_next_step();
  void look_up(CarrierQueue queue);
  void create(CarrierQueue queue);
  void found(CarrierQueue queue, const SqsAnswer& answer);
  void probe();
  void failed(const std::string& detail);
  void connected();
  void watch(int connection);
  void mend_later();
  void say(bool connected, const std::string& detail);
  std::string about(CarrierQueue queue, const std::string& detail) const;

  const SqsUrl url_;
  const std::vector<CarrierQueue> queues_;
  const SqsTiming timing_;
  SqsDoor& door_;
  SqsLoop& loop_;
  Random& random_;
  Metrics& metrics_;
  std::function<void()> on_connected_;
  std::map<CarrierQueue, std::string> addresses_;
  bool is_connected_ = false;
  bool is_mending_ = false;
  bool is_stopped_ = false;
  int failures_ = 0;  // in a row
  Clock::Steady connected_at_{};
  int connections_ = 0;  // times it was connected
  mutable Mutex mutex_;
  TransportState state_ EILBOTE_GUARDED_BY(mutex_){false, "SQS was not asked yet"};
};

}  // namespace eilbote
