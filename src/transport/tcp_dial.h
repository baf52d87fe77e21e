// A TCP connection that can be given up while it is being made: names are looked up on another thread and connect() does not
// block. librabbitmq can do neither. Used by rabbitmq_connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/bell.h"
#include "base/result.h"

namespace eilbote {

class NamePool;

class TcpDial {
 public:
  // `disturbed` is called when the bell rings; true: give it up.
  TcpDial(Bell& bell, std::function<bool()> disturbed);
  ~TcpDial();

  // A connected socket, which is the caller's to close; the error says why there is none.
  Result<int> connect(const std::string& host, std::uint16_t port, std::chrono::milliseconds patience);

 private:
  struct Found;
  using Steady = std::chrono::steady_clock::time_point;
  Result<int> connect_to(const void* address, unsigned size, Steady until);
  // Waits for the bell, and for `fd` to become writable when it is not negative. False: it is to be given up, or too late.
  bool wait(int fd, Steady until);

  Bell& bell_;
  const std::function<bool()> disturbed_;
  const std::shared_ptr<Found> found_;
  const std::unique_ptr<NamePool> names_;
};

}  // namespace eilbote
