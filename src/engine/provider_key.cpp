#include "engine/provider_key.h"

#include "base/hex.h"
#include "base/hmac.h"
#include "base/log.h"

namespace eilbote {
namespace {

constexpr Duration kRenewPause = std::chrono::seconds{10};
constexpr std::string_view kAlgorithmPrefix = "sha256=";

// The bytes that a signature spells; nothing when it is none.
std::optional<Sha256> read_signature(std::string_view text) {
  if (text.starts_with(kAlgorithmPrefix)) text.remove_prefix(kAlgorithmPrefix.size());
  Sha256 bytes{};
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = hex_value(text[2 * i]), low = hex_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return bytes;
}

// Takes as long for one that is nearly right as for one that is wrong from the start.
bool fits(const Secret& secret, std::string_view body, const Sha256& given) {
  return Secret(to_hex(hmac_sha256(secret.reveal(), body))).is_same_as(Secret(to_hex(given)));
}

// An empty key would let everybody sign.
bool is_usable(const Result<Secret>& secret) {
  if (!secret) {
    log::error("the key of provider signatures cannot be read", {{"error", secret.error().message}});
    return false;
  }
  if (secret->empty()) log::error("the key of provider signatures is empty: EILBOTE_PROVIDER_SECRET_REF");
  return !secret->empty();
}

}  // namespace

bool ProviderKey::may_renew() {
  const Clock::Steady now = clock_.steady_now();
  const MutexLock lock(mutex_);
  if (renewed_ && now - *renewed_ < kRenewPause) return false;
  renewed_ = now;
  return true;
}

void ProviderKey::check(std::string_view body, std::string_view signature, Done done) {
  if (reference_.empty()) return done(SignatureCheck::not_configured);
  const auto given = read_signature(signature);
  if (!given) return done(SignatureCheck::wrong);
  const auto secret = secrets_.resolve(reference_);
  if (!is_usable(secret)) return done(SignatureCheck::unavailable);
  if (fits(*secret, body, *given)) return done(SignatureCheck::good);
  if (!may_renew()) return done(SignatureCheck::wrong);
  secrets_.renew(reference_, [body = std::string(body), given = *given,
                              done = std::move(done)](const Result<Secret>& newer) {
    if (!is_usable(newer)) return done(SignatureCheck::unavailable);
    done(fits(*newer, body, given) ? SignatureCheck::good : SignatureCheck::wrong);
  });
}

}  // namespace eilbote
