// One request and its answer on one of libcurl's easy handles. The parts of net/curl_driver.cpp that know what libcurl does;
// included by nobody else.
#pragma once

#include <curl/curl.h>

#include <array>
#include <memory>
#include <optional>

#include "net/http_pending.h"

namespace eilbote {

class CurlExchange {
 public:
  explicit CurlExchange(const HttpClientOptions& options);
  CurlExchange(const CurlExchange&) = delete;
  CurlExchange& operator=(const CurlExchange&) = delete;

  // The handle stays set up between calls; false: out of memory.
  bool is_usable() const { return easy_ != nullptr; }
  CURL* easy() const { return easy_.get(); }
  static CurlExchange* of(CURL* easy);

  // Takes a call in and makes the handle ready to be added to the multi handle.
  void take(HttpPendingPtr pending, const Addresses& addresses);

  // Whether the request went out, or is about to.
  bool has_begun() const { return has_begun_; }

  // What came of it.
  HttpAnswer answer(CURLcode code);
  // Gives the call back; the exchange is ready for the next one.
  HttpPendingPtr finish();

 private:
  struct FreeEasy {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  using List = std::unique_ptr<curl_slist, FreeList>;

  static int about_to_send(void* me, char* peer, char*, int peer_port, int);
  static curl_socket_t open_socket(void* me, curlsocktype, curl_sockaddr* to);
  static std::size_t on_header(char* bytes, std::size_t, std::size_t size, void* me);
  static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* me);

  void set_up(const HttpClientOptions& options);
  void set_method();
  void set_headers();
  bool may_use(const boost::asio::ip::address& address, std::uint16_t port);
  void pin(const Addresses& addresses);
  int status() const;
  ExchangeFault fault_of(CURLcode code) const;
  std::string detail_of(ExchangeFault fault, CURLcode code) const;

  const std::size_t header_bytes_max_;
  const OutboundForbids& forbids_;  // of the options, which outlive all exchanges
  std::unique_ptr<CURL, FreeEasy> easy_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  List headers_, pinned_;

  HttpPendingPtr pending_;
  HttpAnswer answer_;
  std::size_t header_bytes_ = 0;
  bool headers_are_whole_ = false;
  bool has_switched_ = false;  // the other side, to another protocol
  bool has_begun_ = false;
  std::optional<OutboundRule> forbidden_by_;  // the peer the library chose
  bool was_refused_ = false;                  // by the call's owner
  bool was_to_be_resent_ = false;             // by the library
};

}  // namespace eilbote
