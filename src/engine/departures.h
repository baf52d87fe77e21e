// Claimed jobs on their way to the channels: a thread loads their contents in steps and starts them, while the ledger
// claims the next. What is loaded begins as soon as its host has room for one more request. No further while much is in
// memory, so that big ones cannot fill it. Each channel and each endpoint host has its own share: what is slow and big
// waits, the others pass it. Used by the ledger; what it holds is lost with the process, as every lease is.
//
// Where a job is (is_consistent() counts them again, in debug builds after every step):
//
//   add --> waiting --> loading --> loaded --> begun --> (finished)
//              ^           |          |
//              +--trouble--+          |
//              |           |          |
//              +-----------+----------+--> handed back
//
//   waiting   without its content; its pool counts it as not begun
//   loading   in the step that is on its way, outside of the lock; close() and hand_back() only mark it, and it goes back
//             when the step is in
//   loaded    its content is in memory and counted for its route; waits for its host to have room
//   begun     the courier's; counted until finished()
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <vector>

#include "base/mutex.h"
#include "base/service.h"
#include "engine/content_book.h"
#include "engine/courier.h"
#include "ports/outbox.h"

namespace eilbote {

class Departures {
 public:
  using Which = std::function<bool(const Job&)>;
  // Called from the thread.
  struct Hooks {
    std::function<void(const Error&)> trouble;  // contents could not be loaded: they wait for the next go()
    std::function<void()> eased;  // is_full() or has_waiting() said so, and it is no longer true
  };
  Departures(Outbox& outbox, Courier& courier, int requests_per_host_max, Hooks hooks);

  // From here on a thread does what go() asks for.
  void start() { service_.start(); }
  // The same once, for who has no such thread (SteppedLedger). False: nothing was asked for.
  bool step();

  void add(ClaimedJob job, bool probe);
  // Those whose content is not loaded.
  std::size_t waiting() const;
  // So many that no more should be claimed. Those that only wait for their host do not count: the host book bounds them.
  bool is_full();
  // Whether some of this pool have not begun, though they have spent its rate.
  bool has_waiting(const std::string& pool);
  // How many webhooks wait for memory or for their host; not those that are just being loaded.
  std::size_t webhooks_in_line() const;
  // Loads and starts as many as there is memory for; does not wait for it.
  void go();
  // Starts no more: all that wait can be handed back; those that are being loaded are reported as handed back.
  void close();
  // Whether one more for this route would have to wait for memory.
  bool is_full(ChannelKind channel, const std::string& route) const;
  // It is over, its content out of memory; another one may begin. From any thread.
  void finished(const Lease& lease);
  // Takes back those of these that have not begun; those that are being loaded are reported as handed back. None of them
  // begins afterwards.
  std::vector<FinishedPtr> hand_back(const Which& which);

 private:
  static constexpr std::size_t kWaitingMax = 1000;
  struct Waiting {
    ClaimedJob job;
    bool probe = false;
    std::optional<MailContent> mail;  // once it is loaded: one of the two, or its content is gone
    std::optional<WebhookContent> webhook;
  };
  // Jobs go from line to line as they are, without being moved in memory.
  using Line = std::list<Waiting>;
  void run(const std::stop_token& stop);
  void load_and_start() EILBOTE_REQUIRES(mutex_);
  bool load_step() EILBOTE_REQUIRES(mutex_);
  Line take_step() EILBOTE_REQUIRES(mutex_);
  Result<void> load(Line& step);
  Line sort_out(Line step, bool loaded) EILBOTE_REQUIRES(mutex_);
  void start_loaded() EILBOTE_REQUIRES(mutex_);
  bool has_room(const std::string& route) const EILBOTE_REQUIRES(mutex_);
  void start(Waiting& one);
  void hold(const Waiting& one) EILBOTE_REQUIRES(mutex_);
  void begun_or_back(const std::string& pool) EILBOTE_REQUIRES(mutex_);
  bool is_recalled(const Job& job) const EILBOTE_REQUIRES(mutex_);
  void tell_eased() EILBOTE_REQUIRES(mutex_);
  void wait_for_start() EILBOTE_REQUIRES(mutex_);
  bool is_consistent() const EILBOTE_REQUIRES(mutex_);

  Outbox& outbox_;
  Courier& courier_;
  const std::size_t requests_per_host_max_;
  const Hooks hooks_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ EILBOTE_GUARDED_BY(mutex_) = false;
  bool closed_ EILBOTE_GUARDED_BY(mutex_) = false;
  bool starting_ EILBOTE_GUARDED_BY(mutex_) = false;
  std::uint64_t starts_ EILBOTE_GUARDED_BY(mutex_) = 0;  // that are over
  // Somebody was told that it is full, and waits; what they wait for has come.
  bool was_full_ EILBOTE_GUARDED_BY(mutex_) = false;
  bool eased_ EILBOTE_GUARDED_BY(mutex_) = false;
  std::size_t loading_ EILBOTE_GUARDED_BY(mutex_) = 0;      // of the step that is on its way
  std::vector<Which> recalled_ EILBOTE_GUARDED_BY(mutex_);  // those of it that shall not begin any more
  Line waiting_ EILBOTE_GUARDED_BY(mutex_);                 // without their content
  // With it, by route, in their order.
  std::map<std::string, Line> loaded_ EILBOTE_GUARDED_BY(mutex_);
  std::map<std::string, std::size_t> unbegun_ EILBOTE_GUARDED_BY(mutex_);  // claimed and not begun, by pool
  std::set<std::string> asked_ EILBOTE_GUARDED_BY(mutex_);  // pools somebody was told about, and waits for
  ContentBook contents_ EILBOTE_GUARDED_BY(mutex_);
  Service service_;  // last: it ends before what its thread uses
};

}  // namespace eilbote
