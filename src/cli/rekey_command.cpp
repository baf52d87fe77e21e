// rekey: brings everything that is stored under the current data key, with a progress bar.
#include <fmt/format.h>

#include <cstdio>

#include "cli/command.h"
#include "cli/config_flags.h"
#include "cli/progress_bar.h"

namespace eilbote::cli {
namespace {

ExitCode run_rekey(const Session& session, const ConfigFlags& flags, bool json) {
  const auto loaded = load_without_listener(flags);
  if (!is_usable(loaded)) return ExitCode::usage;
  ProgressBar bar;
  const auto done = session.actions.rekey(loaded.config, [&](const RekeyProgress& progress) {
    bar.draw(progress.part, fmt::format("{} rows, {} changed", progress.seen, progress.changed));
  });
  bar.end();
  if (!done) {
    std::fprintf(stderr, "eilbote: rekey: %s\n", done.error().message.c_str());
    return done.error().kind == ErrorKind::invalid ? ExitCode::usage : ExitCode::failed;
  }
  if (json)
    fmt::print("{{\"rows\":{},\"changed\":{},\"secrets\":{},\"unreadable\":{}}}\n", done->seen, done->changed,
               done->secrets, done->unreadable);
  else
    fmt::print(
        "{} rows: {} are newly encrypted under the current key, {} could not be read; {} secrets of "
        "service accounts\n{}\n",
        done->seen, done->changed, done->unreadable, done->secrets,
        done->unreadable == 0 ? "nothing is under another key any more: EILBOTE_DATA_KEY_PREVIOUS_REF may go"
                              : "the previous key is still needed; the log names what could not be read");
  return done->unreadable == 0 ? ExitCode::ok : ExitCode::failed;
}

}  // namespace

void add_rekey_command(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("rekey", "Encrypt everything stored under the current data key");
  command->footer(
      "Example:\n"
      "  EILBOTE_DATA_KEY_REF=file:///etc/eilbote/new.key "
      "EILBOTE_DATA_KEY_PREVIOUS_REF=file:///etc/eilbote/old.key "
      "\\\n    eilbote rekey --store-url postgresql://mailer@db/outbox\n"
      "Servers on PostgreSQL may run meanwhile, with the same two keys; a SQLite file must not be in use. It "
      "may "
      "be\nstopped and started again.");
  const auto flags = add_config_flags(*command);
  const auto json = add_json_flag(*command);
  on_chosen(*command, session, [&session, flags, json] { return run_rekey(session, *flags, *json); });
}

}  // namespace eilbote::cli
