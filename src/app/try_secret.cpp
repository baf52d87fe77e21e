#include "app/try_secret.h"

#include "base/log.h"
#include "domain/secret_reference.h"

namespace eilbote {

Result<void> try_secret(SecretSource& secrets, const std::string& reference, std::string_view option) {
  if (reference.empty()) return {};
  const auto secret = secrets.resolve(reference);
  if (secret) return {};
  const Error error = secret.error().with_context(std::string(option));
  if (!is_remote_secret(reference) || error.kind != ErrorKind::unavailable) return fail(error);
  log::warning("a secret cannot be read now; what needs it waits", {{"error", error.message}});
  return {};
}

}  // namespace eilbote
