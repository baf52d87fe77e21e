// What people read about options, all rendered from the option table: the reference, a sample file, the
// effective values. docs/configuration.md is options_markdown(), word for word; a test compares them.
#pragma once

#include <string>

#include "config/loader.h"

namespace eilbote {

std::string options_markdown();
std::string sample_toml();

// "KEY = value (source)" per option, then the pools; secrets masked.
std::string effective_text(const LoadedConfig& loaded);
// {"options": {KEY: {"value", "source", "where"}}, "pools": [..]}
std::string effective_json(const LoadedConfig& loaded);

}  // namespace eilbote
