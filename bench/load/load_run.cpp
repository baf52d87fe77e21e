#include "load/load_run.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>
#include <vector>

#include "load/capture_watch.h"
#include "load/http_answer.h"
#include "load/request_text.h"

namespace eilbote::load {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}

[[noreturn]] void give_up(const std::string& doing) {
  throw std::system_error(errno, std::generic_category(), doing);
}

struct Connection {
  int fd = -1;
  bool waiting = false;  // for an answer
  std::int64_t due = 0;  // when the request under way was to be sent
  std::string in;
  std::string out;  // what the socket did not take yet
};

class Run {
 public:
  explicit Run(const LoadOptions& options)
      : options_(options), text_(options), connections_(static_cast<std::size_t>(options.connections)) {
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (epoll_ < 0 || timer_ < 0) give_up("epoll");
    watch(timer_, EPOLLIN, kTimer);
    if (!options.accepted_file.empty()) accepted_.open(options.accepted_file);
    if (!options.capture_folder.empty()) {
      captures_.emplace(options.capture_folder);
      watch(captures_->descriptor(), EPOLLIN, kCaptures);
    }
    for (std::size_t i = 0; i < connections_.size(); ++i)
      connect(i);
  }
  ~Run() {
    for (const Connection& one : connections_)
      if (one.fd >= 0) ::close(one.fd);
    ::close(timer_);
    ::close(epoll_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  LoadResult go();

 private:
  static constexpr std::uint64_t kTimer = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kCaptures = kTimer - 1;

  void watch(int fd, std::uint32_t events, std::uint64_t tag) {
    epoll_event event{.events = events, .data = {.u64 = tag}};
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) give_up("epoll_ctl");
  }
  void watch_again(int fd, std::uint32_t events, std::uint64_t tag) {
    epoll_event event{.events = events, .data = {.u64 = tag}};
    if (::epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event) != 0) give_up("epoll_ctl");
  }

  void connect(std::size_t i);
  void reconnect(std::size_t i);
  void send_due(std::int64_t now);
  void send(std::size_t i, std::int64_t due, std::int64_t now);
  void flush(std::size_t i);
  void read(std::size_t i);
  void answered(std::size_t i, const HttpAnswer& answer);
  void set_timer(std::int64_t now);
  bool all_sent(std::int64_t now) const;
  std::int64_t due_time(std::uint64_t k) const {
    return start_ + static_cast<std::int64_t>(static_cast<double>(k) * 1e9 / options_.rate);
  }
  void finish();

  const LoadOptions& options_;
  RequestTexts text_;
  std::vector<Connection> connections_;
  std::vector<std::size_t> idle_;
  std::optional<CaptureWatch> captures_;
  std::ofstream accepted_;
  LoadResult result_;
  int epoll_ = -1, timer_ = -1;
  std::int64_t start_ = 0, last_answer_ = 0, last_sent_ = 0;
  std::size_t waiting_ = 0;
};

