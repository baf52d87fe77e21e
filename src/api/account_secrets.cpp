#include "api/account_secrets.h"

#include "base/base64.h"
#include "base/secure_random.h"

namespace eilbote {
namespace {

constexpr std::string_view kLettersAndDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t kTokenCharacters = 24;
constexpr std::size_t kSigningBytes = 32;

}  // namespace

Secret new_auth_token(WebhookAuthType type, const std::string& code) {
  const std::string token = "fc_" + secure_text(kTokenCharacters, kLettersAndDigits);
  switch (type) {
    case WebhookAuthType::BEARER:
      return Secret(token);
    case WebhookAuthType::BASIC:
      break;
  }
  return Secret(code + ":" + token);
}

Secret new_signing_secret() {
  return Secret("whsec_" + base64_encode(secure_bytes(kSigningBytes)));
}

}  // namespace eilbote
