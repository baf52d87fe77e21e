// Receives the messages of one queue: long polls while there is room, more of them while messages come; extends the time of
// what is held, deletes what was acknowledged. What a crash leaves held comes to somebody else when its time is over. On the
// transport's loop.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "base/random.h"
#include "ports/transport.h"
#include "transport/receive_state.h"
#include "transport/sqs_held.h"
#include "transport/sqs_queues.h"

namespace eilbote {

class SqsConsumer {
 public:
  using Arrive = std::function<void(std::vector<Arrival>)>;

  SqsConsumer(CarrierQueue queue, int prefetch, const SqsTiming& timing, SqsQueues& queues, SqsDoor& door,
              SqsLoop& loop, Random& random, ReceiveState& state, Arrive arrive);

  // The queue that a receipt is of.
  static CarrierQueue queue_of(Receipt receipt);

  // Receives, if there is room; to be called when SQS is there (again).
  void go_on();
  void acknowledge(const std::vector<Receipt>& receipts);
  // Receives nothing any more, deletes what is acknowledged and gives back the rest; `done` when SQS has answered. To be
  // called after SqsDoor::drop_calls, else a poll that is still open takes what is given back.
  void say_farewell(std::function<void()> done);

 private:
  using Deletions = std::vector<SqsHeld::Deletion>;

  void receive_more();
  void receive(int messages_max);
  void received(int asked_for, const SqsAnswer& answer);
  void take(const std::vector<SqsMessage>& messages);
  void receive_failed(const SqsError& error);

  void watch_extensions();
  void extend();
  void extend_answered(const std::vector<Receipt>& receipts, const std::vector<std::string>& handles,
                       Clock::Steady asked_at, const SqsAnswer& answer);

  void delete_more();
  void send_deletions(Deletions batch);
  void delete_answered(int number, const SqsAnswer& answer);
  void delete_later(const SqsError& error);

  void give_back(std::vector<std::string> handles);
  void farewell_answered();

  const CarrierQueue queue_;
  const int prefetch_;
  const SqsTiming timing_;
  SqsQueues& queues_;
  SqsDoor& door_;
  SqsLoop& loop_;
  Random& random_;
  ReceiveState& state_;
  const Arrive arrive_;
  SqsHeld held_;
  Receipt given_ = 0;  // receipts

  int receivers_ = 0;         // receives on their way
  int receivers_wanted_ = 1;  // one while nothing comes
  int asked_for_ = 0;         // messages, by the receives on their way
  int receive_failures_ = 0;
  Clock::Steady receive_not_before_{};

  bool watches_ = false;  // an errand to extend is planned

  std::map<int, Deletions> deleting_;  // requests on their way, by number
  int deletions_sent_ = 0;
  int delete_failures_ = 0;
  Clock::Steady delete_not_before_{};

  bool is_leaving_ = false;
  int farewells_ = 0;  // requests on their way
  std::function<void()> on_farewell_;
};

}  // namespace eilbote
