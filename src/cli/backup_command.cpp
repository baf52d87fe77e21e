// backup: copies a SQLite database into a new file while the server runs.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "cli/command.h"
#include "cli/config_flags.h"
#include "cli/progress_bar.h"

namespace eilbote::cli {
namespace {

ExitCode run_backup(const Session& session, const ConfigFlags& flags, const std::string& file, bool json) {
  const auto loaded = load_without_listener(flags);
  if (!is_usable(loaded)) return ExitCode::usage;
  ProgressBar bar;
  const auto done = session.actions.back_up(
      loaded.config, file, [&](const BackupProgress& progress) { bar.draw(progress.part, "copied"); });
  bar.end();
  if (!done) {
    fmt::print(stderr, "eilbote: backup: {}\n", done.error().message);
    return done.error().kind == ErrorKind::invalid ? ExitCode::usage : ExitCode::failed;
  }
  if (json)
    fmt::print("{}\n", boost::json::serialize(boost::json::object{{"file", file}, {"bytes", done->bytes}}));
  else
    fmt::print("{}: {} bytes, verified and on disk\n", file, done->bytes);
  return ExitCode::ok;
}

}  // namespace

void add_backup_command(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("backup", "Copy a SQLite database while the server runs");
  command->footer(
      "Example:\n"
      "  eilbote backup /backup/eilbote-$(date +%F).db --config /etc/eilbote/eilbote.toml\n"
      "The copy is of one moment, and holds all that was acknowledged before. Keep the data key apart from "
      "it (data.key in\n"
      "the data folder, or what EILBOTE_DATA_KEY_REF names). To restore: stop the server, put the copy in "
      "the place of\n"
      "eilbote.db, remove eilbote.db-wal and eilbote.db-shm, start it. What was sent after the copy was made "
      "is sent again.\n"
      "PostgreSQL has tools of its own (pg_dump); the command says how.");
  auto file = std::make_shared<std::string>();
  command->add_option("file", *file, "The copy; must not be there yet")->required()->option_text("FILE");
  const auto flags = add_config_flags(*command);
  const auto json = add_json_flag(*command);
  on_chosen(*command, session,
            [&session, flags, file, json] { return run_backup(session, *flags, *file, *json); });
}

}  // namespace eilbote::cli
