// Reads the configuration: flag before environment before TOML file before default. All faults at once, each
// with the name of the key and, where a name is unknown, the nearest right one. Called by the command line,
// and by a server again on SIGHUP.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/option.h"

namespace eilbote {

struct ConfigSources {
  std::map<std::string, std::string> flags;        // by flag name: "--listen"
  std::map<std::string, std::string> environment;  // all of it
  std::string file;                                // path of the TOML file; empty: EILBOTE_CONFIG, else none
  Surroundings surroundings;
  bool listens =
      true;  // false: for a command that opens no listener, so that who may call it does not matter
};

enum class Origin { flag, environment, file, fallback };
inline constexpr auto kOriginNames = enum_names<Origin>({{Origin::flag, "flag"},
                                                         {Origin::environment, "environment"},
                                                         {Origin::file, "file"},
                                                         {Origin::fallback, "default"}});
static_assert(kOriginNames.complete());

// One option with the value that won.
struct Setting {
  const Option* option = nullptr;
  std::string value;
  Origin origin = Origin::fallback;
  std::string where;  // "--listen", "EILBOTE_LISTEN", "eilbote.toml:3"; empty for a default
};

struct LoadedConfig {
  Config config;
  std::vector<Setting> settings;    // in the order of the table
  std::vector<std::string> faults;  // empty: the configuration may be used
};

LoadedConfig load_config(const ConfigSources& sources);

// The process's own environment, host name and terminal.
std::map<std::string, std::string> process_environment();
Surroundings process_surroundings();

}  // namespace eilbote
