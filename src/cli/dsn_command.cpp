// dsn: takes a bounce from standard input, as a mail server pipes it, and hands it to a server; or says what is in it.
//
// Its exit codes are those of BSD's sysexits, which mail servers act by: only what no second try can help is given up, all else
// stays in their queue. A crash leaves the bounce there, too, and a second hand-over of the same bytes changes nothing.
#include <fmt/format.h>
#include <sysexits.h>

#include <boost/json.hpp>
#include <iostream>
#include <limits>

#include "cli/answer_view.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/text_table.h"
#include "domain/dsn.h"

namespace eilbote::cli {
namespace {

struct DsnFlags {
  bool explain = false;
};

constexpr ExitCode kTryAgainLater{EX_TEMPFAIL};
constexpr ExitCode kOfNoUse{EX_DATAERR};

// As much as is looked at; the rest is read all the same, else the mail server takes the closed pipe for a failure.
std::string bounce_from_input() {
  std::string bytes(kDsnBytesMax, '\0');
  std::cin.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::cin.gcount()));
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  return bytes;
}

// Refusals that are about the caller or the moment, and not about this bounce: it is kept until somebody has mended it.
bool may_help_to_try_again(int status) {
  return status >= 500 || status == 401 || status == 403 || status == 404 || status == 408 || status == 429;
}

// "changed: 0H... SENT -> BOUNCED" and a line for each recipient.
std::string text_of(const boost::json::value& answer) {
  const std::string message = member_text(answer, "messageId"), to = member_text(answer, "to");
  std::string line = member_text(answer, "outcome");
  if (line.empty()) line = "taken";
  if (!message.empty()) line += ": " + message;
  if (!to.empty()) line += fmt::format(" {} -> {}", member_text(answer, "from"), to);
  if (const std::string kind = member_text(answer, "kind"); !kind.empty()) line += fmt::format(" ({})", kind);
  std::string out = printable(line) + "\n";
  const auto* object = answer.if_object();
  const auto* recipients = object != nullptr ? object->if_contains("recipients") : nullptr;
  if (recipients == nullptr || !recipients->is_array()) return out;
  for (const boost::json::value& one : recipients->get_array())
    out +=
        fmt::format("  {}\n", printable(fmt::format("{} {} {}", member_text(one, "address"),
                                                    member_text(one, "action"), member_text(one, "status"))));
  return out;
}

ExitCode hand_over(const ServerFlags& server, std::string bounce) {
  ApiRequest request{"POST", "/webhooks/dsn", std::move(bounce)};
  request.content_type = "message/rfc822";
  const auto answer = ApiClient(server).request(request);
  if (tell(server, answer, "bounce", text_of) == ExitCode::ok) return ExitCode::ok;
  return !answer || may_help_to_try_again(answer->status) ? kTryAgainLater : kOfNoUse;
}

ExitCode run_dsn(const ServerFlags& server, const DsnFlags& flags) {
  std::string bounce = bounce_from_input();
  if (bounce.empty()) {
    fmt::print(stderr, "eilbote: dsn: there is no message on standard input\n");
    return kOfNoUse;
  }
  if (!flags.explain) return hand_over(server, std::move(bounce));
  fmt::print("{}\n", explain(read_dsn(bounce)));
  return ExitCode::ok;
}

}  // namespace

void add_dsn_command(CLI::App& app, Session& session) {
  const auto [command, flags] = add_server_command<DsnFlags>(
      app, session, "dsn", "Take a bounce from standard input and tell the server; for a mailbox's pipe",
      run_dsn);
  command->footer(
      "Examples:\n"
      "  eilbote dsn --explain < bounce.eml\n"
      "  bounces: \"|/usr/bin/eilbote dsn\"       (a line of Postfix's /etc/aliases)\n"
      "Exit codes, as mail servers know them: 0 taken, or no mail of ours was meant; 75 keep it and try "
      "again; 65 "
      "the server\n"
      "has no use for it, nor will it have.");
  command->add_flag("--explain", flags->explain,
                    "Ask no server: print as JSON what the bounce says of whom, and which mail it means");
}

}  // namespace eilbote::cli
