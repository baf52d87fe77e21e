// The overview for those who watch: one thread, `overview`, looks once a second while somebody does, writes the picture down once,
// and hands the same text to all of them. Made by the composition root; used by the handlers of /overview (overview.cpp).
//
// Promises: at most kStreamsMax streams, each of kStreamLife at most; a picture that is asked for is at most kShareFor old, so many
// who ask at once cost one look. Nobody watches: nothing is asked of the database.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/service.h"
#include "engine/overview_desk.h"
#include "ports/http.h"

namespace eilbote {

class OverviewHub {
 public:
  static constexpr int kStreamsMax = 64;
  static constexpr std::size_t kAskersMax = 256;
  static constexpr Duration kStreamLife = std::chrono::minutes{5};
  static constexpr Duration kShareFor = std::chrono::milliseconds{250};

  // `desk` and `clock` outlive it; `desk` is used by nobody else.
  OverviewHub(OverviewDesk& desk, const Clock& clock);
  ~OverviewHub();

  void start() { service_.start(); }
  void stop() { service_.stop(); }

  // A whole picture, as JSON; `done` is called from the hub's thread, and not at all once it has stopped. False: too many wait.
  using Text = std::shared_ptr<const std::string>;  // shared by all who get it
  [[nodiscard]] bool ask(std::function<void(const Result<Text>&)> done);

  // A seat for one stream, free again when the last copy is gone; null: all are taken.
  using Seat = std::shared_ptr<void>;
  Seat take_seat();
  // From now on an event a second.
  void join(std::shared_ptr<HttpStream> stream, Seat seat);

 private:
  using Steady = Clock::Steady;
  struct Watcher {
    std::shared_ptr<HttpStream> stream;  // shared with its connection
    Seat seat;
    Steady until{};
  };
  using Askers = std::vector<std::function<void(const Result<Text>&)>>;

  void run(const std::stop_token& stop);
  void answer(const Askers& askers);
  void tell_watchers();
  Result<Text> picture(bool whole);

  OverviewDesk& desk_;
  const Clock& clock_;
  const std::shared_ptr<std::atomic<int>>
      seats_;  // taken; shared with those who have one, who may outlive the hub
  // Of the thread.
  Text whole_;
  Steady whole_at_{};

  Mutex mutex_;
  std::condition_variable_any wake_;
  Askers askers_ EILBOTE_GUARDED_BY(mutex_);
  std::vector<Watcher> watchers_ EILBOTE_GUARDED_BY(mutex_);
  Service service_;
};

// As server-sent events have it.
std::string overview_event(std::string_view json);

}  // namespace eilbote
