// Publishes parcels to SQS: in batches, several requests at a time, each parcel answered on its own. What SQS has no time for
// is sent again until the confirm timeout; an answer that was lost is not waited for twice. On the transport's loop.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "ports/transport.h"
#include "transport/sqs_depths.h"
#include "transport/sqs_queues.h"

namespace eilbote {

struct Metrics;

class SqsPublisher {
 public:
  SqsPublisher(Duration confirm_timeout, const SqsTiming& timing, SqsQueues& queues, SqsDepths& depths,
               SqsDoor& door, SqsLoop& loop, Random& random, Metrics& metrics);

  void publish(std::vector<Parcel> parcels, Transport::Published done);
  // Everything that is open is answered: what was handed over `unknown`, the rest `refused`.
  void stop();

 private:
  struct Order;  // one publish()
  struct Item {
    std::shared_ptr<Order> order;
    std::size_t number = 0;  // of the parcel in its order
    SqsOutgoing message;
    bool may_be_there = false;  // SQS had an error of its own over it
  };
  struct Line {  // of a queue
    std::deque<Item> waiting;
    std::set<std::string> busy_groups;  // FIFO: on their way; what comes after them waits
    int requests = 0;                   // on their way
    int failures = 0;                   // in a row, for which it pauses
    Clock::Steady paused_until{};
  };

  SqsOutgoing outgoing(const Parcel& parcel);
  void send_more(CarrierQueue queue);
  std::vector<Item> next_batch(Line& line);
  void send(CarrierQueue queue, std::vector<Item> batch);
  void answered(CarrierQueue queue, std::vector<Item> batch, const SqsAnswer& answer);
  void settle_entries(CarrierQueue queue, const std::vector<Item>& batch, const std::string& body);
  void send_again(CarrierQueue queue, std::vector<Item> batch, const SqsError& error);
  void settle(const Item& item, Carriage carriage);
  void record(Order& order, std::size_t number, Carriage carriage);
  void close(std::shared_ptr<Order> order);

  const Duration confirm_timeout_;
  const SqsTiming timing_;
  SqsQueues& queues_;
  SqsDepths& depths_;
  SqsDoor& door_;
  SqsLoop& loop_;
  Random& random_;
  Metrics& metrics_;
  std::map<CarrierQueue, Line> lines_;
  std::set<std::shared_ptr<Order>> orders_;  // that are not answered
  bool is_stopped_ = false;
};

}  // namespace eilbote
