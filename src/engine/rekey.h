// Rekey: brings everything that is stored under the current data key, contents that were never sealed too. In small batches,
// beside a running server; what was done stays done, so that it may be stopped and started again. Used by `eilbote rekey`.
#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.h"
#include "ports/content_cipher.h"
#include "ports/content_rows.h"
#include "ports/registry.h"
#include "ports/secret_vault.h"

namespace eilbote {

struct RekeyProgress {
  double part = 0;  // of the way, from 0 to 1, by the time the rows are from
  std::int64_t seen = 0;
  std::int64_t changed = 0;
  std::int64_t unreadable = 0;  // left as they are
  std::int64_t secrets = 0;     // of service accounts, changed
};

struct RekeyParts {
  ContentRows& contents;
  const ContentCipher& cipher;
  Registry& registry;
  SecretVault& secrets;
  const Clock& clock;
};

// Tells after each batch. The old key may go when nothing was unreadable.
Result<RekeyProgress> rekey(const RekeyParts& parts, const std::function<void(const RekeyProgress&)>& tell);

}  // namespace eilbote
