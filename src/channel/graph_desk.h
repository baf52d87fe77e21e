// The Graph channel's thread, `graph`: what letters wait for (answers of the door, the draft book, time) comes back to them
// here, one after the other, so that they need no locks. The draft book blocks; everything that waits for it goes in one call.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/service.h"
#include "channel/graph_door.h"
#include "channel/mailbox_rate.h"
#include "domain/graph_options.h"
#include "ports/draft_book.h"

namespace eilbote {

// A draft that was about to be sent, and how long ago, by the database's clock.
struct OpenDraft {
  Draft draft;
  Duration age{0};
};

class GraphDesk {
 public:
  using Steady = Clock::Steady;
  using Work = std::function<void()>;

  GraphDesk(std::shared_ptr<GraphDoor> door, DraftBook& book, const Clock& clock,
            const GraphOptions& options);
  ~GraphDesk();
  void start() { service_.start(); }
  // Ends the thread. What the door answers later finds nobody, and nothing is sent any more that still waits in it.
  void stop();

  // From any thread.
  void post(Work work);

  // On the desk's thread only; so are the answers.
  void call(GraphCall call, std::function<void(GraphAnswer)> answered);
  void find(JobId mail, std::function<void(Result<std::optional<OpenDraft>>)> found);
  void note(DraftNote note, std::function<void(Result<bool>)> noted);
  void after(Duration wait, Work work);
  // `go` now, or when the mailbox has a place to send from: as many as requests it may have open. So hardly a mail is on record
  // as about to be sent while it only stands in line.
  void take_place(const std::string& mailbox, Work go);
  void give_place_back(const std::string& mailbox);
  MailboxRate& rate() { return rate_; }
  Steady now() const { return clock_.steady_now(); }

 private:
  // Outlives the desk, in the hands of the door.
  struct Inbox {
    Mutex mutex;
    std::condition_variable_any wake;
    std::deque<Work> work EILBOTE_GUARDED_BY(mutex);
    bool closed EILBOTE_GUARDED_BY(mutex) = false;
  };
  struct Finding {
    JobId mail;
    std::function<void(Result<std::optional<OpenDraft>>)> found;
  };
  struct Noting {
    DraftNote note;
    std::function<void(Result<bool>)> noted;
  };

  struct Places {
    int taken = 0;
    std::deque<Work> line;
  };

  static void post_to(Inbox& inbox, Work work);
  void run(const std::stop_token& stop);
  std::deque<Work> take_work(const std::stop_token& stop);
  void ring_timers();
  void find_all();
  void note_all();

  const std::shared_ptr<GraphDoor> door_;
  DraftBook& book_;
  const Clock& clock_;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  // The thread's own.
  MailboxRate rate_;
  const int places_max_;
  std::map<std::string, Places> places_;  // by mailbox
  std::multimap<Steady, Work> timers_;
  std::vector<Finding> findings_;
  std::vector<Noting> notings_;
  Service service_;  // last: its thread uses the others
};

}  // namespace eilbote
