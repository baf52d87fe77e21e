#include "transport/rabbitmq_line.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace eilbote {
namespace {

constexpr std::chrono::milliseconds kLineIdle{5000};  // a heartbeat goes out every ten seconds, or more often
constexpr std::chrono::milliseconds kStopPatience{1000}, kLeavePatience{500};
constexpr std::chrono::seconds kGoodLife{
    5};  // a connection that lasted for this long is no reason to hold back

int poll_millis(std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp(left, std::chrono::milliseconds{0}, kLineIdle).count());
}

}  // namespace

RabbitLine::RabbitLine(RabbitEndpoint endpoint, std::string purpose, LinkWatch& watch, Metrics& metrics)
    : endpoint_(std::move(endpoint)),
      purpose_(std::move(purpose)),
      watch_(watch),
      metrics_(metrics),
      dial_(bell_, [this] {
        uses_->disturbed();
        return is_stopping();
      }) {}

RabbitLine::Steady RabbitLine::stop_due() const {
  return std::chrono::steady_clock::now() + (is_prepared_ ? kStopPatience : std::chrono::milliseconds{0});
}

void RabbitLine::run(const std::stop_token& stop, const Uses& uses) {
  stop_ = stop;
  uses_ = &uses;
  const std::stop_callback hurry(stop, [this] {
    watch_.watch(link_, stop_due());
    bell_.ring();
  });
  while (!is_stopping()) {
    Result<void> over = connect(uses);
    const Steady begun = std::chrono::steady_clock::now();
    if (over) over = uses.serve();
    if (is_stopping()) break;
    if (over) over = fail(ErrorKind::internal, "given up");
    failed_last_ = true;
    is_prepared_ = false;
    cut_at(std::nullopt);
    connection_.reset();
    metrics_.add(Metric::broker_reconnects);
    log::warning(
        "broker: no connection",
        {{"purpose", purpose_}, {"broker", endpoint_.url.shown()}, {"reason", over.error().message}});
    uses.lost(over.error().message);
    if (std::chrono::steady_clock::now() - begun > kGoodLife) backoff_.reset();
    pause(uses);
  }
  if (connection_) connection_->close(kLeavePatience);
  connection_.reset();
  watch_.forget(link_);
}

Result<void> RabbitLine::connect(const Uses& uses) {
  link_.mend();
  if (is_stopping()) return fail(ErrorKind::unavailable, "stopping");
  auto opened = RabbitConnection::open(endpoint_, dial_, link_, failed_last_);
  uses.disturbed();
  if (!opened) return fail(opened.error());
  connection_ = std::move(*opened);
  if (auto prepared = uses.prepare(); !prepared) return prepared;
  failed_last_ = false;
  is_prepared_ = true;
  log::info("broker: connected", {{"purpose", purpose_}, {"broker", endpoint_.url.shown()}});
  return {};
}

void RabbitLine::pause(const Uses& uses) {
  const Steady until = std::chrono::steady_clock::now() +
                       std::max(backoff_.next(random_), std::exchange(rest_, std::chrono::milliseconds{0}));
  while (!is_stopping() && std::chrono::steady_clock::now() < until) {
    pollfd ring{bell_.fd(), POLLIN, 0};
    ::poll(&ring, 1, poll_millis(until));
    if (ring.revents == 0) continue;
    bell_.silence();
    uses.disturbed();
  }
}

void RabbitLine::cut_at(std::optional<Steady> due) {
  if (due)
    watch_.watch(link_, *due);
  else
    watch_.forget(link_);
  // That may have undone what the stop set meanwhile.
  if (is_stopping()) watch_.watch(link_, stop_due());
}

void RabbitLine::wait(Steady until) {
  pollfd waits[2] = {{bell_.fd(), POLLIN, 0}, {connection_->fd(), POLLIN, 0}};
  ::poll(waits, 2, poll_millis(until));
  if (waits[0].revents != 0) bell_.silence();
}

}  // namespace eilbote
