#include "net/http_client.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/service.h"
#include "net/curl_exchange.h"
#include "net/name_pool.h"

namespace eilbote {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kSparesMax = 1024;
constexpr int kEventsAtOnce = 256;

struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

struct Waiting {
  HttpCall call;
  HttpClient::Done done;
};
struct FoundName {
  std::string host;
  tl::expected<Addresses, LookupFault> found;
};

HttpAnswer only(ExchangeFault fault, std::string detail = {}) {
  HttpAnswer answer;
  answer.fault = fault;
  answer.detail = std::move(detail);
  return answer;
}

class CurlClient final : public HttpClient {
 public:
  explicit CurlClient(HttpClientOptions options)
      : options_(std::move(options)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        multi_(curl_multi_init()),
        service_("http-out", [this](std::stop_token stop) { run(stop); }) {}

  Result<void> start() {
    epoll_event on_wake{};
    on_wake.events = EPOLLIN;
    on_wake.data.fd = wake_.get();
    if (!multi_ || epoll_.get() < 0 || wake_.get() < 0 ||
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &on_wake) != 0)
      return fail(ErrorKind::internal, "the HTTP client cannot be set up: out of file descriptors or memory");
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &CurlClient::on_socket);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &CurlClient::on_timer);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
    names_.emplace(options_.lookup, NamePoolOptions{},
                   [this](const std::string& host, const tl::expected<Addresses, LookupFault>& found) {
                     const std::lock_guard lock(mutex_);
                     found_.push_back({host, found});
                     wake_up();
                   });
    service_.start();
    return {};
  }

  void send(HttpCall call, Done done) override {
    const std::lock_guard lock(mutex_);
    if (calls_ >= options_.calls_max) {
      errands_.emplace_back([done = std::move(done)] { done(only(ExchangeFault::busy)); });
      return wake_up();
    }
    ++calls_;
    inbox_.push_back({std::move(call), std::move(done)});
    if (inbox_.size() == 1) wake_up();
  }

  void later(std::function<void()> errand) override {
    const std::lock_guard lock(mutex_);
    errands_.push_back(std::move(errand));
    wake_up();
  }

  void release_waiting() override {
    const std::lock_guard lock(mutex_);
    must_release_ = true;
    wake_up();
  }

 private:
  // ---- the loop ----

  void wake_up() {
    const std::uint64_t one = 1;
    // Full only after 2^64 - 2 of them: it cannot fail in a way that matters.
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
  }

  void run(const std::stop_token& stop) {
    // OpenSSL writes without asking for an error instead of a signal.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    const std::stop_callback on_stop(stop, [this] { wake_up(); });
    epoll_event events[kEventsAtOnce];
    while (!stop.stop_requested()) {
      const int count = ::epoll_wait(epoll_.get(), events, kEventsAtOnce, milliseconds_to_wait());
      for (int i = 0; i < count; ++i)
        on_event(events[i]);
      open_inbox();
      expire_waiting();
      if (curl_due_ && *curl_due_ <= Steady::now()) {
        curl_due_.reset();
        act(CURL_SOCKET_TIMEOUT, 0);
      }
    }
    for (const auto& [easy, exchange] : open_)
      curl_multi_remove_handle(multi_.get(), easy);
  }

  int milliseconds_to_wait() const {
    auto due = curl_due_;
    if (!deadlines_.empty() && (!due || deadlines_.begin()->first < *due)) due = deadlines_.begin()->first;
    if (!due) return -1;
    const auto left = std::chrono::ceil<milliseconds>(*due - Steady::now()).count();
    return static_cast<int>(std::clamp<long>(left, 0, 60'000));
  }

  void on_event(const epoll_event& event) {
    if (event.data.fd == wake_.get()) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto read = ::read(wake_.get(), &count, sizeof count);
      return;
    }
    int what = 0;
    if ((event.events & EPOLLIN) != 0) what |= CURL_CSELECT_IN;
    if ((event.events & EPOLLOUT) != 0) what |= CURL_CSELECT_OUT;
    if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) what |= CURL_CSELECT_ERR;
    act(event.data.fd, what);
  }

  void act(curl_socket_t fd, int what) {
    int running = 0;
    curl_multi_socket_action(multi_.get(), fd, what, &running);
    settle();  // at once, so that the number of connections to keep is right when the next one is put away
  }

  static int on_socket(CURL*, curl_socket_t fd, int what, void* me, void* is_known) {
    static_cast<CurlClient*>(me)->watch(fd, what, is_known != nullptr);
    return 0;
  }
  void watch(curl_socket_t fd, int what, bool is_known) {
    if (what == CURL_POLL_REMOVE) {
      // May be closed already, and then the kernel has forgotten it by itself.
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
      return;
    }
    epoll_event event{};
    event.data.fd = fd;
    if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
    if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
    if (::epoll_ctl(epoll_.get(), is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0)
      ::epoll_ctl(epoll_.get(), is_known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
    if (!is_known) curl_multi_assign(multi_.get(), fd, this);
  }

  static int on_timer(CURLM*, long after, void* me) {
    auto& self = *static_cast<CurlClient*>(me);
    if (after < 0)
      self.curl_due_.reset();
    else
      self.curl_due_ = Steady::now() + milliseconds{after};
    return 0;
  }

  // ---- what comes in ----

  void open_inbox() {
    std::vector<Waiting> calls;
    std::vector<FoundName> names;
    std::vector<std::function<void()>> errands;
    bool must_release = false;
    {
      const std::lock_guard lock(mutex_);
      calls.swap(inbox_);
      names.swap(found_);
      errands.swap(errands_);
      must_release = std::exchange(must_release_, false);
    }
    for (const auto& errand : errands)
      errand();
    for (FoundName& name : names)
      on_name(name);
    if (must_release) {
      for (Waiting& one : calls)
        give_back(std::move(one.done), only(ExchangeFault::not_sent));
      return release_unbegun();
    }
    for (Waiting& one : calls)
      begin(std::move(one));
  }

  void begin(Waiting waiting) {
    auto exchange = take_spare();
    if (!exchange->is_usable())
      return give_back(std::move(waiting.done), only(ExchangeFault::busy, "out of memory"));
    exchange->take(std::move(waiting.call), std::move(waiting.done));
    if (exchange->call().host_is_address) return open(std::move(exchange), {});
    const std::string host = exchange->call().host;
    if (const auto addresses = names_->fresh(host)) return open(std::move(exchange), *addresses);
    if (!names_->begin(host))
      return end(std::move(exchange), only(ExchangeFault::busy, "too many names wait"));
    deadlines_.emplace(exchange->deadline(), exchange.get());
    waiting_[host].push_back(std::move(exchange));
  }

  void on_name(const FoundName& name) {
    const auto found = waiting_.find(name.host);
    if (found == waiting_.end()) return;
    auto all = std::move(found->second);
    waiting_.erase(found);
    for (auto& exchange : all) {
      forget_deadline(*exchange);
      if (name.found)
        open(std::move(exchange), *name.found);
      else
        end(std::move(exchange), only(ExchangeFault::dns, name.found.error().text));
    }
  }

  void forget_deadline(const CurlExchange& exchange) {
    const auto [first, last] = deadlines_.equal_range(exchange.deadline());
    for (auto at = first; at != last; ++at)
      if (at->second == &exchange) {
        deadlines_.erase(at);
        return;
      }
  }

  // A name that does not come holds a call no longer than its own deadline.
  void expire_waiting() {
    const auto now = Steady::now();
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
      const CurlExchange* const late = deadlines_.begin()->second;
      deadlines_.erase(deadlines_.begin());
      end(take_waiting(*late), only(ExchangeFault::timeout, "the name was not found in time"));
    }
  }
  std::unique_ptr<CurlExchange> take_waiting(const CurlExchange& which) {
    const auto found = waiting_.find(which.call().host);
    auto& list = found->second;
    const auto at =
        std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.get() == &which; });
    auto exchange = std::move(*at);
    list.erase(at);
    if (list.empty()) waiting_.erase(found);
    return exchange;
  }

  // ---- on the way ----

  void open(std::unique_ptr<CurlExchange> exchange, const Addresses& addresses) {
    const HttpCall& call = exchange->call();
    if (const auto rule = forbidden_by(options_.forbids, call.host, addresses, call.port))
      return end(std::move(exchange),
                 only(ExchangeFault::refused, "it leads to " + std::string(outbound_rule_text(*rule))));
    exchange->aim(addresses, Steady::now());
    CURL* const easy = exchange->easy();
    if (curl_multi_add_handle(multi_.get(), easy) != CURLM_OK)
      return end(std::move(exchange), only(ExchangeFault::busy, "out of memory"));
    open_.emplace(easy, std::move(exchange));
    keep_connections();
  }

  // The library counts the connections in use among those it keeps: with a fixed number, many slow requests would cost the
  // fast ones theirs.
  void keep_connections() {
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS,
                      static_cast<long>(open_.size() + options_.idle_connections_max));
  }

  void settle() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;  // gone with the handle
      auto exchange = take_open(message->easy_handle);
      HttpAnswer answer = exchange->answer(code);
      end(std::move(exchange), std::move(answer));
    }
  }
  std::unique_ptr<CurlExchange> take_open(CURL* easy) {
    curl_multi_remove_handle(multi_.get(), easy);
    const auto found = open_.find(easy);
    auto exchange = std::move(found->second);
    open_.erase(found);
    keep_connections();
    return exchange;
  }

  void release_unbegun() {
    auto waiting = std::move(waiting_);
    waiting_.clear();
    deadlines_.clear();
    for (auto& [host, list] : waiting)
      for (auto& exchange : list)
        end(std::move(exchange), only(ExchangeFault::not_sent));
    std::vector<CURL*> connecting;
    for (const auto& [easy, exchange] : open_)
      if (!exchange->has_begun()) connecting.push_back(easy);
    for (CURL* const easy : connecting)
      end(take_open(easy), only(ExchangeFault::not_sent));
  }

  void end(std::unique_ptr<CurlExchange> exchange, HttpAnswer answer) {
    Done done = exchange->finish();
    if (spares_.size() < kSparesMax) spares_.push_back(std::move(exchange));
    give_back(std::move(done), std::move(answer));
  }
  void give_back(Done done, HttpAnswer answer) {
    {
      const std::lock_guard lock(mutex_);
      --calls_;
    }
    done(std::move(answer));
  }
  std::unique_ptr<CurlExchange> take_spare() {
    if (spares_.empty()) return std::make_unique<CurlExchange>(options_);
    auto exchange = std::move(spares_.back());
    spares_.pop_back();
    return exchange;
  }

  const HttpClientOptions options_;
  const Descriptor epoll_, wake_;

  std::mutex mutex_;  // of what others hand in; everything below is the client's thread's
  std::vector<Waiting> inbox_;
  std::vector<std::function<void()>> errands_;
  std::vector<FoundName> found_;
  std::size_t calls_ = 0;
  bool must_release_ = false;

  const std::unique_ptr<CURLM, FreeMulti> multi_;
  std::optional<Steady::time_point> curl_due_;
  std::unordered_map<std::string, std::vector<std::unique_ptr<CurlExchange>>> waiting_;  // by name
  std::multimap<Steady::time_point, const CurlExchange*> deadlines_;                     // of those that wait
  std::vector<std::unique_ptr<CurlExchange>> spares_;
  std::unordered_map<CURL*, std::unique_ptr<CurlExchange>> open_;
  std::optional<NamePool> names_;
  Service service_;  // last: it ends before what its thread uses
};

}  // namespace

Result<std::unique_ptr<HttpClient>> make_http_client(HttpClientOptions options) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) return fail(ErrorKind::internal, "libcurl cannot be set up");
  if (!options.ca_file.empty() && ::access(options.ca_file.c_str(), R_OK) != 0)
    return fail(ErrorKind::invalid, fmt::format("certificates {}: cannot be read", options.ca_file));
  auto client = std::make_unique<CurlClient>(std::move(options));
  if (auto started = client->start(); !started) return fail(started.error());
  return client;
}

}  // namespace eilbote
