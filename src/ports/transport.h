// The transport: how the news that a job is due gets to a worker. Three adapters (src/transport/): the database (a hint that
// there is work; workers look for it there), RabbitMQ and SQS (the job's name, as a message). The database alone decides what
// may be started, so a transport may lose, repeat and reorder what it carries: that costs time, never a job.
//
// Each adapter has threads of its own; nothing here blocks, and every hook is called from one of them. From any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/carried_job.h"

namespace eilbote {

struct Parcel {
  CarrierQueue queue = CarrierQueue::mail_send;
  std::string
      id;  // unique for this hand-over, the same when it is repeated: job id and attempt. For people and deduplication
  std::string group;  // jobs that go one after the other; empty: none
  std::string body;
};

// What became of a parcel.
enum class Carriage {
  confirmed,  // the broker has it, on disk
  refused,    // the broker has it not, and said so, or it was never handed over: it may be published again
  unknown,    // the answer was lost: the broker may have it
};

// Names a message until it is acknowledged; only for the transport that made it. After a lost connection it is worth nothing,
// and the broker delivers the message again.
using Receipt = std::uint64_t;

struct Arrival {
  CarrierQueue queue = CarrierQueue::mail_send;
  Receipt receipt = 0;
  std::string body;
  bool repeated = false;  // the broker says it delivered it before
};

struct TransportState {
  bool connected = false;        // what is published now has a chance
  std::string detail;            // when not: why, for people; never a secret
  bool receiving = true;         // messages come, where they are asked for
  std::string receive_detail{};  // when not: why
};

class Transport {
 public:
  using Published = std::function<void(std::vector<Carriage>)>;
  struct Hooks {
    std::function<void()> look;  // the database has work (another instance said so)
    std::function<void(std::vector<Arrival>)>
        arrive;                   // messages; each is held until acknowledged. Must not block
    std::function<void()> ready;  // publishing works (again)
  };
  virtual ~Transport() = default;

  // Whether jobs travel by name. False: workers find them in the database.
  virtual bool carries_jobs() const = 0;

  virtual void start(Hooks hooks) = 0;
  // After it no hook is called any more. What was published and not confirmed is answered `unknown`; what was not acknowledged
  // goes back to the broker.
  virtual void stop() = 0;

  // Tells other instances that the database has work; at most once per 10 ms.
  virtual void announce() = 0;

  // `done` once, with one answer per parcel in their order, not later than the transport's confirm timeout. Where no jobs are
  // carried: announces, and all are confirmed.
  virtual void publish(std::vector<Parcel> parcels, Published done) = 0;

  // These messages are done with. A receipt that is worth nothing any more is passed over.
  virtual void acknowledge(std::span<const Receipt> receipts) = 0;

  // How many messages wait in a queue, as last heard and counted on by what was published since; absent: not known.
  virtual std::optional<std::int64_t> waiting(CarrierQueue queue) const = 0;

  virtual TransportState state() const = 0;
};

}  // namespace eilbote
