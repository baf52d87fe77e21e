#include "support/hook_receiver.h"

#include <algorithm>
#include <atomic>

namespace eilbote::test {
namespace {

std::string header(const HttpSeen& request, const std::string& name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? "" : found->second;
}

int number(const std::string& text) {
  return text.empty() ? 0 : std::stoi(text);
}

}  // namespace

std::int64_t next_delivery() {
  static std::atomic<std::int64_t> last = 0;
  return ++last;
}

HookReceiver::HookReceiver(History& history, std::chrono::milliseconds pause, std::string by)
    : history_(history),
      pause_(pause),
      by_(std::move(by)),
      endpoint_({.decide = [this](const HttpSeen& request) { return begin(request); },
                 .over = [this](const HttpSeen& request) { end(request); },
                 .keeps_requests = false}) {}

HttpScene HookReceiver::begin(const HttpSeen& request) {
  const std::string id = header(request, "webhook-id");
  HistoryEvent event{.kind = HistoryKind::begun,
                     .name = header(request, "x-name"),
                     .id = id,
                     .wire_id = id,
                     .group = header(request, "x-group"),
                     .place = number(header(request, "x-place")),
                     .by = by_,
                     .mode = header(request, "x-mode") == "block" ? "BLOCK_ON_ERROR" : "",
                     .pool = header(request, "x-pool")};
  const std::lock_guard lock(mutex_);
  const int before = deliveries_[id]++;
  const int answer = !header(request, "x-refuse").empty()          ? 400
                     : before < number(header(request, "x-fail"))  ? 500
                     : before < number(header(request, "x-defer")) ? 429
                                                                   : 200;
  ++all_;
  event.delivery = next_delivery();
  under_way_[request.connection] = {event.delivery, answer};
  most_ = std::max(most_, static_cast<int>(under_way_.size()));
  history_.add(std::move(event));
  const std::string when = answer == 429 ? "Retry-After: 1\r\n" : "";
  return {.answer = http_answer(answer, "seen", when), .before_answer = pause_};
}

void HookReceiver::end(const HttpSeen& request) {
  const std::lock_guard lock(mutex_);
  const auto found = under_way_.find(request.connection);
  if (found == under_way_.end()) return;
  history_.add(
      {.kind = HistoryKind::ended, .delivery = found->second.delivery, .answer = found->second.answer});
  under_way_.erase(found);
}

int HookReceiver::deliveries(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = deliveries_.find(id);
  return found == deliveries_.end() ? 0 : found->second;
}

int HookReceiver::deliveries() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

int HookReceiver::most_at_once() const {
  const std::lock_guard lock(mutex_);
  return most_;
}

std::string receiver_headers(const std::map<std::string, std::string>& headers) {
  std::string members;
  for (const auto& [name, value] : headers)
    members += (members.empty() ? "\"" : ",\"") + name + R"(":")" + value + "\"";
  return R"(,"headers":{)" + members + "}";
}

}  // namespace eilbote::test
