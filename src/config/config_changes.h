// What is different in a configuration that was read again, and which of it a running server takes over. Asked by app/reload.cpp;
// docs/configuration.md and docs/logging.md tell people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/loader.h"

namespace eilbote {

// True: a running server takes the option over when its configuration is read again; else it needs a new start. Pools are taken
// over, too, and are no options.
bool is_live(std::string_view key);
// Of those: the files of the listener's certificate.
bool is_certificate_option(std::string_view key);

struct ConfigChanges {
  std::vector<std::string> live;        // names of options
  std::vector<std::string> at_restart;  // names of options
};

// Both have every option, in the order of the table. TLS that is switched on or off is for the next start.
ConfigChanges changes_between(const std::vector<Setting>& in_force, const std::vector<Setting>& now);

}  // namespace eilbote
