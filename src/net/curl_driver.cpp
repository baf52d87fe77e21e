#include "net/curl_driver.h"

#include <sys/epoll.h>

#include "net/curl_exchange.h"

namespace eilbote {
namespace {

constexpr std::size_t kSparesMax = 1024;

}  // namespace

CurlDriver::CurlDriver(int epoll, const HttpClientOptions& options, HttpOver over)
    : epoll_(epoll), options_(options), over_(std::move(over)), multi_(curl_multi_init()) {}

CurlDriver::~CurlDriver() {
  for (const auto& [easy, exchange] : open_)
    curl_multi_remove_handle(multi_.get(), easy);
}

bool CurlDriver::start() {
  if (!multi_) return false;
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &CurlDriver::on_socket);
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &CurlDriver::on_timer);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
  return true;
}

void CurlDriver::open(HttpPendingPtr pending, const Addresses& addresses) {
  auto exchange = take_spare();
  if (!exchange->is_usable())
    return over_(std::move(pending), http_fault(ExchangeFault::busy, "out of memory"));
  exchange->take(std::move(pending), addresses);
  CURL* const easy = exchange->easy();
  if (curl_multi_add_handle(multi_.get(), easy) != CURLM_OK)
    return end(std::move(exchange), http_fault(ExchangeFault::busy, "out of memory"));
  open_.emplace(easy, std::move(exchange));
  keep_connections();
}

// The library counts the connections in use among those it keeps: with a fixed number, many slow requests would cost the
// fast ones theirs.
void CurlDriver::keep_connections() {
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS,
                    static_cast<long>(open_.size() + options_.idle_connections_max));
}

// ---- what the library asks for ----

int CurlDriver::on_socket(CURL*, curl_socket_t fd, int what, void* me, void* is_known) {
  static_cast<CurlDriver*>(me)->watch(fd, what, is_known != nullptr);
  return 0;
}

void CurlDriver::watch(curl_socket_t fd, int what, bool is_known) {
  if (what == CURL_POLL_REMOVE) {
    // May be closed already, and then the kernel has forgotten it by itself.
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
    return;
  }
  epoll_event event{};
  event.data.u64 = socket_tag(fd);
  if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
  if (::epoll_ctl(epoll_, is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0)
    ::epoll_ctl(epoll_, is_known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
  if (!is_known) curl_multi_assign(multi_.get(), fd, this);
}

int CurlDriver::on_timer(CURLM*, long after, void* me) {
  auto& self = *static_cast<CurlDriver*>(me);
  if (after < 0)
    self.due_.reset();
  else
    self.due_ = Steady::now() + std::chrono::milliseconds{after};
  return 0;
}

// ---- what happens ----

void CurlDriver::on_event(int fd, std::uint32_t events) {
  int what = 0;
  if ((events & EPOLLIN) != 0) what |= CURL_CSELECT_IN;
  if ((events & EPOLLOUT) != 0) what |= CURL_CSELECT_OUT;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) what |= CURL_CSELECT_ERR;
  act(fd, what);
}

void CurlDriver::on_time(Steady::time_point now) {
  if (!due_ || *due_ > now) return;
  due_.reset();
  act(CURL_SOCKET_TIMEOUT, 0);
}

void CurlDriver::act(curl_socket_t fd, int what) {
  int running = 0;
  curl_multi_socket_action(multi_.get(), fd, what, &running);
  settle();  // at once, so that the number of connections to keep is right when the next one is put away
}

void CurlDriver::settle() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;  // gone with the handle
    auto exchange = take_open(message->easy_handle);
    HttpAnswer answer = exchange->answer(code);
    end(std::move(exchange), std::move(answer));
  }
}

std::unique_ptr<CurlExchange> CurlDriver::take_open(CURL* easy) {
  curl_multi_remove_handle(multi_.get(), easy);
  const auto found = open_.find(easy);
  auto exchange = std::move(found->second);
  open_.erase(found);
  keep_connections();
  return exchange;
}

void CurlDriver::release_unbegun() {
  std::vector<CURL*> connecting;
  for (const auto& [easy, exchange] : open_)
    if (!exchange->has_begun()) connecting.push_back(easy);
  for (CURL* const easy : connecting)
    end(take_open(easy), http_fault(ExchangeFault::not_sent));
}

void CurlDriver::end(std::unique_ptr<CurlExchange> exchange, HttpAnswer answer) {
  HttpPendingPtr pending = exchange->finish();
  if (spares_.size() < kSparesMax) spares_.push_back(std::move(exchange));
  over_(std::move(pending), std::move(answer));
}

std::unique_ptr<CurlExchange> CurlDriver::take_spare() {
  if (spares_.empty()) return std::make_unique<CurlExchange>(options_);
  auto exchange = std::move(spares_.back());
  spares_.pop_back();
  return exchange;
}

}  // namespace eilbote
