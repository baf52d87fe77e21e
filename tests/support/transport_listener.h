// One end of a transport in a test: hears its hooks, publishes and waits for the answer. Stops the transport with itself.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ports/transport.h"

namespace eilbote::test {

class TransportListener {
 public:
  // Starts it.
  explicit TransportListener(std::unique_ptr<Transport> transport);
  ~TransportListener();

  Transport& transport() { return *transport_; }

  // Every message so far, at least this many of them unless the patience is over.
  std::vector<Arrival> arrivals(std::size_t at_least, std::chrono::milliseconds patience = kPatience);
  // Whether it was called more often than that, within the patience.
  bool looked_more_than(int times, std::chrono::milliseconds patience = kPatience);
  bool ready_more_than(int times, std::chrono::milliseconds patience = kPatience);
  int ready() const;
  int calls() const;  // of any hook

  // The answers; nothing when there are none within the patience. More than one answer fails the test.
  std::optional<std::vector<Carriage>> publish(std::vector<Parcel> parcels,
                                               std::chrono::milliseconds patience = kPatience);
  void acknowledge(const std::vector<Arrival>& arrivals);
  bool is_connected(std::chrono::milliseconds patience = kPatience);
  bool is_away(std::chrono::milliseconds patience = kPatience);

  static constexpr std::chrono::milliseconds kPatience{30'000};

 private:
  struct Heard {
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::vector<Arrival> arrivals;
    int looks = 0, readies = 0, calls = 0;
  };
  bool more_than(const int& count, int times, std::chrono::milliseconds patience);

  const std::shared_ptr<Heard> heard_ = std::make_shared<Heard>();
  const std::unique_ptr<Transport> transport_;
};

// "job-7" in this queue with this body.
Parcel parcel(int number, CarrierQueue queue = CarrierQueue::mail_send, std::string body = "");
std::vector<Parcel> parcels(int count, CarrierQueue queue = CarrierQueue::mail_send);
std::vector<std::string> bodies_of(const std::vector<Arrival>& arrivals);  // sorted
std::vector<std::string> bodies_of(const std::vector<Parcel>& parcels);    // sorted

}  // namespace eilbote::test
