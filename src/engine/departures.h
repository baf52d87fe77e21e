// Claimed jobs on their way to the channels: a thread loads their content in small steps and starts them, while the ledger
// claims the next. No further while much is in memory, so that big ones cannot fill it, and no more requests to a host than
// it may have open. Each channel and each endpoint host has its own share: what is slow and big waits, the others pass it.
// Used by the ledger; what it holds is lost with the process, as every lease is.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "base/service.h"
#include "engine/courier.h"
#include "ports/outbox.h"

namespace eilbote {

class Departures {
 public:
  // Called from the thread.
  struct Hooks {
    std::function<void(const Error&)> trouble;  // contents could not be loaded: they wait for the next go()
    std::function<void()> eased;                // is_full() said so, and it is no longer true
  };
  Departures(Outbox& outbox, Courier& courier, int requests_per_host_max, Hooks hooks);

  void add(ClaimedJob job, bool probe);
  // Those that have not begun.
  std::size_t waiting() const;
  // So many that no more should be claimed.
  bool is_full();
  // Whether some of this pool have not begun, though they have spent its rate.
  bool has_waiting(const std::string& pool) const;
  // Starts as many as there is memory for; does not wait for it.
  void go();
  // Starts no more: all that wait can be handed back; those that are being loaded are reported as handed back.
  void close();
  // Whether one more for this route would have to wait.
  bool is_full(ChannelKind channel, const std::string& route) const;
  // It is over, its content out of memory; another one may begin. From any thread.
  void finished(const Lease& lease);
  // Takes back those of these that wait; those that are being loaded are reported as handed back.
  std::vector<Finished> hand_back(const std::function<bool(const Job&)>& which);

 private:
  static constexpr std::size_t kWaitingMax = 1000;
  struct Waiting {
    ClaimedJob job;
    bool probe = false;
    std::optional<MailContent> mail;  // once it is loaded: one of the two, or its content is gone
    std::optional<WebhookContent> webhook;
  };
  using Step = std::vector<Waiting>;
  struct Held {
    std::string route;  // of a mail: ""
    std::size_t bytes = 0;
  };
  struct Host {
    std::size_t waiting = 0;
    std::size_t room = 0;
  };
  struct Load {
    std::size_t bytes = 0;
    std::size_t count = 0;
  };
  void run(const std::stop_token& stop);
  bool do_step(std::unique_lock<std::mutex>& lock);
  Step take_step();
  Result<void> load(Step& step);
  void end_step(Step step, bool loaded, std::unique_lock<std::mutex>& lock);
  bool is_recalled(const Job& job) const;
  void start(Waiting one);
  void hold(const Waiting& one);
  bool is_full_now(ChannelKind channel, const std::string& route) const;

  Outbox& outbox_;
  Courier& courier_;
  const std::size_t requests_per_host_max_;
  const std::size_t worth_;  // so many are worth a step
  const Hooks hooks_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ = false, closed_ = false, starting_ = false;
  bool was_full_ = false;                                  // somebody was told, and waits
  std::size_t loading_ = 0;                                // of the step that is on its way
  std::vector<std::function<bool(const Job&)>> recalled_;  // those of it that shall not begin any more
  std::deque<Waiting> waiting_;
  std::map<Lease, Held> held_;         // contents in memory
  std::map<std::string, Load> loads_;  // of them, by route
  std::size_t webhook_bytes_ = 0;
  Service service_;  // last: it ends before what its thread uses
};

}  // namespace eilbote
