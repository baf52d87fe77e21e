// One connection of net/plain_driver, and the request it carries at the moment.
#pragma once

#include <unistd.h>

#include <optional>
#include <unordered_map>
#include <vector>

#include "net/http_answer_reader.h"
#include "net/http_pending.h"

namespace eilbote {

class PlainConnection;

// What the connections to one host and port share. Known by both, "host:port", as long as there are some.
struct PlainEndpoint {
  std::vector<PlainConnection*> idle;  // the last one was used last
  std::size_t connections = 0;
};
using PlainEndpoints = std::unordered_map<std::string, PlainEndpoint>;

class PlainConnection {
 public:
  enum class State { connecting, sending, reading, idle, ended };

  explicit PlainConnection(PlainEndpoints::value_type& where) : endpoint(where) {
    ++where.second.connections;
  }
  ~PlainConnection() { close(); }
  PlainConnection(const PlainConnection&) = delete;
  PlainConnection& operator=(const PlainConnection&) = delete;

  void close() {
    if (fd >= 0) ::close(fd);  // and the kernel watches it no longer
    fd = -1;
  }

  PlainEndpoints::value_type& endpoint;
  int fd = -1;
  State state = State::connecting;
  std::chrono::steady_clock::time_point born, due;
  Addresses addresses;  // still to be tried; the one in use is the last that was taken out
  boost::asio::ip::address address;
  std::string trouble;  // why the address before did not do
  bool was_kept = false;

  HttpPendingPtr pending;  // null while idle
  std::string head;        // request line and headers
  std::size_t sent = 0;
  std::optional<HttpAnswerReader> reader;
};

// The request's first part, up to its empty line, in the place of what `head` held.
void write_request_head(const HttpCall& call, std::string& head);

}  // namespace eilbote
