// The man page, as `eilbote describe man` prints it: roff with the macros of man(7).
#pragma once

#include <string>
#include <string_view>

#include "cli/command_table.h"

namespace eilbote::cli {

std::string man_page(const CommandEntry& root, std::string_view version);

}  // namespace eilbote::cli
