// The option table: every option of Eilbote, once. The loader, `serve --help`, docs/configuration.md, the
// sample file and `eilbote config` all come from it, so that none of them can tell another story.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"

namespace eilbote {

// What the machine says about itself; some defaults depend on it.
struct Surroundings {
  std::string host_name;
  bool log_is_terminal = false;
};

// What kind of value an option takes: its name for people, the values allowed, and how it gets into the
// Config.
struct OptionKind {
  std::string type;     // "number", "duration"
  std::string allowed;  // "1 to 64", "text, json"; empty: anything
  // The error says what would be right: "must be a number from 1 to 64".
  std::function<Result<void>(Config&, std::string_view)> set;
};

enum class Masked { no, yes, url_password };

struct Option {
  std::string_view key;       // the name in the environment, and in every message: EILBOTE_LISTEN
  std::string_view toml;      // the name in the file: server.listen
  std::string_view section;   // heading in the reference
  std::string_view fallback;  // the default, as one would write it; empty: none
  OptionKind kind;
  std::string_view help;
  Masked masked = Masked::no;
  // A default that depends on other options or on the machine; called after those are set.
  std::function<std::string(const Config&, const Surroundings&)> computed{};
  std::string_view computed_text{};  // how the reference describes it
};

const std::vector<Option>& option_table();

// EILBOTE_STORE_URL -> --store-url; DISPATCH_MAX_ATTEMPTS -> --dispatch-max-attempts.
std::string flag_name(const Option& option);

// The value as it may be shown.
std::string shown_value(const Option& option, std::string_view value);

// Variables that begin like options but are none: the command line's, the tests', and those that Kubernetes
// makes for a service of that name.
bool is_foreign_variable(std::string_view name);

}  // namespace eilbote
