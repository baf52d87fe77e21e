// A started SQS transport and what came of it: for the tests of what is SQS's own.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ports/transport.h"
#include "support/eventually.h"

namespace eilbote::test {

class SqsParty {
 public:
  explicit SqsParty(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {
    transport_->start({.look = [] {},
                       .arrive =
                           [this](std::vector<Arrival> some) {
                             const std::lock_guard lock(mutex_);
                             for (Arrival& one : some)
                               arrivals_.push_back(std::move(one));
                           },
                       .ready =
                           [this] {
                             const std::lock_guard lock(mutex_);
                             ++ready_;
                           }});
  }
  ~SqsParty() { transport_->stop(); }

  Transport& transport() { return *transport_; }
  bool is_connected() const {
    return eventually([&] { return transport_->state().connected; });
  }
  int ready() const {
    const std::lock_guard lock(mutex_);
    return ready_;
  }

  std::future<std::vector<Carriage>> publish_later(std::vector<Parcel> parcels) {
    auto promise = std::make_shared<std::promise<std::vector<Carriage>>>();
    transport_->publish(std::move(parcels),
                        [promise](std::vector<Carriage> answers) { promise->set_value(std::move(answers)); });
    return promise->get_future();
  }
  std::vector<Carriage> publish(std::vector<Parcel> parcels) {
    return publish_later(std::move(parcels)).get();
  }

  std::vector<Arrival> arrivals() const {
    const std::lock_guard lock(mutex_);
    return arrivals_;
  }
  std::vector<std::string> bodies() const {
    std::vector<std::string> bodies;
    for (const Arrival& one : arrivals())
      bodies.push_back(one.body);
    return bodies;
  }
  bool has_arrivals(std::size_t count) const {
    return eventually([&] { return arrivals().size() >= count; });
  }
  void acknowledge(std::size_t from = 0) {
    std::vector<Receipt> receipts;
    for (const Arrival& one : arrivals())
      receipts.push_back(one.receipt);
    transport_->acknowledge(std::span(receipts).subspan(from));
  }

 private:
  std::unique_ptr<Transport> transport_;
  mutable std::mutex mutex_;
  std::vector<Arrival> arrivals_;
  int ready_ = 0;
};

// `count` parcels for the queue of mails, with bodies {"n":0} and on.
inline std::vector<Parcel> numbered_parcels(int count, const std::string& group = "") {
  std::vector<Parcel> parcels;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    parcels.push_back({CarrierQueue::mail_send, "job" + number + "-1", group, R"({"n":)" + number + "}"});
  }
  return parcels;
}

}  // namespace eilbote::test