void Run::connect(std::size_t i) {
  Connection& one = connections_[i];
  one.fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(options_.port);
  if (::inet_pton(AF_INET, options_.host.c_str(), &to.sin_addr) != 1) {
    errno = EINVAL;
    give_up("address " + options_.host);
  }
  if (one.fd < 0 || ::connect(one.fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    give_up(fmt::format("connecting to {}:{}", options_.host, options_.port));
  const int on = 1;
  ::setsockopt(one.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  watch(one.fd, EPOLLIN, i);
  idle_.push_back(i);
}

void Run::reconnect(std::size_t i) {
  Connection& one = connections_[i];
  if (one.waiting) {
    ++result_.errors["closed"];
    --waiting_;
  } else {
    std::erase(idle_, i);
  }
  ::close(one.fd);
  one = Connection{};
  connect(i);
}

bool Run::all_sent(std::int64_t now) const {
  if (options_.requests > 0) return result_.sent >= options_.requests;
  if (options_.rate > 0) return static_cast<double>(result_.sent) >= options_.rate * options_.seconds;
  return now - start_ >= static_cast<std::int64_t>(options_.seconds * 1e9);
}

void Run::send_due(std::int64_t now) {
  while (!idle_.empty() && !all_sent(now)) {
    const std::int64_t due = options_.rate > 0 ? due_time(result_.sent) : now;
    if (due > now) return;
    const std::size_t i = idle_.back();
    idle_.pop_back();
    send(i, due, now);
  }
}

void Run::send(std::size_t i, std::int64_t due, std::int64_t now) {
  Connection& one = connections_[i];
  one.waiting = true;
  one.due = due;
  one.out = text_.next(due);
  ++waiting_;
  ++result_.sent;
  last_sent_ = now;
  flush(i);
}

void Run::flush(std::size_t i) {
  Connection& one = connections_[i];
  const ssize_t n = ::send(one.fd, one.out.data(), one.out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0 && errno != EAGAIN) return reconnect(i);
  const bool was_partial = n < static_cast<ssize_t>(one.out.size());
  if (n > 0) one.out.erase(0, static_cast<std::size_t>(n));
  if (was_partial) watch_again(one.fd, EPOLLIN | EPOLLOUT, i);
}

void Run::read(std::size_t i) {
  Connection& one = connections_[i];
  std::array<char, 16 * 1024> buffer;
  const ssize_t n = ::recv(one.fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n < 0 && errno == EAGAIN) return;
  if (n <= 0) return reconnect(i);
  one.in.append(buffer.data(), static_cast<std::size_t>(n));
  const auto answer = parse_answer(one.in);
  if (!answer) return;
  answered(i, *answer);
  if (answer->close) return reconnect(i);
  one.in.clear();
}

void Run::answered(std::size_t i, const HttpAnswer& answer) {
  Connection& one = connections_[i];
  if (!one.waiting) return;
  one.waiting = false;
  --waiting_;
  idle_.push_back(i);
  last_answer_ = now_ns();
  if (answer.status < 200 || answer.status > 299) {
    ++result_.errors[std::to_string(answer.status)];
    return;
  }
  ++result_.accepted;
  result_.latency.add(last_answer_ - one.due);
  if (accepted_.is_open()) accepted_ << message_id(answer.body) << '\n' << std::flush;
  if (captures_) captures_->accepted(message_id(answer.body), one.due);
}

// Wakes the loop for the next request that is due, or for the end.
void Run::set_timer(std::int64_t now) {
  std::int64_t at = now + kSecond / 10;
  if (options_.rate > 0 && !idle_.empty() && !all_sent(now)) at = due_time(result_.sent);
  itimerspec spec{};
  spec.it_value.tv_sec = at / kSecond;
  spec.it_value.tv_nsec = at % kSecond;
  ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &spec, nullptr);
}

LoadResult Run::go() {
  start_ = last_sent_ = last_answer_ = now_ns();
  std::array<epoll_event, 256> events;
  while (true) {
    std::int64_t now = now_ns();
    send_due(now);
    const bool done = all_sent(now) && waiting_ == 0 && (!captures_ || captures_->missing() == 0);
    const bool late = all_sent(now) && now - last_sent_ > static_cast<std::int64_t>(options_.patience * 1e9);
    if (done || late) break;
    set_timer(now);
    const int n = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
    now = now_ns();
    for (int e = 0; e < n; ++e) {
      const auto& event = events[static_cast<std::size_t>(e)];
      if (event.data.u64 == kTimer) continue;  // it is set anew before the next wait
      if (event.data.u64 == kCaptures) {
        captures_->read(now);
        continue;
      }
      const std::size_t i = event.data.u64;
      if (event.events & EPOLLOUT) {
        watch_again(connections_[i].fd, EPOLLIN, i);
        flush(i);
      }
      if (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) read(i);
    }
  }
  finish();
  return std::move(result_);
}

void Run::finish() {
  result_.seconds = static_cast<double>(last_answer_ - start_) / 1e9;
  if (waiting_ > 0) result_.errors["unanswered"] += waiting_;
  if (!captures_) return;
  if (captures_->missing() > 0) result_.errors["not captured"] += captures_->missing();
  if (captures_->overflowed()) ++result_.errors["inotify overflow"];
  result_.captured = std::make_unique<Samples>(std::move(captures_->samples()));
}

}  // namespace

LoadResult run_load(const LoadOptions& options) {
  return Run(options).go();
}

}  // namespace eilbote::load
