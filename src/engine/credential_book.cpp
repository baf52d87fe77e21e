#include "engine/credential_book.h"

#include <algorithm>
#include <atomic>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/log.h"
#include "domain/secret_reference.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;

constexpr Duration kAgeMax = 1s;
// Before a job is refused for good, the registry is asked again unless it just was: an operator may have activated the
// account on another instance a moment ago.
constexpr Duration kAgeMaxToRefuse = 100ms;
constexpr Duration kSecretLife = 60s;
// A source that is away is not asked for every delivery.
constexpr Duration kFailureLife = 1s;
constexpr std::size_t kResolvedMax = 1'000;
constexpr std::size_t kFetchedAheadMax = 10'000;
// A secret that is just being fetched is there in a moment.
constexpr Duration kFetchTakes = 1s;
constexpr Duration kUseEvery = 10s;

bool is_for(const ServiceAccount& account, const ClientName& client) {
  return std::find(account.client_ids.begin(), account.client_ids.end(), client.value()) !=
         account.client_ids.end();
}

Error refusal(std::string text) {
  return Error{ErrorKind::invalid, std::move(text)};
}

// What forbids this client the account; nothing when it may be used. One that is not for this client does not exist for it.
std::optional<Error> objection(const ServiceAccount* account, const ClientName& client) {
  if (account == nullptr || !is_for(*account, client))
    return refusal("there is no such service account for this client (its clientIds must name the client)");
  if (!account->active) return refusal("the service account '" + account->code + "' is inactive");
  return std::nullopt;
}

// The token68 of RFC 7617 from "user:password", or from itself; nothing for anything else.
std::optional<std::string> basic_credentials(const std::string& text) {
  if (text.find(':') != std::string::npos) return base64_encode(text);
  const auto decoded = base64_decode(text);
  if (!decoded || decoded->find(':') == std::string::npos) return std::nullopt;
  return text;
}

}  // namespace

CredentialBook::Accounts CredentialBook::known(Duration age_max) {
  const MutexLock lock(mutex_);
  return clock_.steady_now() - read_at_ < age_max ? accounts_ : nullptr;
}

Result<CredentialBook::Accounts> CredentialBook::read() {
  const Steady now = clock_.steady_now();
  std::uint64_t changes = 0;
  {
    const MutexLock lock(mutex_);
    changes = changes_;
  }
  auto rows = registry_.accounts();
  if (!rows) return fail(rows.error().with_context("service accounts"));
  const auto fresh = std::make_shared<const std::vector<ServiceAccount>>(std::move(*rows));
  fetch_ahead(*fresh);
  const MutexLock lock(mutex_);
  if (changes == changes_) {
    read_at_ = now;
    accounts_ = fresh;
  }
  return fresh;
}

void CredentialBook::fetch_ahead(const std::vector<ServiceAccount>& accounts) {
  std::vector<std::string> fresh;
  {
    const MutexLock lock(mutex_);
    if (fetched_ahead_.size() > kFetchedAheadMax) fetched_ahead_.clear();
    for (const ServiceAccount& account : accounts)
      for (const std::string* reference :
           {&account.credentials.auth_token_ref, &account.credentials.signing_secret_ref})
        if (is_remote_secret(*reference) && fetched_ahead_.insert(*reference).second)
          fresh.push_back(*reference);
  }
  for (const std::string& reference : fresh)
    (void)secrets_.at_hand(reference);
}

Result<void> CredentialBook::begin() {
  auto reading = read();
  return reading ? Result<void>() : fail(reading.error());
}

Result<CredentialBook::Accounts> CredentialBook::accounts() {
  if (Accounts young = known(kAgeMax)) return young;
  {
    const MutexLock lock(mutex_);
    // While the registry is away it is not asked for every delivery.
    if (accounts_ && clock_.steady_now() < retry_at_) return accounts_;
  }
  auto fresh = read();
  if (fresh) return fresh;
  const MutexLock lock(mutex_);
  retry_at_ = clock_.steady_now() + kAgeMax;
  if (!accounts_) return fresh;
  log::warning("service accounts cannot be read; going on with those read last",
               {{"error", fresh.error().message}});
  return accounts_;
}

