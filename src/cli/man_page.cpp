#include "cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/cli.h"
#include "config/option.h"

namespace eilbote::cli {
namespace {

// Text as roff reads it: no character of it is a command, and dashes can be copied into a shell.
std::string roff(std::string_view text) {
  std::string out;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins_line = c == '\n';
  }
  return out;
}

// An argument of a macro.
std::string in_quotes(std::string_view text) {
  std::string out = roff(text);
  for (std::size_t at = 0; (at = out.find('"', at)) != std::string::npos; at += 4)
    out.replace(at, 1, "\\(dq");
  return "\"" + out + "\"";
}

std::string tagged(const std::string& name, const std::string& value, const std::string& text) {
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(name),
                     value.empty() ? "" : " \\fI" + roff(value) + "\\fR", roff(text.empty() ? name : text));
}

std::set<std::string> server_flags() {
  std::set<std::string> names;
  for (const Option& option : option_table())
    names.insert(flag_name(option));
  return names;
}

std::string command_text(const CommandEntry& command, const std::set<std::string>& of_server) {
  std::string heading = "eilbote " + command.words;
  for (const FlagEntry& argument : command.arguments)
    heading += " " + argument.value;
  std::string out = fmt::format(".SS {}\n{}.\n", in_quotes(heading), roff(command.description));
  for (const FlagEntry& argument : command.arguments)
    out += tagged(argument.value, "", argument.description);
  bool has_server_flags = false;
  for (const FlagEntry& flag : command.flags) {
    if (flag.name == "--help") continue;
    if (of_server.contains(flag.name))
      has_server_flags = true;
    else
      out += tagged(flag.name, flag.value, flag.description);
  }
  if (has_server_flags) out += ".PP\nAnd the options of the server, below.\n";
  if (!command.footer.empty()) out += ".PP\n.nf\n" + roff(command.footer) + "\n.fi\n";
  return out;
}

std::string options_text() {
  std::string out =
      ".SH SERVER OPTIONS\nEach may come from its flag, its environment variable or the TOML file of "
      "\\fB\\-\\-config\\fR, in "
      "this order.\n";
  std::string_view section;
  for (const Option& option : option_table()) {
    if (option.section != section) out += fmt::format(".SS {}\n", in_quotes(option.section));
    section = option.section;
    std::string text(option.help);
    if (!option.kind.allowed.empty()) text += fmt::format(" ({})", option.kind.allowed);
    const std::string_view fallback = option.computed_text.empty() ? option.fallback : option.computed_text;
    if (!fallback.empty()) text += fmt::format(" [{}]", fallback);
    std::replace(text.begin(), text.end(), '\n', ' ');
    out += tagged(flag_name(option) + ", " + std::string(option.key), option.kind.type, text);
  }
  return out;
}

}  // namespace

std::string man_page(const CommandEntry& root, std::string_view version) {
  std::string out =
      fmt::format(".\\\" Written by `eilbote describe man`.\n.TH EILBOTE 1 \"\" {} \"User Commands\"\n",
                  in_quotes(fmt::format("eilbote {}", version)));
  out += ".SH NAME\neilbote \\- durable delivery of mails and webhooks\n";
  out += ".SH SYNOPSIS\n\\fBeilbote\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n";
  out += fmt::format(
      ".SH DESCRIPTION\n{}\n.SH COMMANDS\nEach has \\fB\\-\\-help\\fR, and almost each \\fB\\-\\-json\\fR.\n",
      roff(root.description));
  const auto of_server = server_flags();
  for (const CommandEntry* command : flat(root))
    if (!command->words.empty()) out += command_text(*command, of_server);
  out += options_text();
  out += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kExitCodeMeanings.entries)
    out += tagged(std::to_string(static_cast<int>(code)), "", std::string(meaning));
  return out;
}

}  // namespace eilbote::cli
