#include "channel/graph_watch.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <set>

#include "base/ascii.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/service.h"
#include "channel/graph_inbox_poll.h"
#include "channel/graph_kept_mailbox.h"
#include "channel/graph_subscriptions.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;
using Steady = Clock::Steady;

constexpr Duration kKeepFor = 90s;
constexpr Duration kKeepEvery = kKeepFor / 3;
constexpr Duration kKeepPauseMin = 1s;    // however often it is woken, or the store fails
constexpr Duration kNoticesEvery = 10s;   // another instance may have taken the notification
constexpr Duration kKnownEvery = 5min;    // mailboxes that other instances have seen
constexpr Duration kForgetEvery = 10min;  // notices that were read long ago
constexpr int kForgetRows = 5000;
constexpr int kMailboxesMax = 5000;
constexpr int kPollsTogether = 8;
constexpr int kReadsPerRound = 8;

class Watch final : public GraphWatch {
 public:
  Watch(const GraphOptions& options, GraphWatchParts parts)
      : options_(options),
        parts_(std::move(parts)),
        subscriptions_(options_, parts_.door, parts_.store, parts_.clock),
        poll_(options_, parts_.door, parts_.store, parts_.clock),
        reader_(parts_.door, parts_.store, parts_.take_message, parts_.metrics),
        trace_(options_, parts_.door, parts_.store, parts_.take_report, parts_.clock),
        service_("graph-watch", [this](const std::stop_token& stop) { run(stop); }) {
    for (const std::string& sender : options_.senders)
      if (!sender.starts_with('*')) mailboxes_.insert(ascii_lower(sender));
  }
  ~Watch() override { service_.stop(); }

  void start() override { service_.start(); }
  void stop() override { service_.stop(); }

  void wake() override {
    const MutexLock lock(mutex_);
    woken_ = true;
    changed_.notify_all();
  }

  void in_use(const std::string& mailbox) override {
    const std::string name = ascii_lower(mailbox);
    const MutexLock lock(mutex_);
    if (mailboxes_.contains(name) || !has_room()) return;
    mailboxes_.insert(name);
    woken_ = true;
    changed_.notify_all();
  }

 private:
  bool watches_anything() const {
    return !options_.notification_url.empty() || options_.poll_every > Duration::zero() ||
           options_.message_trace;
  }

  bool has_room() EILBOTE_REQUIRES(mutex_) {
    if (mailboxes_.size() < static_cast<std::size_t>(kMailboxesMax)) return true;
    if (!std::exchange(is_full_, true))
      log::warning("more mailboxes send than are watched; bounces to the others are not read",
                   {{"watched", kMailboxesMax}});
    return false;
  }

  void run(const std::stop_token& stop) {
    if (!watches_anything()) return;
    while (!stop.stop_requested()) {
      const bool was_woken = take_wake();
      keep(was_woken);
      tend_subscriptions(stop);
      poll_inboxes(stop);
      notices_every_ = kNoticesEvery;
      const bool more = read_notices(stop);
      ask_the_trace(stop);
      forget();
      if (!more && !stop.stop_requested()) rest(stop);
    }
  }

  bool take_wake() {
    const MutexLock lock(mutex_);
    return std::exchange(woken_, false);
  }

  // ---- which mailboxes are ours ----

  void keep(bool was_woken) {
    const Steady now = parts_.clock.steady_now();
    if (was_woken) keep_at_ = std::min(keep_at_, kept_at_ + kKeepPauseMin);
    if (now < keep_at_) return;
    kept_at_ = now;
    learn_known(now);
    const std::vector<std::string> names = all_names();
    const auto rows = parts_.store.keep(parts_.epoch(), names, kKeepFor);
    keep_at_ = now + (rows ? kKeepEvery : kKeepPauseMin);
    if (!rows) return tell_store_trouble("keep", rows.error());
    std::map<std::string, KeptMailbox> kept;
    for (const WatchedMailbox& row : *rows)
      kept.insert(take_over(row));
    kept_ = std::move(kept);
    count_subscriptions();
  }

  // Mailboxes without a name in the configuration are known from before, or from others.
  void learn_known(Steady now) {
    if (now < known_at_) return;
    const auto known = parts_.store.known(kMailboxesMax);
    if (!known) return tell_store_trouble("known", known.error());
    known_at_ = now + kKnownEvery;
    const MutexLock lock(mutex_);
    for (const std::string& mailbox : *known)
      if (!mailboxes_.contains(mailbox) && has_room()) mailboxes_.insert(mailbox);
  }

  std::vector<std::string> all_names() {
    const MutexLock lock(mutex_);
    return {mailboxes_.begin(), mailboxes_.end()};
  }

  // A mailbox that was ours already goes on; what is new is looked at from the start: subscription, inbox, trace.
  std::pair<std::string, KeptMailbox> take_over(const WatchedMailbox& row) {
    const auto before = kept_.find(row.mailbox);
    if (before == kept_.end()) {
      KeptMailbox fresh(row);
      if (!options_.message_trace) fresh.trace.never();
      if (options_.notification_url.empty() && options_.poll_every <= Duration::zero()) fresh.poll.never();
      return {row.mailbox, std::move(fresh)};
    }
    KeptMailbox mailbox = std::move(before->second);
    const bool is_new_wish = row.wants && row.wants != mailbox.row.wants;
    mailbox.row = row;
    // A graver wish hides a lesser one, so the inbox is read whatever it says.
    if (is_new_wish) mailbox.poll.due = parts_.clock.steady_now();
    if (is_new_wish && row.wants != GraphLifecycle::resync)
      mailbox.subscription.due = parts_.clock.steady_now();
    return {row.mailbox, std::move(mailbox)};
  }

