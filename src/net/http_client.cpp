#include "net/http_client.h"

#include <curl/curl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/ascii.h"
#include "base/mutex.h"
#include "base/service.h"
#include "net/curl_driver.h"
#include "net/name_pool.h"
#include "net/plain_driver.h"

namespace eilbote {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kEventsAtOnce = 256;

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

// Empty: it is none.
Addresses address_of(std::string_view host) {
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  boost::system::error_code is_none;
  const auto address = boost::asio::ip::make_address(host, is_none);
  return is_none ? Addresses{} : Addresses{address};
}

struct FoundName {
  std::string host;
  tl::expected<Addresses, LookupFault> found;
};

class TwoWayClient final : public HttpClient {
 public:
  explicit TwoWayClient(HttpClientOptions options)
      : options_(std::move(options)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        curl_(epoll_.get(), options_,
              [this](HttpPendingPtr call, HttpAnswer&& answer) { end(*call, std::move(answer)); }),
        plain_(epoll_.get(), options_,
               [this](HttpPendingPtr call, HttpAnswer&& answer) { end(*call, std::move(answer)); }),
        service_("http-out", [this](std::stop_token stop) { run(stop); }) {}

  Result<void> start() {
    epoll_event on_wake{};
    on_wake.events = EPOLLIN;
    on_wake.data.u64 = CurlDriver::socket_tag(wake_.get());
    if (epoll_.get() < 0 || wake_.get() < 0 || !curl_.start() ||
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &on_wake) != 0)
      return fail(ErrorKind::internal, "the HTTP client cannot be set up: out of file descriptors or memory");
    names_.emplace(options_.lookup, NamePoolOptions{},
                   [this](const std::string& host, const tl::expected<Addresses, LookupFault>& found) {
                     const MutexLock lock(mutex_);
                     found_.push_back({host, found});
                     wake_up();
                   });
    service_.start();
    return {};
  }

  void send(HttpCall call, Done done) override {
    auto pending = std::make_unique<HttpPending>();
    pending->call = std::move(call);
    pending->done = std::move(done);
    const MutexLock lock(mutex_);
    if (calls_ >= options_.calls_max) {
      errands_.emplace_back([done = std::move(pending->done)] { done(http_fault(ExchangeFault::busy)); });
      return wake_up();
    }
    ++calls_;
    inbox_.push_back(std::move(pending));
    if (inbox_.size() == 1) wake_up();
  }

  void later(std::function<void()> errand) override {
    const MutexLock lock(mutex_);
    errands_.push_back(std::move(errand));
    wake_up();
  }

  void release_waiting() override {
    const MutexLock lock(mutex_);
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
      const auto now = Steady::now();
      expire_waiting(now);
      plain_.on_time(now);
      curl_.on_time(now);
      plain_.bury();
    }
  }

