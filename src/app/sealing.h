// Whether contents are sealed, and under which keys; decided once, at the start of a server or of `rekey`.
#pragma once

#include <memory>

#include "config/config.h"
#include "ports/content_cipher.h"
#include "ports/content_rows.h"
#include "ports/secret_source.h"

namespace eilbote {

// Null where EILBOTE_DATA_KEY_REF is not set. Refuses to begin where contents are sealed under a key that is not here: they
// could neither be sent nor shown.
Result<std::unique_ptr<ContentCipher>> content_cipher(const Config& config, SecretSource& secrets,
                                                      ContentRows& contents);

}  // namespace eilbote
