// Whatever stands in the configuration file: it is read or refused with words that name the place, and each of its values, given
// to every kind of option, is taken or refused in words.
#include "base/utf8.h"
#include "config/loader.h"
#include "config/toml_file.h"
#include "fuzz/fuzz.h"

namespace eilbote::fuzz {

std::string config_fuzz(std::string_view bytes) {
  const TomlFile file = read_toml_text(std::string(bytes), "eilbote.toml");
  for (const std::string& fault : file.faults)
    if (!fault.starts_with("eilbote.toml:")) return "a fault without a place: " + fault;
  for (const Pool& pool : file.pools)
    if (file.faults.empty() && !check_pool(pool).empty()) return "a pool that breaks the rules of pools";
  ConfigSources sources;
  sources.surroundings.host_name = "host";
  for (const auto& [key, value] : file.values) {
    if (value.text.find('\0') != std::string::npos) continue;  // no variable of the environment can hold it
    for (const Option& option : option_table()) {
      if (option.toml == key) sources.environment[std::string(option.key)] = value.text;
      Config config;
      const auto set = option.kind.set(config, value.text);
      if (!set && set.error().message.empty()) return "refused without a word: " + std::string(option.key);
    }
  }
  const LoadedConfig loaded = load_config(sources);
  for (const std::string& fault : loaded.faults)
    if (fault.find(':') == std::string::npos && !fault.starts_with("unknown"))
      return "a fault that names nothing";
  return {};
}

}  // namespace eilbote::fuzz
