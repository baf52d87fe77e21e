#include "channel/smtp_channel.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <deque>
#include <map>

#include "base/duration.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/service.h"
#include "channel/hand_over_slots.h"
#include "channel/relay_door.h"
#include "channel/relay_turns.h"
#include "channel/smtp_hooks.h"
#include "channel/smtp_letter.h"
#include "domain/delivery_codes.h"
#include "domain/tsid.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

namespace asio = boost::asio;
template <class T>
using Awaitable = asio::awaitable<T>;

// A connection that was quiet for this long is asked whether it is still there before it gets a mail.
constexpr Duration kQuiet = std::chrono::seconds{1};
// After a fault of the route nothing is begun for so long, unless whoever hands in the mails has reacted sooner: the next
// ones would only find the same.
constexpr Duration kRest = std::chrono::seconds{1};

struct Waiting {
  MailDelivery delivery;
  MailChannel::Done done;
};

// A connection of its own coroutine.
struct Connection {
  std::optional<SmtpSession> session;
  int carried = 0;
  bool must_reset = false;  // the last transaction was left open
  std::chrono::steady_clock::time_point used{};
};

class SmtpChannel final : public MailChannel {
 public:
  SmtpChannel(SmtpOptions options, const SmtpParts& parts)
      : options_(std::move(options)),
        slots_(parts.slots),
        metrics_(parts.metrics),
        hooks_(parts.hooks != nullptr ? *parts.hooks : SmtpHooks{}),
        keep_running_(asio::make_work_guard(io_)),
        turns_(io_, hooks_.pause),
        slot_free_(io_),
        rest_(io_),
        service_("smtp", [this](std::stop_token) { io_.run(); }) {}

  ~SmtpChannel() override {
    io_.stop();
    service_.stop();
  }

  Result<void> start(const SmtpParts& parts) {
    auto door = RelayDoor::make(io_, options_, parts.secrets, hooks_.lookup, parts.clock);
    if (!door) return fail(door.error());
    door_ = std::move(*door);
    allowed_ = options_.connections_max;
    service_.start();
    return {};
  }

  const std::string& route() const override { return options_.route; }

  void deliver(MailDelivery delivery, Done done) override {
    bool is_first = false;
    {
      const MutexLock lock(mutex_);
      is_first = inbox_.empty();
      inbox_.push_back({std::move(delivery), std::move(done)});
    }
    if (is_first) asio::post(io_, [this] { open_inbox(); });
  }

  void probe(std::function<void(Result<void>)> done) override {
    asio::post(io_, [this, done = std::move(done)]() mutable { spawn(knock(std::move(done))); });
  }

  void settled(std::span<const Lease> leases) override {
    if (slots_ == nullptr || leases.empty()) return;
    asio::post(io_, [this, done = std::vector<Lease>(leases.begin(), leases.end())] {
      for (const Lease& lease : done)
        give_back(lease);
      slot_free_.notify();
    });
  }

  void release_waiting() override {
    asio::post(io_, [this] {
      release_all();
      turns_.send_away();
      slot_free_.notify();
      rest_.cancel();
    });
  }

 private:
  // ---- the queue and those who work it off; all on the channel's thread ----

  template <class T>
  void spawn(Awaitable<T> work) {
    asio::co_spawn(io_, std::move(work), [](const std::exception_ptr& error) {
      if (error)
        std::rethrow_exception(error);  // out of the thread: a missing coroutine must not go unnoticed
    });
  }

  void take_inbox() {
    const MutexLock lock(mutex_);
    for (Waiting& one : inbox_)
      queue_.push_back(std::move(one));
    inbox_.clear();
  }
  void open_inbox() {
    take_inbox();
    hire();
  }
  void release_all() {
    take_inbox();
    for (Waiting& one : std::exchange(queue_, {}))
      one.done(DeliveryResult{});
  }

  // Idle connections first, then new ones.
  void hire() {
    if (is_resting_) return;
    std::size_t hands = 0;
    for (; hands < queue_.size() && !idle_.empty(); ++hands) {
      idle_.back()->cancel();
      idle_.pop_back();
    }
    for (; hands < queue_.size() && workers_ < allowed_; ++hands, ++workers_)
      spawn(work());
  }

  Awaitable<void> work() {
    Connection at;
    while (true) {
      // Whoever was woken for a mail that another took meanwhile keeps its connection.
      while (queue_.empty() && at.session)
        if (co_await idled_long_enough()) break;
      if (queue_.empty() || is_resting_ || workers_ > allowed_) break;
      co_await keep_the_pace();
      if (queue_.empty()) continue;
      Waiting mail = std::move(queue_.front());
      queue_.pop_front();
      co_await carry(at, std::move(mail));
    }
    if (at.session) co_await at.session->quit();
    close(at);
    --workers_;
    hire();
  }

