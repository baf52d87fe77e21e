// Requests over plain HTTP/1.1, without libcurl: its bookkeeping costs several times what such a request does (decision
// 0019). Keeps connections; one request at a time on each. Belongs to the thread of net/http_client; included by nobody
// else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "net/http_pending.h"

namespace eilbote {

class PlainConnection;
struct PlainEndpoint;

class PlainDriver {
 public:
  using Steady = std::chrono::steady_clock;

  // `epoll`: where connections are watched; their events come back through on_event, with `tag` as their data.
  PlainDriver(int epoll, const HttpClientOptions& options, HttpOver over);
  ~PlainDriver();
  PlainDriver(const PlainDriver&) = delete;
  PlainDriver& operator=(const PlainDriver&) = delete;

  void open(HttpPendingPtr pending, const Addresses& addresses);
  void on_event(void* tag, std::uint32_t events);
  // Gives back what has not begun.
  void release_unbegun();

  std::optional<Steady::time_point> next_due() const;
  void on_time(Steady::time_point now);
  // After the events of one wait: connections that ended meanwhile may have been among them.
  void bury();

 private:
  PlainConnection* take_idle(PlainEndpoint& endpoint, const Addresses& addresses);
  void keep_or_close(PlainConnection& connection);
  void close(PlainConnection& connection);
  void close_idle(PlainConnection& connection);
  void close_oldest_idle();
  std::optional<OutboundRule> forbidden(const PlainConnection& connection) const;
  void connect_next(PlainConnection& connection);
  void on_connected(PlainConnection& connection);
  void begin_request(PlainConnection& connection);
  void send_more(PlainConnection& connection);
  void read_more(PlainConnection& connection, bool to_its_end);
  void end(PlainConnection& connection, HttpAnswer answer, bool reusable);
  void end_lost(PlainConnection& connection, std::string detail);
  void wait_until(PlainConnection& connection, Steady::time_point at);

  const int epoll_;
  const HttpClientOptions& options_;
  const HttpOver over_;
  std::unordered_map<std::string, PlainEndpoint> endpoints_;  // by host and port
  std::unordered_map<PlainConnection*, std::unique_ptr<PlainConnection>> connections_;
  std::size_t idle_count_ = 0;
  std::set<std::pair<Steady::time_point, PlainConnection*>> due_;  // deadlines, and the ends of idle ones
  std::vector<std::unique_ptr<PlainConnection>> ended_;
};

}  // namespace eilbote
