#include "app/cli_actions.h"

#include <filesystem>

#include "api/route_table.h"
#include "app/secret_options.h"
#include "app/serve.h"
#include "app/store_options.h"
#include "base/clock.h"
#include "channel/relay_probe.h"
#include "secrets/secrets.h"
#include "store/store.h"

namespace eilbote {
namespace {

Result<MigrationSummary> migrate(const Config& config) {
  auto options = store_options(config);
  if (!options) return fail(options.error());
  // SQLite's file lies in the data folder unless told otherwise, and this may be the first command ever.
  std::error_code error;
  if (config.store_url.starts_with("sqlite:")) std::filesystem::create_directories(config.data_dir, error);
  if (error) return fail(ErrorKind::unavailable, config.data_dir + ": " + error.message());
  const SystemClock clock;
  auto report = migrate_store(*options, clock);
  if (!report) return fail(report.error());
  return MigrationSummary{std::move(report->applied), std::move(report->version)};
}

std::vector<RelayFinding> probe(const SmtpOptions& options) {
  std::vector<RelayFinding> findings;
  for (RelayStep& step : probe_relay(options, *make_secret_source(), look_up_name))
    findings.push_back({step.good, std::move(step.what), std::move(step.text), std::move(step.advice)});
  return findings;
}

Result<std::string> encrypt(const Config& config, const Secret& secret) {
  // The key file lies in the data folder, and this may be the first command ever.
  std::error_code error;
  if (config.data_key_ref.empty()) std::filesystem::create_directories(config.data_dir, error);
  if (error) return fail(ErrorKind::unavailable, config.data_dir + ": " + error.message());
  return make_secret_source(secret_options(config))->encrypt(secret);
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
  return {serve, migrate, routes, probe, encrypt, resolve};
}

}  // namespace eilbote
