// Completions for shells, as `eilbote describe completion` prints them.
#pragma once

#include <string>

#include "base/enum_names.h"
#include "cli/command_table.h"

namespace eilbote::cli {

enum class Shell { bash, zsh, fish };
inline constexpr auto kShellNames =
    enum_names<Shell>({{Shell::bash, "bash"}, {Shell::zsh, "zsh"}, {Shell::fish, "fish"}});
static_assert(kShellNames.complete());

std::string completion(Shell shell, const CommandEntry& root);

}  // namespace eilbote::cli
