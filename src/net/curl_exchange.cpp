#include "net/curl_exchange.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <cstring>

namespace eilbote {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

// Thousands of requests may wait for slow endpoints at the same time, and each has its buffers.
constexpr long kReadBuffer = 4096, kWriteBuffer = 16 * 1024;
constexpr long kConnectTimeout = 30'000;
constexpr std::size_t kAddressesMax = 8;

}  // namespace

CurlExchange::CurlExchange(const HttpClientOptions& options)
    : header_bytes_max_(options.header_bytes_max), forbids_(options.forbids), easy_(curl_easy_init()) {
  if (easy_) set_up(options);
}

CurlExchange* CurlExchange::of(CURL* easy) {
  char* me = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &me);
  return reinterpret_cast<CurlExchange*>(me);
}

// Everything that is the same for all calls.
void CurlExchange::set_up(const HttpClientOptions& options) {
  CURL* const easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_.data());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // Proxies are for operators to name, not for the environment; "" turns that off.
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeout);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, kReadBuffer);
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, kWriteBuffer);
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, static_cast<long>(options.idle_max.count()));
  curl_easy_setopt(easy, CURLOPT_MAXLIFETIME_CONN, static_cast<long>(options.lifetime_max.count()));
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!options.ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  }
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &CurlExchange::about_to_send);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
  if (options.forbids) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &CurlExchange::open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
  }
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &CurlExchange::on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlExchange::on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
}

void CurlExchange::take(HttpPendingPtr pending, const Addresses& addresses) {
  pending_ = std::move(pending);
  const auto left = std::chrono::ceil<milliseconds>(pending_->deadline - Steady::now());
  curl_easy_setopt(easy(), CURLOPT_TIMEOUT_MS, std::max(1L, static_cast<long>(left.count())));
  curl_easy_setopt(easy(), CURLOPT_URL, pending_->call.url.c_str());
  set_method();
  set_headers();
  pin(addresses);
}

