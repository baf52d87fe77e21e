#include "channel/graph_desk.h"

#include <algorithm>

#include "base/assert.h"

namespace eilbote {
namespace {

// How long the thread waits when nothing wants to be done; a clock of a test may move meanwhile.
constexpr Duration kIdleWait = std::chrono::seconds{1};

}  // namespace

GraphDesk::GraphDesk(std::shared_ptr<GraphDoor> door, DraftBook& book, const Clock& clock,
                     const GraphOptions& options)
    : door_(std::move(door)),
      book_(book),
      clock_(clock),
      rate_(options.mailbox_per_minute),
      places_max_(options.mailbox_concurrency),
      service_("graph", [this](const std::stop_token& stop) { run(stop); }) {}

GraphDesk::~GraphDesk() {
  stop();
}

void GraphDesk::stop() {
  std::deque<Work> dropped;  // let go outside the lock: letters hang on it
  {
    const MutexLock lock(inbox_->mutex);
    inbox_->closed = true;
    dropped.swap(inbox_->work);
  }
  service_.stop();
}

void GraphDesk::post_to(Inbox& inbox, Work work) {
  {
    const MutexLock lock(inbox.mutex);
    if (inbox.closed) return;
    inbox.work.push_back(std::move(work));
  }
  inbox.wake.notify_one();
}

void GraphDesk::post(Work work) {
  post_to(*inbox_, std::move(work));
}

void GraphDesk::call(GraphCall call, std::function<void(GraphAnswer)> answered) {
  // The door may be used by others for longer than this desk lives. Then nobody is left who may be asked, or told.
  call.about_to_send = [inbox = inbox_, may_send = std::move(call.about_to_send)] {
    const MutexLock lock(inbox->mutex);
    return !inbox->closed && (!may_send || may_send());
  };
  door_->call(std::move(call), [inbox = inbox_, answered = std::move(answered)](GraphAnswer answer) {
    post_to(*inbox, [answered, answer = std::move(answer)]() mutable { answered(std::move(answer)); });
  });
}

void GraphDesk::find(JobId mail, std::function<void(Result<std::optional<OpenDraft>>)> found) {
  findings_.push_back({mail, std::move(found)});
}

void GraphDesk::note(DraftNote note, std::function<void(Result<bool>)> noted) {
  notings_.push_back({std::move(note), std::move(noted)});
}

void GraphDesk::after(Duration wait, Work work) {
  timers_.emplace(now() + wait, std::move(work));
}

void GraphDesk::take_place(const std::string& mailbox, Work go) {
  Places& places = places_[mailbox];
  if (places.taken >= places_max_) return places.line.push_back(std::move(go));
  ++places.taken;
  go();
}

void GraphDesk::give_place_back(const std::string& mailbox) {
  const auto found = places_.find(mailbox);
  Places& places = found->second;
  if (places.line.empty()) {
    if (--places.taken == 0) places_.erase(found);
    return;
  }
  // The place goes on to the next, in a turn of its own: this one may be called while notes are being told of.
  post(std::move(places.line.front()));
  places.line.pop_front();
}

std::deque<GraphDesk::Work> GraphDesk::take_work(const std::stop_token& stop) {
  Duration wait = kIdleWait;
  if (!timers_.empty())
    wait = std::clamp(std::chrono::ceil<Duration>(timers_.begin()->first - now()), Duration{0}, wait);
  std::deque<Work> work;
  Inbox& inbox = *inbox_;
  const MutexLock lock(inbox.mutex);
  inbox.wake.wait_for(inbox.mutex, stop, wait,
                      [&]() EILBOTE_REQUIRES(inbox.mutex) { return !inbox.work.empty(); });
  work.swap(inbox.work);
  return work;
}

void GraphDesk::ring_timers() {
  while (!timers_.empty() && timers_.begin()->first <= now()) {
    const Work work = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    work();
  }
}

void GraphDesk::find_all() {
  if (findings_.empty()) return;
  const std::vector<Finding> findings = std::exchange(findings_, {});
  std::vector<JobId> mails;
  for (const Finding& one : findings)
    mails.push_back(one.mail);
  const Result<DraftBook::Found> found = book_.find(mails);
  for (const Finding& one : findings) {
    if (!found) {
      one.found(fail(found.error()));
      continue;
    }
    const auto draft = std::find_if(found->drafts.begin(), found->drafts.end(),
                                    [&](const Draft& open) { return open.job == one.mail; });
    if (draft == found->drafts.end())
      one.found(std::optional<OpenDraft>{});
    else
      one.found(std::optional<OpenDraft>{{*draft, found->now - draft->noted_at}});
  }
}

void GraphDesk::note_all() {
  if (notings_.empty()) return;
  const std::vector<Noting> notings = std::exchange(notings_, {});
  std::vector<DraftNote> notes;
  for (const Noting& one : notings)
    notes.push_back(one.note);
  const Result<std::vector<bool>> noted = book_.note(notes);
  EILBOTE_ASSERT(!noted || noted->size() == notes.size());
  for (std::size_t i = 0; i < notings.size(); ++i) {
    if (noted)
      notings[i].noted(static_cast<bool>((*noted)[i]));
    else
      notings[i].noted(fail(noted.error()));
  }
}

void GraphDesk::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    for (const Work& work : take_work(stop))
      work();
    ring_timers();
    find_all();
    note_all();
  }
}

}  // namespace eilbote
