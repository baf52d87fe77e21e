#include "app/cli_actions.h"

#include <filesystem>

#include "api/route_table.h"
#include "app/doctor.h"
#include "app/options.h"
#include "app/sealing.h"
#include "app/serve.h"
#include "base/clock.h"
#include "channel/relay_probe.h"
#include "secrets/secrets.h"
#include "store/backup.h"
#include "store/store.h"

namespace eilbote {
namespace {

Result<MigrationReport> migrate(const Config& config) {
  auto options = store_options(config);
  if (!options) return fail(options.error());
  // SQLite's file lies in the data folder unless told otherwise, and this may be the first command ever.
  std::error_code error;
  if (config.store_url.starts_with("sqlite:")) std::filesystem::create_directories(config.data_dir, error);
  if (error) return fail(ErrorKind::unavailable, config.data_dir + ": " + error.message());
  const SystemClock clock;
  auto report = migrate_store(*options, clock);
  if (!report) return fail(report.error().with_context("EILBOTE_STORE_URL"));
  return report;
}

std::vector<RelayFinding> probe(const Config& config, const SmtpOptions& options) {
  return probe_relay(options, *open_secrets(secret_options(config)), look_up_name);
}

Result<std::string> encrypt(const Config& config, const Secret& secret) {
  // The key file lies in the data folder, and this may be the first command ever.
  std::error_code error;
  if (config.data_key_ref.empty()) std::filesystem::create_directories(config.data_dir, error);
  if (error) return fail(ErrorKind::unavailable, config.data_dir + ": " + error.message());
  return open_secrets(secret_options(config))->encrypt(secret);
}

Result<void> check(const Config& config, const std::string& reference) {
  const auto secret = open_secrets(secret_options(config))->resolve(reference);
  return secret ? Result<void>() : fail(secret.error());
}

Result<RekeyProgress> rekey_store(const Config& config,
                                  const std::function<void(const RekeyProgress&)>& tell) {
  if (config.data_key_ref.empty())
    return fail(ErrorKind::invalid, "EILBOTE_DATA_KEY_REF: must say where the key is to encrypt under");
  const auto options = store_options(config);
  if (!options) return fail(options.error());
  const SystemClock clock;
  const auto secrets = open_secrets(secret_options(config));
  auto store = open_store(*options, clock);
  if (!store) return fail(store.error().with_context("EILBOTE_STORE_URL"));
  const auto cipher = content_cipher(config, *secrets, *store->contents);
  if (!cipher) return fail(cipher.error());
  return rekey({*store->contents, **cipher, *store->registry, *secrets, clock}, tell);
}

Result<BackupProgress> back_up(const Config& config, const std::string& file,
                               const std::function<void(const BackupProgress&)>& tell) {
  const auto options = store_options(config);
  if (!options) return fail(options.error());
  return back_up_store(*options, file, tell);
}

Result<Secret> resolve(const std::string& reference) {
  return make_secret_source()->resolve(reference);
}

std::vector<RouteLine> routes() {
  std::vector<RouteLine> lines;
  for (const auto& route : route_table())
    lines.push_back(
        {std::string(route.method), std::string(route.pattern), scopes_text(route), std::string(route.name)});
  return lines;
}

}  // namespace

CliActions make_cli_actions() {
  return {serve, migrate, routes, probe, encrypt, resolve, check, rekey_store, examine, back_up};
}

}  // namespace eilbote
