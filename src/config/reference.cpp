#include "config/reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_escape.h"
#include "config/config_changes.h"

namespace eilbote {
namespace {

constexpr std::string_view kIntroduction = R"(# Configuration

Written by `eilbote describe options`; the rows come from `src/config/option_table.cpp`.

An option is taken from the command line, else from the environment, else from the TOML file (`--config FILE` or
`EILBOTE_CONFIG`), else it has its default. A name that is not in this list, or a value that is not allowed, stops the
start; the message names the key and the nearest right one, and all faults are told at once. An empty value counts as not
given. `eilbote config` shows what is in force and where it comes from, `eilbote config --sample` prints a file to start
from.

Durations are written `250ms`, `30s`, `10m`, `1h`, `5d`; sizes `4096`, `64KiB`, `32MiB`. Secrets are given by
reference: `env://NAME` (a variable), `file://PATH` (a file's content without the line end), `vault://PATH#KEY` and others;
[secrets.md](secrets.md) has them all.
)";

constexpr std::string_view kPools = R"(
## Pools

A pool is a lane with limits of its own; a mail names one with `pool`, else it is in `mail`. Among the options, pools are
written in the file only:

```toml
[pools.newsletter]
name = "Newsletter"             # for people; the code is the table's name
rate_limit_per_minute = 600     # deliveries started per minute; absent: unlimited
burst = 10                      # how many may start at once after a pause (1)
concurrency = 8                 # deliveries open at once (256)
status = "ACTIVE"               # or "SUSPENDED": nothing starts
```

A pool with a rate or a concurrency of its own is limited exactly, over all instances: one instance at a time is its home.

Pools are also made and changed while the server runs (`/dispatch-pools`, `eilbote pools`). One that was changed there is
managed there: what the file says about it no longer counts.
)";

constexpr std::string_view kReloading = R"(
## Read again while the server runs

On SIGHUP (`systemctl reload`, `kill -HUP`) the server reads its file again, with the flags and variables it was started
with, and takes over:

- {}
- the pools of the file; one that is no longer there stays as it was.

Other options that were changed are named in the log: they need a restart. With a fault in it nothing of the file is taken
over, and the log says what is wrong, and where. [logging.md](logging.md) has more.
)";

constexpr std::string_view kNotOptions = R"(
## Not options

`EILBOTE_CONFIG` names the file. `EILBOTE_SERVER` is the address the client commands (`send`, `status`, ...) talk to,
`EILBOTE_TOKEN` the token they send, `EILBOTE_TOKEN_REF` a reference to it.
`EILBOTE_TEST_*`, `EILBOTE_BENCH_*` and `EILBOTE_CONTRACTS` belong to the project's own tests. Variables that Kubernetes
makes for a service named `eilbote` are ignored.
)";

std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string type_cell(const Option& option) {
  const auto& kind = option.kind;
  return cell(kind.allowed.empty() ? kind.type : kind.type + ": " + kind.allowed);
}

std::string default_text(const Option& option) {
  if (!option.computed_text.empty()) return std::string(option.computed_text);
  return option.fallback.empty() ? "" : "`" + std::string(option.fallback) + "`";
}

// A default as TOML: numbers bare, everything else in quotes.
std::string toml_value(const Option& option) {
  const bool bare = option.kind.type == "number" || option.kind.type == "decimal";
  return bare ? std::string(option.fallback) : "\"" + std::string(option.fallback) + "\"";
}

std::string live_options() {
  std::string names;
  for (const auto& option : option_table())
    if (is_live(option.key)) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", option.key);
  return names;
}

std::string json(std::string_view text) {
  std::string quoted;
  append_json_string(quoted, text);
  return quoted;
}

}  // namespace

