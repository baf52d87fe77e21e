#include "support/transport_listener.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/eventually.h"

namespace eilbote::test {

TransportListener::TransportListener(std::unique_ptr<Transport> transport)
    : transport_(std::move(transport)) {
  const auto heard = heard_;
  const auto note = [heard](auto change) {
    const std::lock_guard lock(heard->mutex);
    ++heard->calls;
    change(*heard);
    heard->changed.notify_all();
  };
  transport_->start({.look = [note] { note([](Heard& all) { ++all.looks; }); },
                     .arrive =
                         [note](std::vector<Arrival> arrivals) {
                           note([&](Heard& all) {
                             all.arrivals.insert(all.arrivals.end(), arrivals.begin(), arrivals.end());
                           });
                         },
                     .ready = [note] { note([](Heard& all) { ++all.readies; }); }});
}

TransportListener::~TransportListener() {
  transport_->stop();
}

std::vector<Arrival> TransportListener::arrivals(std::size_t at_least, std::chrono::milliseconds patience) {
  std::unique_lock lock(heard_->mutex);
  heard_->changed.wait_for(lock, patience, [&] { return heard_->arrivals.size() >= at_least; });
  return heard_->arrivals;
}

bool TransportListener::more_than(const int& count, int times, std::chrono::milliseconds patience) {
  std::unique_lock lock(heard_->mutex);
  return heard_->changed.wait_for(lock, patience, [&] { return count > times; });
}

bool TransportListener::looked_more_than(int times, std::chrono::milliseconds patience) {
  return more_than(heard_->looks, times, patience);
}

bool TransportListener::ready_more_than(int times, std::chrono::milliseconds patience) {
  return more_than(heard_->readies, times, patience);
}

int TransportListener::ready() const {
  const std::lock_guard lock(heard_->mutex);
  return heard_->readies;
}

int TransportListener::calls() const {
  const std::lock_guard lock(heard_->mutex);
  return heard_->calls;
}

std::optional<std::vector<Carriage>> TransportListener::publish(std::vector<Parcel> parcels,
                                                                std::chrono::milliseconds patience) {
  struct Answer {
    std::mutex mutex;
    std::condition_variable given;
    std::optional<std::vector<Carriage>> carriages;
  };
  const auto answer = std::make_shared<Answer>();
  transport_->publish(std::move(parcels), [answer](std::vector<Carriage> carriages) {
    const std::lock_guard lock(answer->mutex);
    EXPECT_FALSE(answer->carriages) << "answered twice";
    answer->carriages = std::move(carriages);
    answer->given.notify_all();
  });
  std::unique_lock lock(answer->mutex);
  answer->given.wait_for(lock, patience, [&] { return answer->carriages.has_value(); });
  return answer->carriages;
}

void TransportListener::acknowledge(const std::vector<Arrival>& arrivals) {
  std::vector<Receipt> receipts;
  for (const Arrival& arrival : arrivals)
    receipts.push_back(arrival.receipt);
  transport_->acknowledge(receipts);
}

bool TransportListener::is_connected(std::chrono::milliseconds patience) {
  return eventually([&] { return transport_->state().connected; }, patience);
}

bool TransportListener::is_away(std::chrono::milliseconds patience) {
  return eventually([&] { return !transport_->state().connected; }, patience);
}

Parcel parcel(int number, CarrierQueue queue, std::string body) {
  const std::string name = "job-" + std::to_string(number);
  return {queue, name + ".1", "", body.empty() ? R"({"EmailId":")" + name + R"("})" : std::move(body)};
}

std::vector<Parcel> parcels(int count, CarrierQueue queue) {
  std::vector<Parcel> all;
  for (int i = 1; i <= count; ++i)
    all.push_back(parcel(i, queue));
  return all;
}

namespace {

template <class Items>
std::vector<std::string> sorted_bodies(const Items& items) {
  std::vector<std::string> bodies;
  for (const auto& item : items)
    bodies.push_back(item.body);
  std::sort(bodies.begin(), bodies.end());
  return bodies;
}

}  // namespace

std::vector<std::string> bodies_of(const std::vector<Arrival>& arrivals) {
  return sorted_bodies(arrivals);
}
std::vector<std::string> bodies_of(const std::vector<Parcel>& parcels) {
  return sorted_bodies(parcels);
}

}  // namespace eilbote::test
