// Tests a relay step by step, as far as it goes without a mail, and says what was found in plain words. For people at a
// terminal; blocks until it is done.
#pragma once

#include <vector>

#include "domain/relay_finding.h"
#include "domain/smtp_options.h"
#include "net/name_lookup.h"
#include "ports/secret_source.h"

namespace eilbote {

std::vector<RelayFinding> probe_relay(const SmtpOptions& options, SecretSource& secrets,
                                      const NameLookup& lookup);

}  // namespace eilbote
