// Credentials for deliveries: service accounts as the registry has them, with their secrets at hand. The ledger asks
// it for keys when it starts a webhook; the API asks it whether a job may name an account, and tells it of changes.
// Safe from many threads. May block: it reads the registry at most once a second, or when it would have to refuse.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "ports/registry.h"
#include "ports/secret_source.h"

namespace eilbote {

// Unknown, inactive, or not for this client: the delivery fails for good (CONNECTION_ERROR/PERMANENT).
struct CredentialsRefused {
  std::string text;
};
// A secret or the registry cannot be read now: the delivery is tried again (CONNECTION_ERROR/TRANSIENT).
struct CredentialsUnavailable {
  std::string text;
  Duration come_back = std::chrono::seconds{30};
};
using Credentials = std::variant<WebhookKeys, CredentialsRefused, CredentialsUnavailable>;

class CredentialBook {
 public:
  // All of them outlive it.
  CredentialBook(Registry& registry, SecretSource& secrets, const Clock& clock)
      : registry_(registry), secrets_(secrets), clock_(clock) {}

  // No text in it repeats a secret. An empty id: no credentials, no signature.
  Credentials keys_for(const std::string& service_account_id, const ClientName& client);

  // Reads the accounts, and has their secrets fetched where that takes a while.
  Result<void> begin();

  // An endpoint refused these keys: they may have been changed where they are kept, so they are asked for afresh. `done`
  // hears whether there are others now; it is called once, at once or from another thread. Does not block.
  void refused(const std::string& service_account_id, WebhookKeys used,
               std::function<void(bool changed)> done);

  // Whether a job of this client may name the account; the error (`invalid`) says why not.
  Result<void> check(const std::string& service_account_id, const ClientName& client);

  // The id of the account that callbacks go out with when none is named: the active one whose code is the client's
  // name, else the only active one, both among those that list the client.
  Result<std::optional<std::string>> default_account(const ClientName& client);

  // Something was changed here: the next question sees it.
  void forget();

  // Writes when accounts were last used, each at most every 10 s. What fails is written the next time.
  Result<void> flush_used();

 private:
  using Accounts =
      std::shared_ptr<const std::vector<ServiceAccount>>;  // one reading, looked at without the lock
  using Steady = Clock::Steady;
  struct Resolved {
    Result<Secret> secret;
    Steady until;
  };
  struct Used {
    TimePoint at;
    bool written = false;
    std::optional<Steady> written_at;
  };

  // An account in the reading it is from, which it lives as long as.
  struct Found {
    Accounts reading;
    const ServiceAccount* account;
  };

  // What was read last, if that is younger than `age_max`.
  Accounts known(Duration age_max);
  // Asks the registry.
  Result<Accounts> read();
  // No older than a second, or the last good reading when the registry is away.
  Result<Accounts> accounts();
  // The account, read again before it is refused; not refused while the registry is away.
  Result<Found> usable(const std::string& id, const ClientName& client);
  Result<Secret> resolve(const std::string& reference);
  void forget_secrets(const ServiceAccount& account);
  // Asks for secrets that come from afar before they are needed.
  void fetch_ahead(const std::vector<ServiceAccount>& accounts);
  Result<WebhookKeys> keys_of(const ServiceAccount& account);
  Result<Secret> authorization(const ServiceAccount& account);
  Result<Secret> signing_key(const ServiceAccount& account, const std::string& reference);
  void note_use(JobId id);

  Registry& registry_;
  SecretSource& secrets_;
  const Clock& clock_;

  Mutex mutex_;
  Accounts accounts_ EILBOTE_GUARDED_BY(mutex_);
  Steady read_at_ EILBOTE_GUARDED_BY(mutex_){};           // of accounts_
  Steady retry_at_ EILBOTE_GUARDED_BY(mutex_){};          // after a reading that failed
  std::uint64_t changes_ EILBOTE_GUARDED_BY(mutex_) = 0;  // a reading begun before a change is not kept
  std::unordered_map<std::string, Resolved> resolved_ EILBOTE_GUARDED_BY(mutex_);
  std::uint64_t renewals_ EILBOTE_GUARDED_BY(mutex_) = 0;  // of secrets that were refused
  std::set<std::string, std::less<>> fetched_ahead_ EILBOTE_GUARDED_BY(mutex_);
  std::map<JobId, Used> used_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
