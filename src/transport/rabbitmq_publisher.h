// Publishes to RabbitMQ. One thread, `broker-publish`, with a line of its own: declares the queues, writes parcels without
// waiting for one another, and answers each batch when the broker has confirmed all of it, or at its time. While the broker is
// away, or takes nothing (low on memory or disk), parcels are refused at once. A broker that does not confirm in time loses its
// connection, unless it said that it takes nothing.
//
// What a crash leaves: messages that were written may be in the broker; their jobs are published again, and workers find out
// by themselves.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/service.h"
#include "transport/confirm_book.h"
#include "transport/queue_depths.h"
#include "transport/rabbitmq_line.h"

namespace eilbote {

struct RabbitPublisherOptions {
  RabbitEndpoint endpoint;
  std::vector<CarrierQueue> queues;
  Duration confirm_timeout{};
};

class RabbitPublisher {
 public:
  RabbitPublisher(RabbitPublisherOptions options, LinkWatch& watch, Metrics& metrics, const Clock& clock);
  ~RabbitPublisher() { stop(); }

  void start(std::function<void()> ready);
  // Only asks for it: both of a transport end at the same time.
  void request_stop() { service_.request_stop(); }
  void stop();

  // Answered by the thread; by the caller's own where there is none any more, or it has far too much to do.
  void publish(std::vector<Parcel> parcels, Transport::Published done);
  std::optional<std::int64_t> waiting(CarrierQueue queue);
  TransportState state() const;

 private:
  using Steady = std::chrono::steady_clock::time_point;

  void run(const std::stop_token& stop);
  Result<void> prepare();
  Result<void> declare_queues();
  Result<void> serve();
  void lost(const std::string& why);

  // The steps of serve().
  Result<void> write_handed_in();
  Result<void> write(const SharedBatch& batch);
  Result<bool> take_events();
  Result<void> take(const RabbitEvent& event);
  Result<void> ask_depths();
  // Queues that are gone, after their rest.
  Result<void> mend_queues();
  // Gives up what is not confirmed in time. An error: the broker should have answered.
  Result<void> check_time();
  void set_cut();

  // Whether parcels are taken from now on; with why not.
  void tell(bool connected, std::string detail);
  void set_blocked(std::string reason);
  std::deque<SharedBatch> take_handed_in();
  // While there is no connection: they are refused.
  void turn_away();
  void answer_finished();
  void answer(ParcelBatch& batch);

  const RabbitPublisherOptions options_;
  Metrics& metrics_;
  const Clock& clock_;
  std::function<void()> ready_;
  QueueDepths depths_;

  mutable Mutex mutex_;
  std::deque<SharedBatch> handed_in_ EILBOTE_GUARDED_BY(mutex_);
  std::size_t parcels_handed_in_ EILBOTE_GUARDED_BY(mutex_) = 0;
  TransportState told_ EILBOTE_GUARDED_BY(mutex_);
  bool is_over_ EILBOTE_GUARDED_BY(mutex_) = false;  // nobody takes what is handed in

  // The thread's own.
  RabbitLine line_;
  std::string blocked_;             // why the broker takes nothing; empty: it does
  std::optional<Steady> mend_due_;  // a queue is gone: when to declare it
  ConfirmBook book_;
  std::deque<SharedBatch> under_way_;
  Service service_;
};

}  // namespace eilbote
