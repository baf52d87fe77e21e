#include "channel/graph_channel.h"

#include <unordered_map>

#include "channel/graph_desk.h"
#include "channel/graph_letter.h"
#include "channel/graph_requests.h"
#include "channel/graph_senders.h"

namespace eilbote {
namespace {

// Of messages on their way. A mail is there several times while it is made ready, so the rest waits; one larger mail goes alone.
constexpr std::size_t kUnderWayBytesMax = std::size_t{64} * 1024 * 1024;

class GraphChannel final : public MailChannel {
 public:
  GraphChannel(GraphOptions options, std::shared_ptr<GraphDoor> door, DraftBook& book, const Clock& clock,
               SendsFrom sends_from)
      : options_(std::move(options)),
        sends_from_(std::move(sends_from)),
        desk_(std::move(door), book, clock, options_) {
    desk_.start();
  }
  ~GraphChannel() override {
    desk_.stop();
    release_waiting();
    const auto letters = std::exchange(letters_, {});
    for (const auto& [key, letter] : letters)
      letter->abandon();
  }

  const std::string& route() const override { return route_; }

  void deliver(MailDelivery delivery, Done done) override {
    {
      const MutexLock lock(mutex_);
      waiting_.push_back({std::move(delivery), std::move(done)});
    }
    desk_.post([this] { begin_waiting(); });
  }

  void probe(std::function<void(Result<void>)> done) override {
    desk_.post([this, done = std::move(done)] {
      const std::string mailbox = first_graph_mailbox(options_.senders);
      GraphCall call = graph::probe_mailbox(mailbox);
      // Without a mailbox to ask for, the token is all that can be tried.
      if (mailbox.empty()) call.about_to_send = [] { return false; };
      desk_.call(std::move(call), [done, mailbox](const GraphAnswer& answer) {
        const bool had_token = answer.fault == ExchangeFault::not_sent && !answer.token_failed;
        if (answer.ok() || (mailbox.empty() && had_token)) return done({});
        const DeliveryResult result = judge_graph(GraphStep::search, graph::facts_of(answer)).result;
        done(fail(ErrorKind::unavailable, result.text.empty() ? "Graph was not asked" : result.text));
      });
    });
  }

  void release_waiting() override {
    std::deque<Waiting> released;
    {
      const MutexLock lock(mutex_);
      released.swap(waiting_);
    }
    for (const Waiting& one : released)
      one.done(DeliveryResult{});
  }

 private:
  struct Waiting {
    MailDelivery delivery;
    Done done;
  };

  std::optional<Waiting> next_waiting() {
    const MutexLock lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    const std::size_t size = waiting_.front().delivery.content.mime.size();
    if (!letters_.empty() && under_way_bytes_ + size > kUnderWayBytesMax) return std::nullopt;
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }

  // On the desk's thread, as everything below.
  void begin_waiting() {
    while (auto next = next_waiting())
      begin(std::move(*next));
  }

  void begin(Waiting mail) {
    const std::size_t size = mail.delivery.content.mime.size();
    const std::uint64_t key = ++last_key_;
    const std::string sender = mail.delivery.content.sender;
    under_way_bytes_ += size;
    const auto letter = std::make_shared<GraphLetter>(
        desk_, options_, std::move(mail.delivery),
        [this, key, size, sender, done = std::move(mail.done)](DeliveryResult result) {
          // Not before Graph took one: any name may be given as a sender.
          if (sends_from_ && result.verdict == Verdict::delivered) sends_from_(sender);
          letters_.erase(key);
          under_way_bytes_ -= size;
          done(std::move(result));
          desk_.post([this] { begin_waiting(); });
        });
    letters_.emplace(key, letter);
    letter->begin();
  }

  const GraphOptions options_;
  const SendsFrom sends_from_;
  const std::string route_ = "graph";
  Mutex mutex_;
  std::deque<Waiting> waiting_ EILBOTE_GUARDED_BY(mutex_);
  // The desk's thread's own. A key, as the same mail may be here twice for a moment: after a lost lease.
  std::unordered_map<std::uint64_t, std::shared_ptr<GraphLetter>> letters_;
  std::uint64_t last_key_ = 0;
  std::size_t under_way_bytes_ = 0;
  GraphDesk desk_;  // last: its thread uses the others
};

}  // namespace

std::unique_ptr<MailChannel> make_graph_channel(GraphOptions options, std::shared_ptr<GraphDoor> door,
                                                DraftBook& book, const Clock& clock, SendsFrom sends_from) {
  return std::make_unique<GraphChannel>(std::move(options), std::move(door), book, clock,
                                        std::move(sends_from));
}

}  // namespace eilbote