  bool is_time_to_keep() const { return parts_.clock.steady_now() >= keep_at_; }

  // ---- their errands ----

  // One at a time: making one waits for Graph's call of our own address. Not at the cost of losing the mailboxes.
  void tend_subscriptions(const std::stop_token& stop) {
    bool changed = false;
    for (auto& [name, mailbox] : kept_) {
      if (stop.stop_requested() || is_time_to_keep()) break;
      if (!mailbox.subscription.is_due(parts_.clock.steady_now())) continue;
      subscriptions_.tend(mailbox, stop);
      changed = true;
    }
    if (changed) count_subscriptions();
  }

  void poll_inboxes(const std::stop_token& stop) {
    const Steady now = parts_.clock.steady_now();
    std::vector<KeptMailbox*> due;
    for (auto& [name, mailbox] : kept_)
      if (mailbox.poll.is_due(now)) due.push_back(&mailbox);
    const std::span<KeptMailbox* const> all(due);
    for (std::size_t at = 0; at < all.size(); at += kPollsTogether) {
      if (stop.stop_requested() || is_time_to_keep()) return;
      poll_.look(all.subspan(at, std::min<std::size_t>(kPollsTogether, all.size() - at)), stop);
    }
  }

  // True: there is more to read at once.
  bool read_notices(const std::stop_token& stop) {
    std::vector<std::string> names;
    names.reserve(kept_.size());
    for (const auto& [name, mailbox] : kept_)
      names.push_back(name);
    for (int i = 0; i < kReadsPerRound && !stop.stop_requested(); ++i) {
      const auto more = reader_.read_some(names, stop);
      if (!more) {
        tell_store_trouble("notices", more.error());
        notices_every_ = kKeepPauseMin;
        return false;
      }
      if (!*more) return false;
    }
    return true;
  }

  // The sender that has waited longest, one per round: the tenant's limit is small.
  void ask_the_trace(const std::stop_token& stop) {
    const auto next = std::min_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) {
      return a.second.trace.due < b.second.trace.due;
    });
    if (next == kept_.end() || stop.stop_requested()) return;
    if (next->second.trace.is_due(parts_.clock.steady_now())) trace_.look(next->second, stop);
  }

  void forget() {
    const Steady now = parts_.clock.steady_now();
    if (now < forget_at_) return;
    forget_at_ = now + kForgetEvery;
    if (const auto forgotten = parts_.store.forget_read(kForgetRows); !forgotten)
      tell_store_trouble("forget", forgotten.error());
  }

  // ---- and then ----

  void rest(const std::stop_token& stop) {
    const Steady now = parts_.clock.steady_now();
    Steady until = std::min(keep_at_, now + notices_every_);
    for (const auto& [name, mailbox] : kept_)
      until = std::min({until, mailbox.subscription.due, mailbox.poll.due, mailbox.trace.due});
    const MutexLock lock(mutex_);
    changed_.wait_for(mutex_, stop, until - now, [this]() EILBOTE_REQUIRES(mutex_) { return woken_; });
  }

  void count_subscriptions() {
    double active = 0, missing = 0;
    if (!options_.notification_url.empty())
      for (const auto& [name, mailbox] : kept_)
        ++(mailbox.row.subscription_id.empty() ? missing : active);
    parts_.metrics.set(Metric::graph_subscriptions, active, {"active"});
    parts_.metrics.set(Metric::graph_subscriptions, missing, {"missing"});
  }

  // The store counts its own errors; they are in the log at most once per keep.
  void tell_store_trouble(const char* doing, const Error& error) {
    const Steady now = parts_.clock.steady_now();
    if (now < told_at_ + kKeepEvery) return;
    told_at_ = now;
    log::warning("the Graph watch waits for the database", {{"doing", doing}, {"error", error.message}});
  }

  const GraphOptions options_;
  const GraphWatchParts parts_;
  GraphSubscriptions subscriptions_;
  GraphInboxPoll poll_;
  GraphInboxReader reader_;
  GraphTrace trace_;

  // Of the thread alone.
  std::map<std::string, KeptMailbox> kept_;
  Steady keep_at_{}, kept_at_{}, known_at_{}, forget_at_{}, told_at_ = Steady::min() + kKeepEvery;
  Duration notices_every_ = kNoticesEvery;

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::set<std::string> mailboxes_ EILBOTE_GUARDED_BY(mutex_);
  bool woken_ EILBOTE_GUARDED_BY(mutex_) = false;
  bool is_full_ EILBOTE_GUARDED_BY(mutex_) = false;
  Service service_;  // last: its thread uses all of the above
};

}  // namespace

std::unique_ptr<GraphWatch> make_graph_watch(const GraphOptions& options, GraphWatchParts parts) {
  return std::make_unique<Watch>(options, std::move(parts));
}

}  // namespace eilbote
