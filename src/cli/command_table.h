// The commands of the program as a flat list, read from CLI11's own tables: what completions and the man page are written from,
// so that neither can name a command or a flag that is not there.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace eilbote::cli {

struct FlagEntry {
  std::string name;         // "--limit"
  std::string value;        // "N", "TEXT"; empty: it takes none
  std::string description;  // one line
};

struct CommandEntry {
  std::string words;  // "dead retry"; empty: the program itself
  std::string description, footer;
  std::vector<FlagEntry> flags;
  std::vector<FlagEntry> arguments;  // positional ones; `value` is what they are called
  std::vector<CommandEntry> subcommands;
};

CommandEntry command_table(CLI::App& app);

// All of them, the program itself first, each before its subcommands.
std::vector<const CommandEntry*> flat(const CommandEntry& root);

}  // namespace eilbote::cli
