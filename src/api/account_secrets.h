// The secrets Eilbote makes for a service account: shown once, kept only encrypted.
#pragma once

#include <string>

#include "base/secret.h"
#include "domain/service_account.h"

namespace eilbote {

// fc_ and 24 letters and digits; for BASIC with the account's code as the user in front: "acme:fc_...".
Secret new_auth_token(WebhookAuthType type, const std::string& code);
// whsec_ and the base64 of 32 bytes.
Secret new_signing_secret();

}  // namespace eilbote
