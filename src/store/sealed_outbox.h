// An outbox whose contents lie sealed in the database: MIME bytes, subjects and payloads. The one place where they are sealed
// and opened, for both stores; who is written to, tags, metadata and states stay readable, because they are searched for.
#pragma once

#include <memory>

#include "ports/content_cipher.h"
#include "ports/outbox.h"

namespace eilbote {

// `cipher` outlives it. Rows that were never sealed are read as they are.
std::unique_ptr<Outbox> make_sealed_outbox(std::unique_ptr<Outbox> real, const ContentCipher& cipher);

}  // namespace eilbote
