#include "auth/oidc.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "auth/key_fetch.h"
#include "auth/token_cache.h"
#include "base/log.h"
#include "base/mutex.h"

namespace eilbote {
namespace {

using Steady = Clock::Steady;

constexpr Duration kRetryMin = std::chrono::seconds{1};
constexpr Duration kRetryMax = std::chrono::seconds{30};

class Oidc final : public OidcAuthenticator {
 public:
  Oidc(OidcOptions options, const Clock& clock, Metrics& metrics)
      : options_(std::move(options)), clock_(clock), metrics_(metrics), cache_(options_.tokens_max) {
    for (const char* const outcome : {"ok", "failed"})
      metrics_.add(Metric::auth_key_fetches, 0, {outcome});
  }

  Result<void> start() {
    HttpClientOptions http;
    http.ca_file = options_.ca_file;
    http.lookup = options_.lookup;
    auto client = make_http_client(std::move(http));
    if (!client) return fail(client.error());
    {
      const MutexLock lock(client_mutex_);
      http_ = std::move(*client);
    }
    tend();
    return {};
  }

  void authenticate(std::string_view token, Done done) override;
  Result<void> ready() override;
  void tend() override;
  void stop() override;

 private:
  using Keys = std::shared_ptr<const KeySet>;  // one reading, looked at without the lock
  struct Waiting {
    std::string token;
    Done done;
    bool is_late;  // the reading had begun already, and may not see what is newer than its beginning
  };

  // Nothing: no key fits, which newer keys may change.
  std::optional<AuthResult> check(std::string_view token, const Keys& keys);
  // Queues it for the keys to come; what is answered at once when it cannot wait.
  std::optional<TokenRefusal> wait(std::string_view token, Done& done);
  void fetch();
  void fetched(Result<KeySet> keys);
  void tell(const Result<KeySet>& keys, bool had_keys, bool was_failing) const;
  Keys keys() {
    const MutexLock lock(mutex_);
    return keys_;
  }
  TokenRefusal keys_away() const {
    return {TokenFault::keys_away, "the keys of the issuer cannot be read now, so no token can be checked"};
  }
  TokenRefusal unknown_key() const {
    return {TokenFault::unknown_key, "no key of the issuer fits the token"};
  }

  const OidcOptions options_;
  const Clock& clock_;
  Metrics& metrics_;
  TokenCache cache_;

  Mutex mutex_;
  Keys keys_ EILBOTE_GUARDED_BY(mutex_);  // null: none yet
  bool fetching_ EILBOTE_GUARDED_BY(mutex_) = false;
  bool failing_ EILBOTE_GUARDED_BY(mutex_) = false;  // the last reading failed
  std::string trouble_ EILBOTE_GUARDED_BY(mutex_);   // of the last reading
  Duration retry_ EILBOTE_GUARDED_BY(mutex_) = kRetryMin;
  Steady next_fetch_ EILBOTE_GUARDED_BY(mutex_){};  // when tend() reads them
  std::optional<Steady> last_for_unknown_ EILBOTE_GUARDED_BY(mutex_);
  std::vector<Waiting> waiting_ EILBOTE_GUARDED_BY(mutex_);
  bool stopped_ EILBOTE_GUARDED_BY(mutex_) = false;