Result<CredentialBook::Found> CredentialBook::usable(const std::string& id, const ClientName& client) {
  auto reading = accounts();
  if (!reading) return fail(reading.error());
  const ServiceAccount* account = find_account(**reading, id);
  if (!objection(account, client)) return Found{*reading, account};
  if (account == nullptr || !known(kAgeMaxToRefuse)) {
    reading = read();
    if (!reading) return fail(reading.error());
    account = find_account(**reading, id);
  }
  if (auto error = objection(account, client)) return fail(std::move(*error));
  return Found{*reading, account};
}

Result<void> CredentialBook::check(const std::string& service_account_id, const ClientName& client) {
  if (auto found = usable(service_account_id, client); !found) return fail(found.error());
  return {};
}

Result<Secret> CredentialBook::resolve(const std::string& reference) {
  const Steady now = clock_.steady_now();
  std::uint64_t renewals = 0;
  {
    const MutexLock lock(mutex_);
    renewals = renewals_;
    const auto known = resolved_.find(reference);
    if (known != resolved_.end() && now < known->second.until) return known->second.secret;
  }
  auto known = secrets_.at_hand(reference);
  if (!known) return fail(ErrorKind::overloaded, "its secret is just being read");
  Result<Secret> secret = std::move(*known);
  const MutexLock lock(mutex_);
  if (renewals != renewals_)
    return secret;  // may be from before a renewal: good for once, not to be remembered
  // References come and go with regenerations; what is out of date is dropped before it adds up.
  if (resolved_.size() >= kResolvedMax)
    std::erase_if(resolved_, [&](const auto& entry) { return entry.second.until <= now; });
  resolved_.insert_or_assign(reference, Resolved{secret, now + (secret ? kSecretLife : kFailureLife)});
  return secret;
}

Result<Secret> CredentialBook::authorization(const ServiceAccount& account) {
  const WebhookCredentials& credentials = account.credentials;
  if (credentials.auth_token_ref.empty()) return Secret();
  auto secret = resolve(credentials.auth_token_ref);
  if (!secret) return secret;
  if (has_control(secret->reveal()))
    return fail(ErrorKind::unavailable, "the auth token has line breaks or other control characters in it");
  switch (credentials.auth_type) {
    case WebhookAuthType::BEARER:
      return Secret("Bearer " + secret->reveal());
    case WebhookAuthType::BASIC:
      break;
  }
  const auto basic = basic_credentials(secret->reveal());
  if (!basic)
    return fail(ErrorKind::unavailable, "the auth token for BASIC must be user:password or its base64");
  return Secret("Basic " + *basic);
}

Result<Secret> CredentialBook::signing_key(const ServiceAccount& account, const std::string& reference) {
  constexpr std::string_view kEncoded = "whsec_";
  auto secret = resolve(reference);
  if (!secret) return secret;
  const std::string_view text = secret->reveal();
  if (text.starts_with(kEncoded) && !base64_decode(text.substr(kEncoded.size())))
    return fail(ErrorKind::unavailable,
                "the signing secret of '" + account.code + "' begins with whsec_, but no base64 follows");
  return secret;
}

Result<WebhookKeys> CredentialBook::keys_of(const ServiceAccount& account) {
  const WebhookCredentials& credentials = account.credentials;
  WebhookKeys keys;
  keys.style = credentials.signature_style;
  auto header = authorization(account);
  if (!header) return fail(header.error());
  keys.authorization = std::move(*header);
  if (!credentials.signing_secret_ref.empty()) {
    auto key = signing_key(account, credentials.signing_secret_ref);
    if (!key) return fail(key.error());
    keys.signing.push_back(std::move(*key));
    const bool overlap = !credentials.previous_secret_ref.empty() && credentials.previous_until &&
                         clock_.now() < *credentials.previous_until;
    // Without the old key the delivery is still signed rightly; receivers that know only the old one refuse it, and it
    // is tried again.
    if (overlap)
      if (auto previous = signing_key(account, credentials.previous_secret_ref))
        keys.signing.push_back(*previous);
  }
  return keys;
}

