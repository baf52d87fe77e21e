// Whether messages come from the broker: kept by those that receive, read by Transport::state(). Apart from whether messages can
// be published: a worker that is cut off from its queues must not look as if all were well. From any thread.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "metrics/metrics.h"
#include "ports/transport.h"

namespace eilbote {

class ReceiveState {
 public:
  explicit ReceiveState(Metrics& metrics) : metrics_(metrics) {}

  void works(CarrierQueue queue) {
    const MutexLock lock(mutex_);
    troubles_.erase(queue);
    show();
  }
  void fails(CarrierQueue queue, const std::string& why) {
    const MutexLock lock(mutex_);
    troubles_[queue] = why;
    show();
  }

  // The same, with what is known here.
  TransportState added_to(TransportState state) const {
    const MutexLock lock(mutex_);
    state.receiving = troubles_.empty();
    if (!state.receiving)
      state.receive_detail =
          std::string(kCarrierQueueNames.text(troubles_.begin()->first)) + ": " + troubles_.begin()->second;
    return state;
  }

 private:
  void show() EILBOTE_REQUIRES(mutex_) { metrics_.set(Metric::broker_receiving, troubles_.empty() ? 1 : 0); }

  Metrics& metrics_;
  mutable Mutex mutex_;
  std::map<CarrierQueue, std::string> troubles_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
