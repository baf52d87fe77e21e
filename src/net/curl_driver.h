// Requests by libcurl: everything over TLS, HTTP/2 included. Its multi handle with the sockets it wants watched and the
// time it wants to be called. Belongs to the thread of net/http_client; included by nobody else.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "net/http_pending.h"

namespace eilbote {

class CurlExchange;

class CurlDriver {
 public:
  using Steady = std::chrono::steady_clock;

  // `epoll`: where sockets are watched; their events come back through on_event, with socket_tag() as their data.
  CurlDriver(int epoll, const HttpClientOptions& options, HttpOver over);
  ~CurlDriver();
  CurlDriver(const CurlDriver&) = delete;
  CurlDriver& operator=(const CurlDriver&) = delete;

  // False: out of memory.
  bool start();
  void open(HttpPendingPtr pending, const Addresses& addresses);
  void on_event(int fd, std::uint32_t events);
  // Gives back what has not begun.
  void release_unbegun();

  std::optional<Steady::time_point> next_due() const { return due_; }
  void on_time(Steady::time_point now);

  // What epoll carries for a socket: never the address of anything.
  static std::uint64_t socket_tag(int fd) { return static_cast<std::uint64_t>(fd) << 1 | 1; }

 private:
  struct FreeMulti {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };

  static int on_socket(CURL*, curl_socket_t fd, int what, void* me, void* is_known);
  static int on_timer(CURLM*, long after, void* me);
  void watch(curl_socket_t fd, int what, bool is_known);
  void act(curl_socket_t fd, int what);
  void settle();
  void keep_connections();
  void end(std::unique_ptr<CurlExchange> exchange, HttpAnswer answer);
  std::unique_ptr<CurlExchange> take_open(CURL* easy);
  std::unique_ptr<CurlExchange> take_spare();

  const int epoll_;
  const HttpClientOptions& options_;
  const HttpOver over_;
  std::unique_ptr<CURLM, FreeMulti> multi_;
  std::optional<Steady::time_point> due_;
  std::vector<std::unique_ptr<CurlExchange>> spares_;
  std::unordered_map<CURL*, std::unique_ptr<CurlExchange>> open_;
};

}  // namespace eilbote
