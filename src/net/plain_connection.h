// One connection of net/plain_driver, and the request it carries at the moment.
#pragma once

#include <unistd.h>

#include <optional>

#include "net/http_answer_reader.h"
#include "net/http_pending.h"

namespace eilbote {

class PlainConnection {
 public:
  enum class State { connecting, sending, reading, idle, ended };

  explicit PlainConnection(std::string its_key) : key(std::move(its_key)) {}
  ~PlainConnection() { close(); }
  PlainConnection(const PlainConnection&) = delete;
  PlainConnection& operator=(const PlainConnection&) = delete;

  void close() {
    if (fd >= 0) ::close(fd);  // and the kernel watches it no longer
    fd = -1;
  }

  const std::string key;  // host and port
  int fd = -1;
  State state = State::connecting;
  std::chrono::steady_clock::time_point born, due;
  Addresses addresses;  // still to be tried; the one in use is the last that was taken out
  boost::asio::ip::address address;
  std::string trouble;  // why the address before did not do
  bool was_kept = false;
  bool has_due = false;

  HttpPending pending;
  std::string head;  // request line and headers
  std::size_t sent = 0;
  std::optional<HttpAnswerReader> reader;
};

// The request's first part, up to its empty line.
std::string plain_request_head(const HttpCall& call);

}  // namespace eilbote
