#include "cli/completion.h"

#include <fmt/format.h>

#include <set>

namespace eilbote::cli {
namespace {

// Inside single quotes of a shell; `escape` is how that shell writes one of those.
std::string quoted(std::string_view text, std::string_view escape) {
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += escape;
    else
      out += c;
  return out + "'";
}
constexpr std::string_view kPosixQuote = R"('\'')", kFishQuote = R"(\')";

std::string last_word(const std::string& words) {
  return words.substr(words.rfind(' ') + 1);
}

// "dead retry", and " dead" for one at the top: what has been typed so far, a blank, and the next word.
std::string step_of(const CommandEntry& command) {
  return command.words.find(' ') == std::string::npos ? " " + command.words : command.words;
}

// Every command but the program, as the patterns of a `case`.
std::string step_patterns(const CommandEntry& root, std::string_view between) {
  std::string all;
  for (const CommandEntry* command : flat(root))
    if (!command->words.empty())
      all += fmt::format("{}\"{}\"", all.empty() ? "" : between, step_of(*command));
  return all;
}

// Flags that are followed by a value.
std::string value_flags(const CommandEntry& root) {
  std::set<std::string> names;
  for (const CommandEntry* command : flat(root))
    for (const FlagEntry& flag : command->flags)
      if (!flag.value.empty()) names.insert(flag.name);
  std::string all;
  for (const std::string& name : names)
    all += (all.empty() ? "" : "|") + name;
  return all;
}

std::string bash(const CommandEntry& root) {
  std::string cases;
  for (const CommandEntry* command : flat(root)) {
    std::string words;
    for (const CommandEntry& sub : command->subcommands)
      words += last_word(sub.words) + " ";
    for (const FlagEntry& flag : command->flags)
      words += flag.name + " ";
    cases += fmt::format("    \"{}\") words=\"{}\" ;;\n", command->words, words);
  }
  return fmt::format(R"(# bash completion for eilbote, written by `eilbote describe completion bash`.
_eilbote() {{
  local at="" word words="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    case "$at $word" in
      {}) at="${{at:+$at }}$word" ;;
    esac
  done
  # After a flag with a value come files, which is what nothing leaves it to.
  case "${{COMP_WORDS[COMP_CWORD - 1]}}" in
    {}) return ;;
  esac
  case "$at" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _eilbote eilbote
)",
                     step_patterns(root, "|"), value_flags(root), cases);
}

std::string zsh(const CommandEntry& root) {
  std::string cases;
  for (const CommandEntry* command : flat(root)) {
    std::string entries;
    for (const CommandEntry& sub : command->subcommands)
      entries += "      " + quoted(last_word(sub.words) + ":" + sub.description, kPosixQuote) + "\n";
    for (const FlagEntry& flag : command->flags)
      entries += "      " + quoted(flag.name + ":" + flag.description, kPosixQuote) + "\n";
    cases += fmt::format("    \"{}\") entries=(\n{}    ) ;;\n", command->words, entries);
  }
  return fmt::format(R"(#compdef eilbote
# zsh completion for eilbote, written by `eilbote describe completion zsh`.
_eilbote() {{
  local at="" word
  local -a entries
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "$at $word" in
      {}) at="${{at:+$at }}$word" ;;
    esac
  done
  case "${{words[CURRENT-1]}}" in
    {}) _files; return ;;
  esac
  case "$at" in
{}  esac
  _describe 'eilbote' entries || _files
}}
# Loaded by its name this file is the function's first call; sourced, it only makes it known.
if [[ $funcstack[1] = _eilbote ]]; then
  _eilbote "$@"
else
  compdef _eilbote eilbote
fi
)",
                     step_patterns(root, "|"), value_flags(root), cases);
}

std::string fish(const CommandEntry& root) {
  std::string lines;
  for (const CommandEntry* command : flat(root)) {
    const std::string here = fmt::format("complete -c eilbote -n '__eilbote_at \"{}\"'", command->words);
    for (const CommandEntry& sub : command->subcommands)
      lines +=
          fmt::format("{} -f -a {} -d {}\n", here, last_word(sub.words), quoted(sub.description, kFishQuote));
    for (const FlagEntry& flag : command->flags)
      lines += fmt::format("{} -l {}{} -d {}\n", here, flag.name.substr(2), flag.value.empty() ? "" : " -r",
                           quoted(flag.description, kFishQuote));
  }
  return fmt::format(R"(# fish completion for eilbote, written by `eilbote describe completion fish`.
function __eilbote_at
    set -l at ""
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case {}
                set at (string trim -- "$at $word")
        end
    end
    test "$at" = "$argv[1]"
end
{})",
                     step_patterns(root, " "), lines);
}

}  // namespace

std::string completion(Shell shell, const CommandEntry& root) {
  switch (shell) {
    case Shell::bash:
      return bash(root);
    case Shell::zsh:
      return zsh(root);
    case Shell::fish:
      return fish(root);
  }
  return {};
}

}  // namespace eilbote::cli
