#include "cli/command_table.h"

#include <algorithm>

namespace eilbote::cli {
namespace {

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

FlagEntry entry_of(const CLI::Option& option) {
  FlagEntry entry;
  entry.description = on_one_line(option.get_description());
  if (option.get_items_expected_max() > 0)
    entry.value = option.get_option_text().empty() ? option.get_type_name() : option.get_option_text();
  entry.value.erase(
      std::min(entry.value.find(':'), entry.value.size()));  // what is allowed is in the description
  if (!option.get_lnames().empty()) entry.name = "--" + option.get_lnames().front();
  return entry;
}

CommandEntry read(CLI::App& app, const std::string& words) {
  CommandEntry entry{words, on_one_line(app.get_description()), app.get_footer(), {}, {}, {}};
  // CLI11 hands footers down to subcommands.
  if (app.get_parent() != nullptr && app.get_parent()->get_footer() == entry.footer) entry.footer.clear();
  for (const CLI::Option* option : app.get_options()) {
    FlagEntry one = entry_of(*option);
    (one.name.empty() ? entry.arguments : entry.flags).push_back(std::move(one));
  }
  for (CLI::App* sub : app.get_subcommands({}))
    entry.subcommands.push_back(read(*sub, words.empty() ? sub->get_name() : words + " " + sub->get_name()));
  return entry;
}

void add_all(const CommandEntry& entry, std::vector<const CommandEntry*>& all) {
  all.push_back(&entry);
  for (const CommandEntry& sub : entry.subcommands)
    add_all(sub, all);
}

}  // namespace

CommandEntry command_table(CLI::App& app) {
  return read(app, "");
}

std::vector<const CommandEntry*> flat(const CommandEntry& root) {
  std::vector<const CommandEntry*> all;
  add_all(root, all);
  return all;
}

}  // namespace eilbote::cli
