// The rows of the option table about secrets: where they come from and who we are there. Used by option_table.cpp.
#pragma once

#include <vector>

#include "config/option.h"

namespace eilbote {

void add_secret_options(std::vector<Option>& table);

}  // namespace eilbote
