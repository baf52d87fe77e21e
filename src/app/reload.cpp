#include "app/reload.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/log.h"
#include "config/config_changes.h"
#include "engine/due_news.h"
#include "engine/pool_list.h"
#include "net/server_tls.h"

namespace eilbote {
namespace {

const Pool* pool_of(const std::vector<Pool>& pools, const std::string& code) {
  const auto found = std::ranges::find(pools, code, &Pool::code);
  return found == pools.end() ? nullptr : &*found;
}

// The codes of those that are not in `others` like that.
std::vector<std::string> different(const std::vector<Pool>& pools, const std::vector<Pool>& others) {
  std::vector<std::string> codes;
  for (const Pool& pool : pools)
    if (const Pool* other = pool_of(others, pool.code); other == nullptr || *other != pool)
      codes.push_back(pool.code);
  return codes;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

ConfigReload::ConfigReload(LoadedConfig in_force, Read read, ReloadParts parts)
    : in_force_(std::move(in_force)), read_(std::move(read)), parts_(parts) {}

void ConfigReload::run() {
  const LoadedConfig now = read_();
  for (const std::string& fault : now.faults)
    log::error("the configuration was read again and cannot be used; everything stays as it was",
               {{"error", fault}});
  if (now.faults.empty()) take_over(now);
}

void ConfigReload::take_over(const LoadedConfig& now) {
  log::configure(now.config.log_format, now.config.log_level);
  const bool has_certificate = take_certificate(now.config.http);
  const std::vector<std::string> pools = take_pools(now.config.pools);
  ConfigChanges changes = changes_between(in_force_.settings, now.settings);
  // The log is as it is told. The files of a certificate that cannot be used are tried again next time.
  if (!has_certificate) std::erase_if(changes.live, is_certificate_option);
  for (std::size_t i = 0; i < now.settings.size(); ++i)
    if (std::ranges::find(changes.live, now.settings[i].option->key) != changes.live.end())
      in_force_.settings[i] = now.settings[i];
  log::info("the configuration was read again", {{"options", joined(changes.live)},
                                                 {"pools", joined(pools)},
                                                 {"logLevel", log::kLevelNames.text(now.config.log_level)}});
  if (!changes.at_restart.empty())
    log::warning("options were changed that a running server does not take over; restart it for them",
                 {{"options", joined(changes.at_restart)}});
}

// True: the listener shows what these files hold.
bool ConfigReload::take_certificate(const HttpListenerConfig& http) {
  if (parts_.tls == nullptr || http.tls_certificate_file.empty()) return false;
  const auto done = parts_.tls->reload({http.tls_certificate_file, http.tls_key_file});
  if (!done)
    log::error("the new certificate of the HTTP listener cannot be used; the old one stays",
               {{"error", done.error().message}});
  else
    log::info("the certificate of the HTTP listener was read anew",
              {{"expires", to_rfc3339(parts_.tls->expires())}});
  return done.has_value();
}

// The codes of those that changed.
std::vector<std::string> ConfigReload::take_pools(const std::vector<Pool>& pools) {
  const std::vector<Pool> before = parts_.pools.pools();
  auto written = parts_.registry.write_pools(pools);
  if (written) written = parts_.pools.refresh();
  if (!written) {
    log::error(
        "the pools of the configuration could not be written; send SIGHUP again once the database is well",
        {{"error", written.error().message}});
    return {};
  }
  parts_.due.somewhere();
  tell_pools_of_people(pools);
  in_force_.config.pools = pools;
  return different(parts_.pools.pools(), before);
}

// What the file says of a pool that was changed through the API does not count, and whoever edits it there should know.
void ConfigReload::tell_pools_of_people(const std::vector<Pool>& pools) const {
  const std::vector<Pool> stored = parts_.pools.pools();
  for (const std::string& code : different(pools, in_force_.config.pools))
    if (const Pool* is = pool_of(stored, code); is != nullptr && *is != *pool_of(pools, code))
      log::warning("a pool was changed in the file but is managed through the API, and stays as it is there",
                   {{"pool", code}});
}

}  // namespace eilbote
