// Claimed jobs on their way to the channels: a thread loads their contents in steps and starts them, while the ledger
// claims the next. What is loaded begins as soon as its host has room for one more request. No further while much is in
// memory, so that big ones cannot fill it. Each channel and each endpoint host has its own share: what is slow and big
// waits, the others pass it. Used by the ledger; what it holds is lost with the process, as every lease is.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "base/service.h"
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

  void add(ClaimedJob job, bool probe);
  // Those whose content is not loaded.
  std::size_t waiting() const;
  // So many that no more should be claimed. Those that only wait for their host do not count: the host book bounds them.
  bool is_full();
  // Whether some of this pool have not begun, though they have spent its rate.
  bool has_waiting(const std::string& pool);
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
  std::vector<Finished> hand_back(const Which& which);

 private:
  static constexpr std::size_t kWaitingMax = 1000;
  struct Waiting {
    ClaimedJob job;
    bool probe = false;
    std::optional<MailContent> mail;  // once it is loaded: one of the two, or its content is gone
    std::optional<WebhookContent> webhook;
  };
  using Step = std::vector<Waiting>;
  using Lock = std::unique_lock<std::mutex>;
  struct Held {
    std::string route;  // of a mail: ""
    std::size_t bytes = 0;
    bool begun = false;
  };
  struct Load {
    std::size_t bytes = 0;
    std::size_t contents = 0;
    std::size_t open = 0;  // of them, those that have begun
  };
  void run(const std::stop_token& stop);
  bool load_step(Lock& lock);
  Step take_step();
  Result<void> load(Step& step);
  Step sort_out(Step step, bool loaded);
  void start_loaded(Lock& lock);
  bool has_room(const std::string& route) const;
  void start(Waiting one);
  void hold(const Waiting& one);
  void let_go(const Lease& lease);
  void begun_or_back(const std::string& pool);
  bool is_recalled(const Job& job) const;
  bool is_full_now(ChannelKind channel, const std::string& route) const;
  void tell_eased(Lock& lock);

  Outbox& outbox_;
  Courier& courier_;
  const std::size_t requests_per_host_max_;
  const Hooks hooks_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ = false, closed_ = false, starting_ = false;
  bool was_full_ = false, eased_ = false;  // somebody was told, and waits; what they wait for has come
  std::size_t loading_ = 0;                // of the step that is on its way
  std::vector<Which> recalled_;            // those of it that shall not begin any more
  std::deque<Waiting> waiting_;            // without their content
  std::map<std::string, std::deque<Waiting>> loaded_;  // with it, by route, in their order
  std::map<std::string, std::size_t> unbegun_;         // claimed and not begun, by pool
  std::set<std::string> asked_;                        // pools somebody was told about, and waits for
  std::map<Lease, Held> held_;                         // contents in memory
  std::map<std::string, Load> loads_;                  // of them, by route
  std::size_t webhook_bytes_ = 0;
  Service service_;  // last: it ends before what its thread uses
};

}  // namespace eilbote
