// eilbote_curl_loop: POSTs the same kilobyte as often as it is told by libcurl alone (curl_multi_socket_action, epoll, connections that
// stay open) and prints what it took as one JSON object: as fast as libcurl can be driven, with no queue behind it. Called by
// bench/limits.py.
#include <curl/curl.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "load/cpu_time.h"

namespace eilbote::load {
namespace {

struct LoopOptions {
  std::string url, body;
  std::uint64_t requests = 0;
  int open = 64;
};

class CurlLoop {
 public:
  explicit CurlLoop(const LoopOptions& options)
      : options_(options),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
        multi_(::curl_multi_init()),
        headers_(
            ::curl_slist_append(::curl_slist_append(nullptr, "Content-Type: application/json"), "Expect:")) {
    if (epoll_ < 0 || timer_ < 0 || multi_ == nullptr) throw std::runtime_error("epoll or libcurl");
    watch(EPOLL_CTL_ADD, timer_, EPOLLIN);
    ::curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlLoop::on_socket);
    ::curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    ::curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlLoop::on_timer);
    ::curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    ::curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(options.open));
  }
  ~CurlLoop() {
    for (CURL* one : handles_) {
      ::curl_multi_remove_handle(multi_, one);
      ::curl_easy_cleanup(one);
    }
    ::curl_multi_cleanup(multi_);
    ::curl_slist_free_all(headers_);
    ::close(timer_);
    ::close(epoll_);
  }
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  void go() {
    for (int i = 0; i < options_.open && started_ < options_.requests; ++i)
      start(make_handle());
    std::array<epoll_event, 256> events;
    while (done_ < options_.requests) {
      const int n = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
      for (int e = 0; e < n; ++e)
        act(events[static_cast<std::size_t>(e)]);
      take_answers();
    }
  }
  std::uint64_t refused() const { return refused_; }

 private:
  void watch(int act, int fd, std::uint32_t events) {
    epoll_event event{.events = events, .data = {.fd = fd}};
    ::epoll_ctl(epoll_, act, fd, &event);
  }

  CURL* make_handle() {
    CURL* one = ::curl_easy_init();
    if (one == nullptr) throw std::runtime_error("curl_easy_init");
    handles_.push_back(one);
    ::curl_easy_setopt(one, CURLOPT_URL, options_.url.c_str());
    ::curl_easy_setopt(one, CURLOPT_POSTFIELDSIZE, static_cast<long>(options_.body.size()));
    ::curl_easy_setopt(one, CURLOPT_POSTFIELDS, options_.body.c_str());
    ::curl_easy_setopt(one, CURLOPT_HTTPHEADER, headers_);
    ::curl_easy_setopt(one, CURLOPT_NOSIGNAL, 1L);
    ::curl_easy_setopt(one, CURLOPT_PROXY, "");
    ::curl_easy_setopt(one, CURLOPT_WRITEFUNCTION, &CurlLoop::on_body);
    return one;
  }
  void start(CURL* one) {
    ++started_;
    ::curl_multi_add_handle(multi_, one);
  }

  void act(const epoll_event& event) {
    int running = 0;
    if (event.data.fd == timer_) {
      std::uint64_t times = 0;
      if (::read(timer_, &times, sizeof times) > 0)
        ::curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
      return;
    }
    const int what = ((event.events & EPOLLIN) ? CURL_CSELECT_IN : 0) |
                     ((event.events & EPOLLOUT) ? CURL_CSELECT_OUT : 0) |
                     ((event.events & (EPOLLERR | EPOLLHUP)) ? CURL_CSELECT_ERR : 0);
    ::curl_multi_socket_action(multi_, event.data.fd, what, &running);
  }

  void take_answers() {
    int left = 0;
    while (const CURLMsg* message = ::curl_multi_info_read(multi_, &left)) {
      CURL* one = message->easy_handle;
      long status = 0;
      ::curl_easy_getinfo(one, CURLINFO_RESPONSE_CODE, &status);
      if (message->data.result != CURLE_OK || status / 100 != 2) ++refused_;
      ++done_;
      ::curl_multi_remove_handle(multi_, one);
      if (started_ < options_.requests) start(one);
    }
  }

  static int on_socket(CURL*, curl_socket_t fd, int what, void* loop, void* known) {
    auto& self = *static_cast<CurlLoop*>(loop);
    if (what == CURL_POLL_REMOVE) {
      self.watch(EPOLL_CTL_DEL, fd, 0);
      return 0;
    }
    const std::uint32_t events =
        ((what & CURL_POLL_IN) ? EPOLLIN : 0u) | ((what & CURL_POLL_OUT) ? EPOLLOUT : 0u);
    self.watch(known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, events);
    ::curl_multi_assign(self.multi_, fd, loop);  // anything but null: it is watched
    return 0;
  }
  static int on_timer(CURLM*, long millis, void* loop) {
    itimerspec spec{};  // all zero: off, as for -1
    if (millis >= 0) {
      spec.it_value.tv_sec = millis / 1000;
      spec.it_value.tv_nsec = millis == 0 ? 1 : millis % 1000 * 1'000'000;
    }
    ::timerfd_settime(static_cast<CurlLoop*>(loop)->timer_, 0, &spec, nullptr);
    return 0;
  }
  static std::size_t on_body(char*, std::size_t size, std::size_t count, void*) { return size * count; }

  const LoopOptions& options_;
  int epoll_, timer_;
  CURLM* multi_;
  curl_slist* headers_;
  std::vector<CURL*> handles_;
  std::uint64_t started_ = 0, done_ = 0, refused_ = 0;
};

}  // namespace
}  // namespace eilbote::load

int main(int argc, char** argv) {
  using namespace eilbote::load;
  LoopOptions options;
  std::size_t body_bytes = 1024;
  CLI::App app{"POSTs a kilobyte many times by libcurl alone and prints what it took as JSON."};
  app.add_option("--url", options.url, "where to")->required();
  app.add_option("--requests", options.requests, "how often")->required();
  app.add_option("--open", options.open, "requests at once, a connection each")->check(CLI::Range(1, 10000));
  app.add_option("--body-bytes", body_bytes, "length of what is sent");
  CLI11_PARSE(app, argc, argv);
  options.body.assign(body_bytes, 'x');
  ::curl_global_init(CURL_GLOBAL_DEFAULT);
  try {
    CurlLoop loop(options);
    const auto began = std::chrono::steady_clock::now();
    loop.go();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    fmt::print(R"({{"seconds":{:.4f},"cpuSeconds":{:.4f},"refused":{}}})"
               "\n",
               took.count(), cpu_seconds(), loop.refused());
    return loop.refused() == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "eilbote_curl_loop: {}\n", e.what());
    return 1;
  }
}
