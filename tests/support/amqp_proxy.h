// A loopback TCP proxy in front of RabbitMQ that breaks connections where it hurts: around a confirm. It reads the frames of
// AMQP 0-9-1 on both sides, so it cuts exactly before a publish is passed on (the broker never had it), or exactly before a
// confirm is (the broker has it, the publisher does not know). One thread of its own, poll-based.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <thread>

namespace eilbote::test {

enum class AmqpCut {
  none,
  before_publish,  // basic.publish of the client
  before_confirm,  // basic.ack of the server
};

class AmqpProxy {
 public:
  explicit AmqpProxy(std::uint16_t server_port);
  ~AmqpProxy();
  AmqpProxy(const AmqpProxy&) = delete;
  AmqpProxy& operator=(const AmqpProxy&) = delete;

  std::uint16_t port() const { return port_; }

  // Arms one cut: the next connection on which this passes is cut there, and all goes on as before.
  void cut_next(AmqpCut where) { armed_ = where; }
  // How many connections were cut by cut_next.
  int cuts() const { return cuts_; }

  // Bytes are held back in both directions until it is taken back; nothing is lost. Returns when it is so.
  void stall(bool on);

 private:
  struct Link;
  // Passes on the whole frames that came from one side; false: the connection is over.
  bool pass(int from, int to, std::string& waiting, bool& greeted, AmqpCut cut);
  void take_new();
  void run();
  void wake();

  const std::uint16_t server_port_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int wake_read_ = -1, wake_write_ = -1;
  std::atomic<AmqpCut> armed_ = AmqpCut::none;
  std::atomic<int> cuts_ = 0;
  std::atomic<int> asked_ = 0, seen_ = 0;  // changes asked for, and those the thread has taken up
  std::atomic<bool> stalling_ = false, stopping_ = false;
  std::list<Link> open_;
  std::thread thread_;
};

}  // namespace eilbote::test
