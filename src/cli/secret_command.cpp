// secret: encrypt one under this installation's data key, or check where a reference leads. Nothing shows a secret.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <iterator>

#include "base/json_escape.h"
#include "cli/command.h"
#include "cli/config_flags.h"

namespace eilbote::cli {
namespace {

constexpr std::size_t kSecretBytesMax = 64 * 1024;

// All of standard input but one line end at its end, as a file:// reference reads it.
Result<Secret> secret_from_input() {
  std::string text((std::istreambuf_iterator<char>(std::cin)), {});
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty()) return fail(ErrorKind::invalid, "there is no secret on standard input");
  if (text.size() > kSecretBytesMax) return fail(ErrorKind::invalid, "a secret may have at most 64 KiB");
  return Secret(std::move(text));
}

ExitCode run_encrypt(const Session& session, const ConfigFlags& flags, bool json) {
  const auto loaded = load_without_listener(flags);
  if (!is_usable(loaded)) return ExitCode::usage;
  const auto secret = secret_from_input();
  const auto reference = secret ? session.actions.encrypt_secret(loaded.config, *secret)
                                : Result<std::string>(fail(secret.error()));
  if (!reference) {
    std::fprintf(stderr, "eilbote: secret encrypt: %s\n", reference.error().message.c_str());
    return reference.error().kind == ErrorKind::invalid ? ExitCode::usage : ExitCode::failed;
  }
  // Base64 and a scheme: nothing in it needs escaping.
  fmt::print("{}", json ? fmt::format("{{\"reference\":\"{}\"}}\n", *reference) : *reference + "\n");
  return ExitCode::ok;
}

ExitCode run_check(const Session& session, const ConfigFlags& flags, const std::string& reference,
                   bool json) {
  const auto loaded = load_without_listener(flags);
  if (!is_usable(loaded)) return ExitCode::usage;
  const auto found = session.actions.check_secret(loaded.config, reference);
  if (json) {
    std::string out = found ? "{\"resolves\":true}" : "{\"resolves\":false,\"error\":";
    if (!found) {
      append_json_string(out, found.error().message);
      out += '}';
    }
    fmt::print("{}\n", out);
  } else if (found) {
    fmt::print("resolves\n");
  } else {
    std::fprintf(stderr, "eilbote: secret check: %s\n", found.error().message.c_str());
  }
  if (found) return ExitCode::ok;
  switch (found.error().kind) {
    case ErrorKind::invalid:
      return ExitCode::usage;
    case ErrorKind::not_found:
      return ExitCode::not_found;
    case ErrorKind::unavailable:
      return ExitCode::unreachable;
    default:
      return ExitCode::failed;
  }
}

void add_encrypt(CLI::App& secret, Session& session) {
  auto* command = secret.add_subcommand("encrypt", "Read a secret from standard input, print its reference");
  command->footer(
      "Example:\n"
      "  eilbote secret encrypt < token.txt\n"
      "The reference is for service accounts (authTokenRef, signingSecretRef), on every instance with the "
      "same data key.");
  const auto flags = add_config_flags(*command);
  const auto json = add_json_flag(*command);
  on_chosen(*command, session, [&session, flags, json] { return run_encrypt(session, *flags, *json); });
}

void add_check(CLI::App& secret, Session& session) {
  auto* command =
      secret.add_subcommand("check", "Say whether a reference leads to a secret, without showing it");
  command->footer(
      "Examples:\n"
      "  eilbote secret check vault://mail/relay#password\n"
      "  eilbote secret check file:///etc/eilbote/relay.password\n"
      "Exit code 0: it resolves. 2: no usable reference; 3: its store cannot be read; 4: nothing is there.");
  const auto flags = add_config_flags(*command);
  const auto json = add_json_flag(*command);
  auto reference = std::make_shared<std::string>();
  command->add_option("reference", *reference, "The reference")->required();
  on_chosen(*command, session,
            [&session, flags, reference, json] { return run_check(session, *flags, *reference, *json); });
}

}  // namespace

void add_secret_command(CLI::App& app, Session& session) {
  auto* secret = app.add_subcommand("secret", "Secrets: encrypt one, or check a reference");
  secret->require_subcommand(1);
  add_encrypt(*secret, session);
  add_check(*secret, session);
}

}  // namespace eilbote::cli
