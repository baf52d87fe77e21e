#include "net/outbound_names.h"

#include <algorithm>
#include <condition_variable>
#include <unordered_map>

#include "base/mutex.h"
#include "net/name_pool.h"

namespace eilbote {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Whoever waits holds a worker of the API, of which there are few. Beyond this nobody waits: such a job is checked when it is sent.
constexpr std::size_t kWaitersMax = 1;
// A name that was not found, or not in time, is not waited for again so soon.
constexpr std::chrono::seconds kMissingFor{10};
constexpr std::size_t kMissingMax = 10'000;

class OutboundNames final : public OutboundCheck {
 public:
  OutboundNames(const OutboundGate& gate, NameLookup lookup)
      : gate_(gate),
        forbids_([&gate](const std::string& host, const boost::asio::ip::address& address,
                         std::uint16_t port) { return gate.check(host, address, port); }),
        names_(std::move(lookup), NamePoolOptions{},
               [this](const std::string& host, const tl::expected<Addresses, LookupFault>& found) {
                 land(host, found);
               }) {}

  OutboundVerdict look(const WebhookUrl& url) override {
    if (gate_.forbids_port(url.port)) return {true, OutboundRule::blocked_port};
    if (url.host_is_address) return {true, forbidden_by(forbids_, url.host, {}, url.port)};
    if (const auto addresses = names_.fresh(url.host))
      return {true, forbidden_by(forbids_, url.host, *addresses, url.port)};
    const MutexLock lock(mutex_);
    const bool is_worth_it = waits_.size() < kWaitersMax && !is_missing(url.host);
    return {!is_worth_it, std::nullopt};
  }

  std::optional<OutboundRule> ask(const WebhookUrl& url, milliseconds& patience) override {
    const OutboundVerdict known = look(url);
    if (known.is_known || patience <= milliseconds{0}) return known.refused_by;
    const auto begin = Steady::now();
    const auto addresses = wait_for(url.host, patience);
    patience -= std::chrono::duration_cast<milliseconds>(Steady::now() - begin);
    if (!addresses) return std::nullopt;
    return forbidden_by(forbids_, url.host, *addresses, url.port);
  }

 private:
  struct Wait {
    const std::string& host;
    bool has_landed = false;
    std::optional<Addresses> addresses{};
  };

  std::optional<Addresses> wait_for(const std::string& host, milliseconds patience) {
    Wait wait{host};
    const MutexLock lock(mutex_);
    if (waits_.size() >= kWaitersMax) return std::nullopt;
    waits_.push_back(&wait);
    bool has_begun = false;
    {
      const MutexUnlock around_call(mutex_);
      has_begun = names_.begin(host);
    }
    if (has_begun) landed_.wait_for(mutex_, patience, [&] { return wait.has_landed; });
    std::erase(waits_, &wait);
    if (!wait.addresses) remember_missing(host);
    return std::move(wait.addresses);
  }

  void land(const std::string& host, const tl::expected<Addresses, LookupFault>& found) {
    const MutexLock lock(mutex_);
    for (Wait* const wait : waits_) {
      if (wait->host != host) continue;
      wait->has_landed = true;
      if (found) wait->addresses = *found;
    }
    landed_.notify_all();
  }

  bool is_missing(const std::string& host) const EILBOTE_REQUIRES(mutex_) {
    const auto found = missing_.find(host);
    return found != missing_.end() && Steady::now() < found->second;
  }
  void remember_missing(const std::string& host) EILBOTE_REQUIRES(mutex_) {
    const auto now = Steady::now();
    if (missing_.size() >= kMissingMax)
      std::erase_if(missing_, [now](const auto& one) { return one.second <= now; });
    if (missing_.size() < kMissingMax) missing_[host] = now + kMissingFor;
  }

  const OutboundGate& gate_;
  const OutboundForbids forbids_;
  Mutex mutex_;  // never held while the pool is called
  std::condition_variable_any landed_;
  std::vector<Wait*> waits_ EILBOTE_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Steady::time_point> missing_ EILBOTE_GUARDED_BY(mutex_);
  NamePool names_;  // last: its threads use the others
};

}  // namespace

std::unique_ptr<OutboundCheck> make_outbound_check(const OutboundGate& gate, NameLookup lookup) {
  return std::make_unique<OutboundNames>(gate, std::move(lookup));
}

}  // namespace eilbote