  int milliseconds_to_wait() const {
    std::optional<Steady::time_point> due;
    const auto earlier = [&](std::optional<Steady::time_point> at) {
      if (at && (!due || *at < *due)) due = at;
    };
    earlier(curl_.next_due());
    earlier(plain_.next_due());
    if (!deadlines_.empty()) earlier(deadlines_.begin()->first);
    if (!due) return -1;
    const auto left = std::chrono::ceil<milliseconds>(*due - Steady::now()).count();
    return static_cast<int>(std::clamp<long>(left, 0, 60'000));
  }

  void on_event(const epoll_event& event) {
    const std::uint64_t tag = event.data.u64;
    if (tag == CurlDriver::socket_tag(wake_.get())) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto read = ::read(wake_.get(), &count, sizeof count);
    } else if ((tag & 1) != 0) {
      curl_.on_event(static_cast<int>(tag >> 1), event.events);
    } else {
      plain_.on_event(event.data.ptr, event.events);
    }
  }

  // ---- what comes in ----

  void open_inbox() {
    std::vector<HttpPendingPtr> calls;
    std::vector<FoundName> names;
    std::vector<std::function<void()>> errands;
    bool must_release = false;
    {
      const MutexLock lock(mutex_);
      calls.swap(inbox_);
      names.swap(found_);
      errands.swap(errands_);
      must_release = std::exchange(must_release_, false);
    }
    for (const auto& errand : errands)
      errand();
    for (const FoundName& name : names)
      on_name(name);
    if (must_release) {
      for (const HttpPendingPtr& one : calls)
        end(*one, http_fault(ExchangeFault::not_sent));
      return release_unbegun();
    }
    for (HttpPendingPtr& one : calls)
      begin(std::move(one));
  }

  void begin(HttpPendingPtr pending) {
    pending->deadline = Steady::now() + pending->call.timeout;
    const std::string& host = pending->call.host;
    if (pending->call.host_is_address) {
      const Addresses address = address_of(host);
      return open(std::move(pending), address);
    }
    if (const auto addresses = names_->fresh(host)) return open(std::move(pending), *addresses);
    if (!names_->begin(host)) return end(*pending, http_fault(ExchangeFault::busy, "too many names wait"));
    deadlines_.emplace(pending->deadline, pending.get());
    waiting_[host].push_back(std::move(pending));
  }

  void on_name(const FoundName& name) {
    const auto found = waiting_.find(name.host);
    if (found == waiting_.end()) return;
    auto all = std::move(found->second);
    waiting_.erase(found);
    for (auto& pending : all) {
      forget_deadline(*pending);
      if (name.found)
        open(std::move(pending), *name.found);
      else
        end(*pending, http_fault(ExchangeFault::dns, name.found.error().text));
    }
  }

  void forget_deadline(const HttpPending& pending) {
    const auto [first, last] = deadlines_.equal_range(pending.deadline);
    for (auto at = first; at != last; ++at)
      if (at->second == &pending) {
        deadlines_.erase(at);
        return;
      }
  }

  // A name that does not come holds a call no longer than its own deadline.
  void expire_waiting(Steady::time_point now) {
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
      const HttpPending* const late = deadlines_.begin()->second;
      deadlines_.erase(deadlines_.begin());
      end(*take_waiting(*late), http_fault(ExchangeFault::timeout, "the name was not found in time"));
    }
  }
  HttpPendingPtr take_waiting(const HttpPending& which) {
    const auto found = waiting_.find(which.call.host);
    auto& list = found->second;
    const auto at =
        std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.get() == &which; });
    auto pending = std::move(*at);
    list.erase(at);
    if (list.empty()) waiting_.erase(found);
    return pending;
  }

  // ---- on the way ----

  void open(HttpPendingPtr pending, const Addresses& addresses) {
    const HttpCall& call = pending->call;
    if (const auto rule = forbidden_by(options_.forbids, call.host, addresses, call.port))
      return end(*pending, refused_by(*rule));
    if (addresses.empty()) return end(*pending, http_fault(ExchangeFault::dns, "this is not an address"));
    if (options_.plain_by_curl || !call.url.starts_with("http://"))
      curl_.open(std::move(pending), addresses);
    else
      plain_.open(std::move(pending), addresses);
  }

  void release_unbegun() {
    auto waiting = std::move(waiting_);
    waiting_.clear();
    deadlines_.clear();
    for (const auto& [host, list] : waiting)
      for (const auto& pending : list)
        end(*pending, http_fault(ExchangeFault::not_sent));
    curl_.release_unbegun();
    plain_.release_unbegun();
  }

  void end(const HttpPending& pending, HttpAnswer&& answer) {
    --calls_;
    pending.done(std::move(answer));
  }

  const HttpClientOptions options_;
  const Descriptor epoll_, wake_;

  Mutex mutex_;
  // What others hand in; everything below is the client's thread's.
  std::vector<HttpPendingPtr> inbox_ EILBOTE_GUARDED_BY(mutex_);
  std::vector<std::function<void()>> errands_ EILBOTE_GUARDED_BY(mutex_);
  std::vector<FoundName> found_ EILBOTE_GUARDED_BY(mutex_);
  bool must_release_ EILBOTE_GUARDED_BY(mutex_) = false;

  std::atomic<std::size_t> calls_ = 0;                                    // handed in and not answered
  std::unordered_map<std::string, std::vector<HttpPendingPtr>> waiting_;  // by name
  std::multimap<Steady::time_point, const HttpPending*> deadlines_;       // of those that wait
  CurlDriver curl_;
  PlainDriver plain_;
  std::optional<NamePool> names_;
  Service service_;  // last: it ends before what its thread uses
};

}  // namespace

std::string_view HttpAnswer::header(std::string_view name) const {
  std::string_view rest = header_lines;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && same_but_for_case(line.substr(0, colon), name))
      return trimmed(line.substr(colon + 1));
  }
  return {};
}

Result<std::unique_ptr<HttpClient>> make_http_client(HttpClientOptions options) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) return fail(ErrorKind::internal, "libcurl cannot be set up");
  if (!options.ca_file.empty() && ::access(options.ca_file.c_str(), R_OK) != 0)
    return fail(ErrorKind::invalid, fmt::format("certificates {}: cannot be read", options.ca_file));
  auto client = std::make_unique<TwoWayClient>(std::move(options));
  if (auto started = client->start(); !started) return fail(started.error());
  return client;
}

}  // namespace eilbote
