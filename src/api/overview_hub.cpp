#include "api/overview_hub.h"

#include <algorithm>

#include "api/overview_json.h"
#include "base/log.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;

constexpr Duration kTick = 1s;
// For those who watch, while there is nothing to show: a line that is no event, so that they and what lies between see life.
const auto kNoNews = std::make_shared<const std::string>(": the overview cannot be made at the moment\n\n");

}  // namespace

std::string overview_event(std::string_view json) {
  std::string event = "event: overview\ndata: ";
  event.append(json).append("\n\n");
  return event;
}

OverviewHub::OverviewHub(OverviewDesk& desk, const Clock& clock)
    : desk_(desk),
      clock_(clock),
      seats_(std::make_shared<std::atomic<int>>(0)),
      service_("overview", [this](std::stop_token stop) { run(stop); }) {}

OverviewHub::~OverviewHub() {
  stop();
}

bool OverviewHub::ask(std::function<void(const Result<Text>&)> done) {
  {
    const MutexLock lock(mutex_);
    if (askers_.size() >= kAskersMax) return false;
    askers_.push_back(std::move(done));
  }
  wake_.notify_one();
  return true;
}

OverviewHub::Seat OverviewHub::take_seat() {
  if (seats_->fetch_add(1) >= kStreamsMax) {
    seats_->fetch_sub(1);
    return nullptr;
  }
  return {seats_.get(), [seats = seats_](void*) { seats->fetch_sub(1); }};
}

void OverviewHub::join(std::shared_ptr<HttpStream> stream, Seat seat) {
  const MutexLock lock(mutex_);
  watchers_.push_back({std::move(stream), std::move(seat), clock_.steady_now() + kStreamLife});
}

void OverviewHub::run(const std::stop_token& stop) {
  Steady tick_at = clock_.steady_now() + kTick;
  while (!stop.stop_requested()) {
    Askers askers;
    {
      const MutexLock lock(mutex_);
      wake_.wait_until(mutex_, stop, tick_at, [this]() EILBOTE_REQUIRES(mutex_) { return !askers_.empty(); });
      askers.swap(askers_);
    }
    if (stop.stop_requested()) return;
    if (!askers.empty()) answer(askers);
    const Steady now = clock_.steady_now();
    if (now < tick_at) continue;
    tick_at = std::max(tick_at + kTick, now);
    desk_.sample();
    tell_watchers();
  }
}

void OverviewHub::answer(const Askers& askers) {
  Result<Text> text = whole_;
  if (!whole_ || clock_.steady_now() - whole_at_ > kShareFor) {
    const Steady at = clock_.steady_now();
    text = picture(true);
    if (text) {
      whole_ = *text;
      whole_at_ = at;
    }
  }
  for (const auto& asker : askers)
    asker(text);
}

void OverviewHub::tell_watchers() {
  const Steady now = clock_.steady_now();
  std::vector<std::shared_ptr<HttpStream>> listening, over;
  {
    const MutexLock lock(mutex_);
    std::erase_if(watchers_, [](const Watcher& watcher) { return !watcher.stream->is_open(); });
    for (const Watcher& watcher : watchers_)
      (now < watcher.until ? listening : over).push_back(watcher.stream);
  }
  for (const auto& stream : over)
    stream->end();
  if (listening.empty()) return whole_.reset();
  const auto text = picture(false);
  const Text event = text ? std::make_shared<const std::string>(overview_event(**text)) : kNoNews;
  for (const auto& stream : listening)
    stream->send(event);
}

Result<OverviewHub::Text> OverviewHub::picture(bool whole) {
  auto seen = desk_.look(whole);
  if (!seen) {
    log::warning("the overview could not be made", {{"error", seen.error().message}});
    return fail(seen.error());
  }
  return std::make_shared<const std::string>(overview_json(*seen, whole));
}

}  // namespace eilbote