  // Until there is a mail, or the connection has been unused for long enough: true.
  Awaitable<bool> idled_long_enough() {
    asio::steady_timer enough(io_, options_.timeouts.idle);
    idle_.push_back(&enough);
    boost::system::error_code woken;
    co_await enough.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    std::erase(idle_, &enough);
    co_return !woken;
  }

  Awaitable<void> rest() {
    rest_.expires_after(kRest);
    boost::system::error_code ignored;
    co_await rest_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    is_resting_ = false;
    hire();
  }

  Awaitable<void> keep_the_pace() {
    if (options_.mails_per_second_max <= 0) co_return;
    const auto now = std::chrono::steady_clock::now();
    const auto start = std::max(now, next_start_);
    next_start_ = start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                              std::chrono::duration<double>(1 / options_.mails_per_second_max));
    if (start == now) co_return;
    asio::steady_timer timer(io_, start);
    boost::system::error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }

  // ---- one mail ----

  Awaitable<void> carry(Connection& at, Waiting mail) {
    RelayTurns::Turn turn = turns_.begin();
    const auto slot = co_await take_slot(mail.delivery, turn);
    if (!slot || !mail.delivery.still_mine()) {
      mail.done(DeliveryResult{});
      co_return;
    }
    const SmtpLetter letter = make_letter(mail.delivery.content);
    const SmtpHandOver hand_over = hand_over_of(mail.delivery, *slot);
    const std::string id = to_text(mail.delivery.job.id);
    std::size_t tries = 0;
    DeliveryResult result;
    for (bool was_stale = false;; was_stale = true) {
      const bool is_used = co_await is_still_there(at);
      if (!is_used) {
        auto refused = co_await connect(at, turn, tries, id);
        if (refused) {
          result = std::move(*refused);
          break;
        }
      }
      result = co_await send(at, letter, hand_over);
      if (!is_untouched(result)) break;
      // A relay may end a connection between two mails whenever it likes; that is no fault of the route.
      if (is_used && !was_stale) continue;
      if (result.code != code::smtp_connection_lost ||
          !co_await wait_for_next_try(turn, tries, result.text, id))
        break;
    }
    if (turns_.is_sent_away(turn) && is_untouched(result)) result = DeliveryResult{};
    mail.done(result);  // before the others are handed back: whoever hears of it first should know why
    finish(turn, tries, id, result);
  }

  // Whether the connection may carry another mail; else it is closed.
  Awaitable<bool> is_still_there(Connection& at) {
    if (!at.session) co_return false;
    const bool is_worn = at.carried >= options_.mails_per_connection_max;
    const bool ask = at.must_reset || std::chrono::steady_clock::now() - at.used > kQuiet;
    if (is_worn) co_await at.session->quit();
    if (!is_worn && (!ask || co_await at.session->reset())) {
      at.must_reset = false;
      co_return true;
    }
    close(at);
    co_return false;
  }

  // A session, after as many tries as it may take; else what that means for the mail.
  Awaitable<std::optional<DeliveryResult>> connect(Connection& at, RelayTurns::Turn& turn, std::size_t& tries,
                                                   const std::string& id) {
    while (true) {
      if (!co_await turns_.may_knock(turn)) co_return DeliveryResult{};
      auto session = co_await door_->open();
      count_connect(session);
      if (session) {
        at.session.emplace(std::move(*session));
        at.carried = 0;
        metrics_.set(Metric::smtp_connections, ++open_, {options_.route});
        turns_.came_in(turn);
        co_return std::nullopt;
      }
      const SmtpRouteFault& fault = session.error();
      if (fault.is_network && tries < options_.connect_retries.size()) {
        if (co_await wait_for_next_try(turn, tries, fault.text, id)) continue;
        co_return DeliveryResult{};
      }
      if (fault.is_network) failed_for_good(tries, fault.text, id);
      DeliveryResult result = no_session(fault);
      if (fault.is_login && options_.auth_failure == SmtpAuthFailure::fail)
        result.verdict = Verdict::permanent;
      co_return result;
    }
  }

  // The waits between the tries of one attempt. False: no more tries, or sent away.
  Awaitable<bool> wait_for_next_try(RelayTurns::Turn& turn, std::size_t& tries, const std::string& error,
                                    const std::string& id) {
    if (turns_.is_sent_away(turn)) co_return false;
    if (tries == options_.connect_retries.size()) {
      failed_for_good(tries, error, id);
      co_return false;
    }
    const Duration wait = options_.connect_retries[tries++];
    log::warning("mail not handed over, trying again",
                 {{"EmailId", id},
                  {"route", options_.route},
                  {"attempt", fmt::format("{}/{}", tries, options_.connect_retries.size() + 1)},
                  {"error", error},
                  {"retryingIn", duration_text(wait)}});
    metrics_.add(Metric::smtp_connect_retries, 1, {options_.route});
    co_return co_await turns_.try_again_after(turn, wait);
  }

  void failed_for_good(std::size_t tries, const std::string& error, const std::string& id) {
    log::error(fmt::format("mail not handed over: failed after {} attempts", tries + 1),
               {{"EmailId", id}, {"route", options_.route}, {"error", error}});
  }

  Awaitable<DeliveryResult> send(Connection& at, const SmtpLetter& letter, const SmtpHandOver& hand_over) {
    DeliveryResult result = co_await at.session->send(letter.envelope, letter.body, hand_over);
    ++at.carried;
    at.used = std::chrono::steady_clock::now();
    // After a dot that was taken the relay has forgotten the mail; whatever else happened, it is told to.
    at.must_reset =
        result.verdict != Verdict::delivered ||
        std::any_of(result.recipients.begin(), result.recipients.end(),
                    [](const RecipientResult& one) { return one.status != RecipientStatus::taken; });
    if (!at.session->is_usable()) close(at);
    co_return result;
  }

  void close(Connection& at) {
    if (!at.session) return;
    at.session.reset();
    metrics_.set(Metric::smtp_connections, --open_, {options_.route});
  }

  // What the end of this mail means for the others.
  void finish(RelayTurns::Turn& turn, std::size_t tries, const std::string& id,
              const DeliveryResult& result) {
    const bool is_down = result.verdict == Verdict::route_fault || result.verdict == Verdict::configuration;
    if (is_down) {
      turns_.give_up(turn);
      release_all();
      if (!std::exchange(is_resting_, true)) spawn(rest());
      return;
    }
    turns_.leave(turn);
    if (result.verdict == Verdict::delivered && tries > 0)
      log::info("mail handed over after a retry",
                {{"EmailId", id}, {"route", options_.route}, {"attempt", tries + 1}});
    if (result.verdict == Verdict::deferred) {
      allowed_ = std::max(1, std::min(allowed_, workers_) / 2);  // the relay asked for less at a time
      good_in_a_row_ = 0;
    } else if (result.verdict == Verdict::delivered && allowed_ < options_.connections_max &&
               ++good_in_a_row_ >= 10 * allowed_) {
      ++allowed_;
      good_in_a_row_ = 0;
    }
  }

  // ---- slots ----

  // The outer nothing: sent away while all slots were taken. The inner one: nothing is kept.
  Awaitable<std::optional<std::optional<int>>> take_slot(const MailDelivery& delivery,
                                                         const RelayTurns::Turn& turn) {
    if (slots_ == nullptr) co_return std::optional<int>{};
    while (true) {
      if (turns_.is_sent_away(turn)) co_return std::nullopt;
      if (const auto slot = slots_->take(delivery.token, delivery.job.id)) {
        taken_[{delivery.job.id, delivery.token}] = *slot;
        co_return std::optional<int>(*slot);
      }
      co_await slot_free_.wait();
    }
  }
  void give_back(const Lease& lease) {
    const auto found = taken_.find(lease);
    if (found == taken_.end()) return;
    slots_->give_back(found->second);
    taken_.erase(found);
  }
  SmtpHandOver hand_over_of(const MailDelivery& delivery, std::optional<int> slot) {
    return {[this, slot, &delivery](const std::vector<int>& accepted) {
              if (!delivery.still_mine()) return false;
              if (slot) slots_->mark_dot(*slot, accepted);
              return true;
            },
            [this, slot](int code) {
              if (slot) slots_->mark_reply(*slot, code);
            }};
  }

  // ---- the route ----

  // A session without a mail.
  Awaitable<void> knock(std::function<void(Result<void>)> done) {
    auto session = co_await door_->open();
    count_connect(session);
    if (!session) {
      done(fail(ErrorKind::unavailable, session.error().text));
      co_return;
    }
    done({});
    co_await session->quit();
  }

  void count_connect(const tl::expected<SmtpSession, SmtpRouteFault>& session) {
    metrics_.add(
        Metric::smtp_connects, 1,
        {options_.route, session ? "open" : std::string(kVerdictNames.text(session.error().verdict))});
  }

  const SmtpOptions options_;
  HandOverSlots* const slots_;
  Metrics& metrics_;
  const SmtpHooks hooks_;

  Mutex mutex_;
  std::vector<Waiting> inbox_
      EILBOTE_GUARDED_BY(mutex_);  // shared with those who call; everything below is the channel's thread's

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> keep_running_;
  std::unique_ptr<RelayDoor> door_;
  RelayTurns turns_;
  Signal slot_free_;
  asio::steady_timer rest_;
  bool is_resting_ = false;
  std::deque<Waiting> queue_;
  std::vector<asio::steady_timer*> idle_;
  std::map<Lease, int> taken_;
  std::chrono::steady_clock::time_point next_start_{};
  int workers_ = 0, open_ = 0;
  int allowed_ = 1, good_in_a_row_ = 0;
  Service service_;
};

}  // namespace

Result<std::unique_ptr<MailChannel>> make_smtp_channel(SmtpOptions options, SmtpParts parts) {
  auto channel = std::make_unique<SmtpChannel>(std::move(options), parts);
  if (auto started = channel->start(parts); !started) return fail(started.error());
  return channel;
}

}  // namespace eilbote