std::string options_markdown() {
  std::string out(kIntroduction);
  std::string_view section;
  for (const auto& option : option_table()) {
    if (option.section != section) {
      section = option.section;
      out += fmt::format(
          "\n## {}\n\n| environment | flag | file | value | default | what it does "
          "|\n|---|---|---|---|---|---|\n",
          section);
    }
    out += fmt::format("| `{}` | `{}` | `{}` | {} | {} | {} |\n", option.key, flag_name(option), option.toml,
                       type_cell(option), cell(default_text(option)), cell(option.help));
  }
  out += kPools;
  out += fmt::format(kReloading, live_options());
  out += kNotOptions;
  return out;
}

std::string sample_toml() {
  std::string out =
      "# Eilbote: a configuration with every option at its default. Use it with --config FILE.\n";
  // One table per first part of the key, in the order of first appearance.
  std::vector<std::string_view> tables;
  const auto table_of = [](const Option& option) { return option.toml.substr(0, option.toml.find('.')); };
  for (const auto& option : option_table())
    if (std::find(tables.begin(), tables.end(), table_of(option)) == tables.end())
      tables.push_back(table_of(option));
  for (const auto table : tables) {
    out += fmt::format("\n[{}]\n", table);
    for (const auto& option : option_table()) {
      if (table_of(option) != table) continue;
      const auto name = option.toml.substr(option.toml.find('.') + 1);
      out += fmt::format(
          "# {}{}\n", option.help,
          option.kind.allowed.empty() ? "" : fmt::format(" ({}: {})", option.kind.type, option.kind.allowed));
      if (option.fallback.empty())
        out += fmt::format("# {} = \"\"{}\n", name,
                           option.computed_text.empty() ? "" : fmt::format("  # {}", option.computed_text));
      else
        out += fmt::format("{} = {}\n", name, toml_value(option));
    }
  }
  out +=
      "\n# [pools.newsletter]\n# rate_limit_per_minute = 600\n# burst = 10\n# concurrency = 8\n# status = "
      "\"ACTIVE\"\n";
  return out;
}

std::string effective_text(const LoadedConfig& loaded) {
  std::size_t width = 0;
  for (const auto& setting : loaded.settings)
    width = std::max(width, setting.option->key.size());
  std::string out;
  for (const auto& setting : loaded.settings) {
    std::string source(kOriginNames.text(setting.origin));
    if (setting.origin == Origin::flag || setting.origin == Origin::file) source += " " + setting.where;
    out += fmt::format("{:<{}} = {}  ({})\n", setting.option->key, width,
                       shown_value(*setting.option, setting.value), source);
  }
  for (const auto& pool : loaded.config.pools)
    out += fmt::format(
        "pool {}: rate {}, burst {}, concurrency {}, {}\n", pool.code,
        pool.rate_limit_per_minute ? fmt::format("{}/min", *pool.rate_limit_per_minute) : "unlimited",
        pool.burst, pool.concurrency, kPoolStatusNames.text(pool.status));
  return out;
}

std::string effective_json(const LoadedConfig& loaded) {
  std::string options, pools;
  for (const auto& setting : loaded.settings) {
    if (!options.empty()) options += ",";
    options += fmt::format("{}:{{\"value\":{},\"source\":{},\"where\":{}}}", json(setting.option->key),
                           json(shown_value(*setting.option, setting.value)),
                           json(kOriginNames.text(setting.origin)), json(setting.where));
  }
  for (const auto& pool : loaded.config.pools) {
    if (!pools.empty()) pools += ",";
    pools += fmt::format(
        "{{\"code\":{},\"name\":{},\"rateLimitPerMinute\":{},\"burst\":{},\"concurrency\":{},\"status\":{}}}",
        json(pool.code), json(pool.name),
        pool.rate_limit_per_minute ? std::to_string(*pool.rate_limit_per_minute) : "null", pool.burst,
        pool.concurrency, json(kPoolStatusNames.text(pool.status)));
  }
  return fmt::format("{{\"options\":{{{}}},\"pools\":[{}]}}\n", options, pools);
}

}  // namespace eilbote