Credentials CredentialBook::keys_for(const std::string& service_account_id, const ClientName& client) {
  if (service_account_id.empty()) return WebhookKeys{};
  const auto found = usable(service_account_id, client);
  if (!found && found.error().kind == ErrorKind::invalid) return CredentialsRefused{found.error().message};
  if (!found) return CredentialsUnavailable{found.error().message};
  const ServiceAccount* const account = found->account;
  auto keys = keys_of(*account);
  if (!keys) {
    CredentialsUnavailable away{"service account '" + account->code + "': " + keys.error().message};
    if (keys.error().kind == ErrorKind::overloaded) away.come_back = kFetchTakes;
    return away;
  }
  note_use(account->id);
  return std::move(*keys);
}

namespace {

bool are_same(const WebhookKeys& a, const WebhookKeys& b) {
  return a.authorization.is_same_as(b.authorization) &&
         std::equal(a.signing.begin(), a.signing.end(), b.signing.begin(), b.signing.end(),
                    [](const Secret& x, const Secret& y) { return x.is_same_as(y); });
}

}  // namespace

void CredentialBook::forget_secrets(const ServiceAccount& account) {
  const MutexLock lock(mutex_);
  ++renewals_;
  resolved_.erase(account.credentials.auth_token_ref);
  resolved_.erase(account.credentials.signing_secret_ref);
}

void CredentialBook::refused(const std::string& service_account_id, WebhookKeys used,
                             std::function<void(bool)> done) {
  // The last reading, however old: the registry is not asked from here.
  Accounts reading;
  {
    const MutexLock lock(mutex_);
    reading = accounts_;
  }
  const ServiceAccount* account = reading ? find_account(*reading, service_account_id) : nullptr;
  if (account == nullptr) return done(false);
  std::vector<std::string> references;
  for (const std::string* one :
       {&account->credentials.auth_token_ref, &account->credentials.signing_secret_ref})
    if (!one->empty()) references.push_back(*one);
  if (references.empty()) return done(false);
  // Whoever comes back last compares.
  struct Round {
    std::atomic<std::size_t> left;
    Accounts reading;
    const ServiceAccount* account;
    WebhookKeys used;
    std::function<void(bool)> done;
  };
  const auto round =
      std::make_shared<Round>(references.size(), reading, account, std::move(used), std::move(done));
  for (const std::string& reference : references)
    secrets_.renew(reference, [this, round](const Result<Secret>&) {
      if (--round->left > 0) return;
      forget_secrets(*round->account);  // a delivery may have looked at the old ones meanwhile
      const auto keys = keys_of(*round->account);
      round->done(keys && !are_same(*keys, round->used));
    });
}

Result<std::optional<std::string>> CredentialBook::default_account(const ClientName& client) {
  const auto reading = accounts();
  if (!reading) return fail(reading.error());
  const ServiceAccount* only = nullptr;
  int listed = 0;
  for (const ServiceAccount& account : **reading) {
    if (objection(&account, client)) continue;
    if (account.code == client.value()) return to_text(account.id);
    only = &account;
    ++listed;
  }
  if (listed != 1) return std::nullopt;
  return to_text(only->id);
}

void CredentialBook::forget() {
  const MutexLock lock(mutex_);
  ++changes_;
  // Kept as the last good one, but too old for every question.
  read_at_ = clock_.steady_now() - 24h;
}

void CredentialBook::note_use(JobId id) {
  const MutexLock lock(mutex_);
  Used& used = used_[id];
  used.at = clock_.now();
  used.written = false;
}

Result<void> CredentialBook::flush_used() {
  std::vector<std::pair<JobId, TimePoint>> due;
  const Steady now = clock_.steady_now();
  {
    const MutexLock lock(mutex_);
    for (const auto& [id, used] : used_)
      if (!used.written && (!used.written_at || now - *used.written_at >= kUseEvery))
        due.emplace_back(id, used.at);
  }
  for (const auto& [id, at] : due) {
    if (auto written = registry_.account_used(id, at); !written) return written;
    const MutexLock lock(mutex_);
    Used& used = used_[id];
    used.written = used.at == at;
    used.written_at = now;
  }
  return {};
}

}  // namespace eilbote
