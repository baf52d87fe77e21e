// Tells the broker's queues of dead letters about jobs that died, at least once each: reads those that were not told, publishes
// a letter about each, and notes them as told when the broker has confirmed it. One instance at a time does it (a turn), so
// that two do not tell the same. Used by the publisher's thread only (engine/publisher.h).
//
// A crash between the confirm and the note leaves the job untold: it is told again.
#pragma once

#include <functional>
#include <vector>

#include "base/clock.h"
#include "engine/instance.h"
#include "ports/outbox_care.h"
#include "ports/publish_book.h"
#include "ports/transport.h"

namespace eilbote {

struct Metrics;

class DeadLetterDesk {
 public:
  using Steady = Clock::Steady;
  // Called from a thread of the transport; what it is given belongs to carried(), on the publisher's thread.
  using Answered = std::function<void(std::vector<Carriage>)>;

  DeadLetterDesk(PublishBook& book, OutboxCare& care, Transport& transport, const Instance& instance,
                 Metrics& metrics, Answered answered);

  // Publishes what is to be told, if it is time to look. Blocks for the database.
  void look(Steady now);
  // What became of the letters at the broker. Blocks for the database.
  void carried(const std::vector<Carriage>& answers, Steady now);

  bool is_waiting() const { return !at_broker_.empty(); }  // for carried()
  Steady next_look() const { return is_waiting() ? Steady::max() : next_look_; }

 private:
  bool note_told(Steady now);
  void publish();
  void back_off(Steady now);
  void trouble(const Error& error, Steady now);

  PublishBook& book_;
  OutboxCare& care_;
  Transport& transport_;
  const Instance& instance_;
  Metrics& metrics_;
  const Answered answered_;
  std::vector<DeadLetter> at_broker_;
  std::vector<DeadLetter> confirmed_;  // not noted as told yet
  Steady next_look_{};
  Duration pause_{0};
};

}  // namespace eilbote
