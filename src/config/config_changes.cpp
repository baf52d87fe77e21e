#include "config/config_changes.h"

#include <algorithm>
#include <array>
#include <span>

namespace eilbote {
namespace {

constexpr std::array<std::string_view, 2> kTlsFiles{"EILBOTE_LISTEN_TLS_CERT", "EILBOTE_LISTEN_TLS_KEY"};
constexpr std::array<std::string_view, 2> kLogOptions{"EILBOTE_LOG", "EILBOTE_LOG_LEVEL"};

bool is_one_of(std::span<const std::string_view> names, std::string_view key) {
  return std::ranges::find(names, key) != names.end();
}

}  // namespace

bool is_certificate_option(std::string_view key) {
  return is_one_of(kTlsFiles, key);
}

bool is_live(std::string_view key) {
  return is_certificate_option(key) || is_one_of(kLogOptions, key);
}

ConfigChanges changes_between(const std::vector<Setting>& in_force, const std::vector<Setting>& now) {
  ConfigChanges changes;
  for (std::size_t i = 0; i < in_force.size(); ++i) {
    if (in_force[i].value == now[i].value) continue;
    const std::string_view key = now[i].option->key;
    // A listener does not begin or end to speak TLS while clients are connected.
    const bool switches_tls = is_certificate_option(key) && in_force[i].value.empty() != now[i].value.empty();
    (is_live(key) && !switches_tls ? changes.live : changes.at_restart).emplace_back(key);
  }
  return changes;
}

}  // namespace eilbote
