// A TOML file as the loader wants it: option values by dotted key, and the pools. Used by loader.cpp only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "domain/pool.h"

namespace eilbote {

struct TomlValue {
  std::string text;   // as one would write it on the command line
  std::string where;  // "eilbote.toml:3"
};

struct TomlFile {
  std::map<std::string, TomlValue> values;  // "server.listen"
  std::vector<Pool> pools;
  std::vector<std::string> faults;
};

TomlFile read_toml_file(const std::string& path);
// `name` stands in messages.
TomlFile read_toml_text(const std::string& text, const std::string& name);

}  // namespace eilbote