  Mutex client_mutex_;  // never held while mutex_ is taken
  // Null: stopped. Last: its thread calls into all the above.
  std::unique_ptr<HttpClient> http_ EILBOTE_GUARDED_BY(client_mutex_);
};

void Oidc::authenticate(std::string_view token, Done done) {
  if (token.size() <= kTokenBytesMax)
    if (auto known = cache_.find(sha256(token), clock_.now())) return done(std::move(*known));
  const Keys used = keys();
  if (auto result = check(token, used)) return done(std::move(*result));
  auto refusal = wait(token, done);
  if (!refusal) return;
  // A reading may have ended between the two: the token was held against keys that are not the last ones any more.
  if (const Keys now_known = keys(); now_known != used)
    if (auto result = check(token, now_known)) return done(std::move(*result));
  done(tl::unexpected(std::move(*refusal)));
}

std::optional<AuthResult> Oidc::check(std::string_view token, const Keys& keys) {
  const auto read = read_token(token);
  if (!read) return tl::unexpected(read.error());
  const VerifyKey* key = keys ? keys->find(read->kid, read->algorithm) : nullptr;
  if (key == nullptr) return std::nullopt;
  if (!key->made(read->signature, read->signed_part))
    return tl::unexpected(TokenRefusal{TokenFault::signature, "the token's signature is wrong"});
  const TimePoint now = clock_.now();
  const TokenRules rules{options_.issuer, options_.audience};
  auto checked = check_claims(read->claims, rules, now);
  if (!checked) return tl::unexpected(checked.error());
  cache_.add(sha256(token), checked->identity,
             std::min(checked->expires_at + rules.skew, now + options_.keys_life));
  return std::move(checked->identity);
}

std::optional<TokenRefusal> Oidc::wait(std::string_view token, Done& done) {
  {
    const MutexLock lock(mutex_);
    const Steady now = clock_.steady_now();
    if (stopped_) return keys_away();
    if (!fetching_) {
      // Without keys at all, tend() tries again and again; a request need not.
      if (!keys_) return keys_away();
      if (last_for_unknown_ && now - *last_for_unknown_ < options_.unknown_key_pause) {
        if (failing_) return keys_away();
        return unknown_key();
      }
      last_for_unknown_ = now;
    }
    if (waiting_.size() >= options_.waiting_max) return keys_away();
    waiting_.push_back({std::string(token), std::move(done), fetching_});
    if (std::exchange(fetching_, true)) return std::nullopt;
  }
  fetch();
  return std::nullopt;
}

void Oidc::tend() {
  {
    const MutexLock lock(mutex_);
    if (stopped_ || fetching_ || clock_.steady_now() < next_fetch_) return;
    fetching_ = true;
  }
  fetch();
}

void Oidc::stop() {
  std::vector<Waiting> dropped;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    dropped.swap(waiting_);
  }
  std::unique_ptr<HttpClient> ending;  // without the lock: its thread may want it
  {
    const MutexLock lock(client_mutex_);
    ending.swap(http_);
  }
}

void Oidc::fetch() {
  const MutexLock lock(client_mutex_);
  if (!http_) return;
  fetch_keys(*http_, clock_, {options_.issuer, options_.fetch_timeout},
             [this](Result<KeySet> keys) { fetched(std::move(keys)); });
}

void Oidc::fetched(Result<KeySet> keys) {
  std::vector<Waiting> waiting;
  Keys now_known;
  bool had_keys = false, was_failing = false;
  {
    const MutexLock lock(mutex_);
    had_keys = keys_ != nullptr;
    was_failing = std::exchange(failing_, !keys);
    const Steady now = clock_.steady_now();
    if (keys) {
      keys_ = std::make_shared<const KeySet>(*keys);
      retry_ = kRetryMin;
      next_fetch_ = now + options_.keys_life * 4 / 5;
    } else {
      trouble_ = keys.error().message;
      next_fetch_ = now + retry_;
      retry_ = std::min(2 * retry_, kRetryMax);
    }
    fetching_ = false;
    waiting.swap(waiting_);
    now_known = keys_;
  }
  tell(keys, had_keys, was_failing);
  for (Waiting& one : waiting) {
    auto result = check(one.token, now_known);
    if (!result && !keys) result = tl::unexpected(keys_away());
    if (!result && one.is_late) {
      auto refusal = wait(one.token, one.done);
      if (!refusal) continue;
      result = tl::unexpected(std::move(*refusal));
    }
    if (!result) result = tl::unexpected(unknown_key());
    one.done(std::move(*result));
  }
}

void Oidc::tell(const Result<KeySet>& keys, bool had_keys, bool was_failing) const {
  metrics_.add(Metric::auth_key_fetches, 1, {keys ? "ok" : "failed"});
  if (!keys)
    log::warning(had_keys ? "the issuer's keys cannot be read; going on with those known"
                          : "the issuer's keys cannot be read; every request is answered 503 until they are",
                 {{"issuer", options_.issuer}, {"error", keys.error().message}});
  else if (!had_keys || was_failing)
    log::info("the issuer's keys are here", {{"issuer", options_.issuer}, {"keys", keys->size()}});
}

Result<void> Oidc::ready() {
  const MutexLock lock(mutex_);
  if (keys_) return {};
  return fail(ErrorKind::unavailable,
              "the issuer's keys are not here yet" + (trouble_.empty() ? "" : ": " + trouble_));
}

}  // namespace

Result<std::unique_ptr<OidcAuthenticator>> make_oidc_authenticator(OidcOptions options, const Clock& clock,
                                                                   Metrics& metrics) {
  auto made = std::make_unique<Oidc>(std::move(options), clock, metrics);
  if (auto started = made->start(); !started) return fail(started.error());
  return made;
}

}  // namespace eilbote
