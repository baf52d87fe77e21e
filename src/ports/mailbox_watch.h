// What is remembered about mailboxes whose inboxes are watched for bounces and receipts: the subscription of each, how far its
// inbox was read, and notices that a message came in. Notices are on record before the notifier is told so, and stay until the
// message was read. Used by the Graph watch and by POST /webhooks/graph. The rules of ports/outbox.h hold here too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "base/time.h"
#include "domain/ids.h"

namespace eilbote {

// What the notifier says about a subscription itself, in its own words; the gravest last. It failed to tell of some messages:
// the inbox is read again. It wants to be shown our right once more: the subscription is renewed. It has dropped the
// subscription: a new one is made, and the inbox is read again.
enum class GraphLifecycle { missed, reauthorization_required, subscription_removed };
inline constexpr auto kGraphLifecycleNames =
    enum_names<GraphLifecycle>({{GraphLifecycle::missed, "missed"},
                                {GraphLifecycle::reauthorization_required, "reauthorizationRequired"},
                                {GraphLifecycle::subscription_removed, "subscriptionRemoved"}});
static_assert(kGraphLifecycleNames.complete());

// How long a notice that was read is remembered.
inline constexpr Duration kReadNoticeLife = std::chrono::days{7};

struct WatchedMailbox {
  std::string mailbox;
  std::string subscription_id;  // empty: none
  std::string client_state;     // the secret that notifications must carry
  std::optional<TimePoint> subscription_ends{};
  std::string delta_link;                   // where to read on; empty: not read yet
  std::optional<TimePoint> traced_until{};  // of the message trace
  std::optional<GraphLifecycle> wants{};    // what the notifier said last and nobody has acted on
};

struct MailNotice {
  std::int64_t number = 0;  // given by the store
  std::string mailbox;
  std::string message_id;  // the provider's id of the message that came in
  int tries = 0;           // how often it was put off
};

class MailboxWatch {
 public:
  virtual ~MailboxWatch() = default;

  // Which of these mailboxes this instance keeps for the next `lease`: those it has, and those nobody alive has (the lease is
  // over, or the instance is). Others are kept by other instances. By name; a name that is given twice is kept once.
  virtual Result<std::vector<WatchedMailbox>> keep(Epoch epoch, std::span<const std::string> mailboxes,
                                                   Duration lease) = 0;
  // Every mailbox that was ever kept, by name, at most `limit`: those that were seen sending before a restart, or by an instance
  // that is gone.
  virtual Result<std::vector<std::string>> known(int limit) = 0;
  // Writes all but the keeper. What `mailbox` wants was acted on and is forgotten; what came in since it was kept stays.
  virtual Result<void> save(const WatchedMailbox& mailbox) = 0;
  // Those with one of these subscriptions.
  virtual Result<std::vector<WatchedMailbox>> with_subscriptions(
      std::span<const std::string> subscription_ids) = 0;
  // On record until save(); a graver one that waits already stays. Nothing happens when nobody watches the mailbox.
  virtual Result<void> want(const std::string& mailbox, GraphLifecycle wish) = 0;

  // One transaction; a message that is known already (same mailbox and id) is not added again, also when it was read. Answers how
  // many are new.
  virtual Result<int> add(std::span<const MailNotice> notices) = 0;
  // Notices that wait, oldest first, of these mailboxes; not those put off to a later time.
  virtual Result<std::vector<MailNotice>> waiting(std::span<const std::string> mailboxes, int limit) = 0;
  // They were read, or are of no interest. They are remembered for a week, so that their repetition is known.
  virtual Result<void> read(std::span<const std::int64_t> numbers) = 0;
  // Could not be read now; tried again after `delay`.
  virtual Result<void> put_off(std::int64_t number, Duration delay) = 0;
  // Forgets what was read more than a week ago; answers how many.
  virtual Result<int> forget_read(int rows_max) = 0;
};

}  // namespace eilbote
