#include "cli/config_flags.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>

#include "config/option.h"

namespace eilbote::cli {
namespace {

std::string help_of(const Option& option) {
  std::string help(option.help);
  if (!option.kind.allowed.empty()) help += " (" + option.kind.allowed + ")";
  const std::string fallback(option.computed_text.empty() ? option.fallback : option.computed_text);
  if (!fallback.empty()) help += " [" + fallback + "]";
  return help + " " + std::string(option.key);
}

}  // namespace

std::shared_ptr<ConfigFlags> add_config_flags(CLI::App& command) {
  auto flags = std::make_shared<ConfigFlags>();
  command.add_option("--config", flags->file, "TOML file with options")
      ->envname("EILBOTE_CONFIG")
      ->option_text("FILE");
  for (const auto& option : option_table()) {
    const std::string name = flag_name(option);
    command
        .add_option_function<std::string>(
            name, [flags, name](const std::string& value) { flags->values[name] = value; }, help_of(option))
        ->group(std::string(option.section))
        ->option_text(option.kind.type);
  }
  return flags;
}

namespace {

LoadedConfig read_configuration(const ConfigFlags& flags, bool listens) {
  ConfigSources sources;
  sources.listens = listens;
  sources.flags = flags.values;
  sources.file = flags.file;
  sources.environment = process_environment();
  sources.surroundings = process_surroundings();
  return load_config(sources);
}

}  // namespace

LoadedConfig load_with(const ConfigFlags& flags) {
  return read_configuration(flags, true);
}

LoadedConfig load_without_listener(const ConfigFlags& flags) {
  return read_configuration(flags, false);
}

bool is_usable(const LoadedConfig& loaded) {
  for (const auto& fault : loaded.faults)
    std::fprintf(stderr, "eilbote: %s\n", fault.c_str());
  return loaded.faults.empty();
}

}  // namespace eilbote::cli
