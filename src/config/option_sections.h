// Parts of the option table that have a file of their own. Used by option_table.cpp only.
#pragma once

#include <vector>

#include "config/option.h"

namespace eilbote {

void add_http_options(std::vector<Option>& table);
void add_console_options(std::vector<Option>& table);
void add_graph_options(std::vector<Option>& table);
void add_transport_options(std::vector<Option>& table);
void add_tracing_options(std::vector<Option>& table);

}  // namespace eilbote