void CurlExchange::set_method() {
  if (pending_->call.method == "GET") {
    curl_easy_setopt(easy(), CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(easy(), CURLOPT_CUSTOMREQUEST, nullptr);
    return;
  }
  curl_easy_setopt(easy(), CURLOPT_POST, 1L);
  curl_easy_setopt(easy(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(pending_->call.body.size()));
  curl_easy_setopt(easy(), CURLOPT_POSTFIELDS,
                   pending_->call.body.data());  // not copied: the call outlives the request
  curl_easy_setopt(easy(), CURLOPT_CUSTOMREQUEST,
                   pending_->call.method == "POST" ? nullptr : pending_->call.method.c_str());
}

void CurlExchange::set_headers() {
  // Without this the library waits a second for a "100 Continue" before it sends a larger body.
  curl_slist* list = curl_slist_append(nullptr, "Expect:");
  std::string line;
  for (const auto& [name, value] : pending_->call.headers) {
    // "Name:" would take a header away; "Name;" sends it empty.
    line = value.empty() ? name + ";" : name + ": " + value;
    list = curl_slist_append(list, line.c_str());
  }
  curl_easy_setopt(easy(), CURLOPT_HTTPHEADER, list);
  headers_.reset(list);
}

// The library never asks a resolver: it finds these in its cache, where they stay for this request (+). An address it reads
// by itself.
void CurlExchange::pin(const Addresses& addresses) {
  curl_slist* list = nullptr;
  if (!pending_->call.host_is_address) {
    std::string line = fmt::format("+{}:{}:", pending_->call.host, pending_->call.port);
    const std::size_t count = std::min(addresses.size(), kAddressesMax);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string text = addresses[i].to_string();
      line += i == 0 ? "" : ",";
      line += addresses[i].is_v6() ? "[" + text + "]" : text;
    }
    list = curl_slist_append(nullptr, line.c_str());
  }
  curl_easy_setopt(easy(), CURLOPT_RESOLVE, list);
  pinned_.reset(list);
}

// Called for the request, and again when the library means to send it once more because a connection it had kept was closed.
int CurlExchange::about_to_send(void* me, char* peer, char*, int peer_port, int) {
  auto& self = *static_cast<CurlExchange*>(me);
  if (self.has_begun_) {
    self.was_to_be_resent_ = true;
    return CURL_PREREQFUNC_ABORT;
  }
  if (self.forbids_) {
    // A kept connection opens no socket: it is looked at here.
    boost::system::error_code is_none;
    const auto address = boost::asio::ip::make_address(peer, is_none);
    if (is_none) self.forbidden_by_ = OutboundRule::reserved;
    if (is_none || !self.may_use(address, static_cast<std::uint16_t>(peer_port)))
      return CURL_PREREQFUNC_ABORT;
  }
  if (self.pending_->call.about_to_send && !self.pending_->call.about_to_send()) {
    self.was_refused_ = true;
    return CURL_PREREQFUNC_ABORT;
  }
  self.has_begun_ = true;
  return CURL_PREREQFUNC_OK;
}

bool CurlExchange::may_use(const boost::asio::ip::address& address, std::uint16_t port) {
  forbidden_by_ = forbids_(pending_->call.host, address, port);
  return !forbidden_by_;
}

// The second lock: whatever made the library choose this address, nothing goes there unless the guard lets it.
curl_socket_t CurlExchange::open_socket(void* me, curlsocktype, curl_sockaddr* to) {
  boost::asio::ip::tcp::endpoint endpoint;
  if (to->addrlen > endpoint.capacity()) return CURL_SOCKET_BAD;
  std::memcpy(endpoint.data(), &to->addr, to->addrlen);
  if (!static_cast<CurlExchange*>(me)->may_use(endpoint.address(), endpoint.port())) return CURL_SOCKET_BAD;
  return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

std::size_t CurlExchange::on_header(char* bytes, std::size_t, std::size_t size, void* me) {
  auto& self = *static_cast<CurlExchange*>(me);
  self.header_bytes_ += size;  // over all answers: an endless row of 1xx is too much as well
  if (self.header_bytes_ > self.header_bytes_max_) return 0;
  const std::string_view line(bytes, size);
  if (line.starts_with("HTTP/")) self.answer_.header_lines.clear();
  self.headers_are_whole_ = line == "\r\n" || line == "\n";
  self.answer_.header_lines += line;
  // Nobody asked for another protocol, and what follows is none of ours.
  self.has_switched_ = self.headers_are_whole_ && self.status() == 101;
  return self.has_switched_ ? 0 : size;
}

// Answering less than `size` ends the transfer: what is beyond the limit is neither kept nor unpacked.
std::size_t CurlExchange::on_body(char* bytes, std::size_t, std::size_t size, void* me) {
  auto& self = *static_cast<CurlExchange*>(me);
  std::string& body = self.answer_.body;
  const std::size_t room = self.pending_->call.response_bytes_max - body.size();
  body.append(bytes, std::min(size, room));
  if (size <= room) return size;
  self.answer_.body_is_cut = true;
  return 0;
}

ExchangeFault CurlExchange::fault_of(CURLcode code) const {
  if (code != CURLE_OK && forbidden_by_) return ExchangeFault::refused;
  switch (code) {
    case CURLE_OK:
      // The library takes an end in the middle of the headers for their end.
      return headers_are_whole_ ? ExchangeFault::none : ExchangeFault::lost;
    case CURLE_WRITE_ERROR:
      return answer_.body_is_cut || has_switched_ ? ExchangeFault::none : ExchangeFault::bad_response;
    case CURLE_ABORTED_BY_CALLBACK:
      return was_refused_ ? ExchangeFault::not_sent : ExchangeFault::lost;
    case CURLE_OPERATION_TIMEDOUT:
      return ExchangeFault::timeout;
    case CURLE_COULDNT_RESOLVE_HOST:
      return ExchangeFault::dns;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
      return ExchangeFault::connect;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_PEER_FAILED_VERIFICATION:
      return ExchangeFault::tls;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return ExchangeFault::lost;
    case CURLE_OUT_OF_MEMORY:
      return has_begun_ ? ExchangeFault::lost : ExchangeFault::busy;
    default:
      return ExchangeFault::bad_response;
  }
}

std::string CurlExchange::detail_of(ExchangeFault fault, CURLcode code) const {
  if (fault == ExchangeFault::none || fault == ExchangeFault::not_sent) return {};
  if (fault == ExchangeFault::refused) return refused_by(*forbidden_by_).detail;
  if (was_to_be_resent_) return kKeptConnectionClosed;
  if (fault == ExchangeFault::timeout)
    return late_text(pending_->call.timeout, !has_begun_                    ? HttpDoing::connecting
                                             : answer_.header_lines.empty() ? HttpDoing::waiting
                                                                            : HttpDoing::reading);
  if (code == CURLE_WRITE_ERROR) return fmt::format("more than {} bytes of headers", header_bytes_max_);
  if (code == CURLE_OK) return "in the middle of the headers";
  return error_[0] != '\0' ? error_.data() : curl_easy_strerror(code);
}

int CurlExchange::status() const {
  long status = 0;
  curl_easy_getinfo(easy(), CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

HttpAnswer CurlExchange::answer(CURLcode code) {
  answer_.status = status();
  answer_.fault = fault_of(code);
  answer_.detail = detail_of(answer_.fault, code);
  return std::move(answer_);
}

HttpPendingPtr CurlExchange::finish() {
  HttpPendingPtr pending = std::move(pending_);
  // The handle must not point into what is freed here.
  curl_easy_setopt(easy(), CURLOPT_HTTPGET, 1L);
  curl_easy_setopt(easy(), CURLOPT_POSTFIELDS, nullptr);
  curl_easy_setopt(easy(), CURLOPT_HTTPHEADER, nullptr);
  curl_easy_setopt(easy(), CURLOPT_RESOLVE, nullptr);
  headers_.reset();
  pinned_.reset();
  answer_ = {};
  error_[0] = '\0';
  header_bytes_ = 0;
  forbidden_by_.reset();
  headers_are_whole_ = has_switched_ = has_begun_ = was_refused_ = was_to_be_resent_ = false;
  return pending;
}

}  // namespace eilbote
