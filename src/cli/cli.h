// The command line of Eilbote. `main` calls run_cli with what only the composition root may see.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "base/secret.h"
#include "config/config.h"
#include "config/loader.h"
#include "domain/finding.h"
#include "domain/relay_finding.h"
#include "engine/rekey.h"
#include "ports/backup_progress.h"
#include "ports/migration_report.h"

namespace eilbote {

enum class ExitCode { ok = 0, failed = 1, usage = 2, unreachable = 3, not_found = 4 };
// What each means, for people: `eilbote --help` ends with it.
inline constexpr auto kExitCodeMeanings = enum_names<ExitCode>({{ExitCode::ok, "done"},
                                                                {ExitCode::failed, "refused or failed"},
                                                                {ExitCode::usage, "usage or configuration"},
                                                                {ExitCode::unreachable, "server unreachable"},
                                                                {ExitCode::not_found, "not found"}});
static_assert(kExitCodeMeanings.complete());

struct RouteLine {
  std::string method, path, scope, name;
};

// What commands need from parts the command line may not include.
struct CliActions {
  // `read_again`: the same flags, variables and file, read anew.
  std::function<int(const LoadedConfig&, const std::function<LoadedConfig()>& read_again)> serve;
  std::function<Result<MigrationReport>(const Config&)> migrate;
  std::function<std::vector<RouteLine>()> routes;
  // Goes as far as it can without a mail: name, connection, TLS, login.
  std::function<std::vector<RelayFinding>(const Config&, const SmtpOptions&)> probe_relay;
  // The reference to write down instead of the secret; makes a data key where there is none.
  std::function<Result<std::string>(const Config&, const Secret&)> encrypt_secret;
  // A secret by its reference, with nothing configured.
  std::function<Result<Secret>(const std::string& reference)> resolve_secret;
  // Whether the reference leads to a secret; the error says what is wrong, without it.
  std::function<Result<void>(const Config&, const std::string& reference)> check_secret;
  // Tells of its progress while it works.
  std::function<Result<RekeyProgress>(const Config&, const std::function<void(const RekeyProgress&)>&)> rekey;
  // Looks at everything that a configuration without faults names; comes back within seconds.
  std::function<std::vector<Finding>(const LoadedConfig&)> examine;
  // Copies the database into a new file while a server runs on it; tells of its progress.
  std::function<Result<BackupProgress>(const Config&, const std::string& file,
                                       const std::function<void(const BackupProgress&)>&)>
      back_up;
};

int run_cli(int argc, const char* const* argv, const CliActions& actions);

}  // namespace eilbote
