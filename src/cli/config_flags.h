// The option table as flags, for commands that read the server's configuration themselves.
#pragma once

#include <CLI/App.hpp>
#include <map>
#include <memory>
#include <string>

#include "config/loader.h"

namespace eilbote::cli {

struct ConfigFlags {
  std::map<std::string, std::string> values;  // by flag, only those given
  std::string file;
};

std::shared_ptr<ConfigFlags> add_config_flags(CLI::App& command);

// With the environment of this process.
LoadedConfig load_with(const ConfigFlags& flags);
// The same for a command that opens no listener: in a container image that listens everywhere it needs no issuer.
LoadedConfig load_without_listener(const ConfigFlags& flags);

// True when the configuration may be used; else all its faults have been told.
bool is_usable(const LoadedConfig& loaded);

}  // namespace eilbote::cli
