// Reads a counter out of a page of metrics in Prometheus' text format. Pure. Used by `eilbote watch`.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace eilbote::cli {

// The sum over all samples of this name, or over those with a label of this value; 0 when there is none.
inline double metric_sum(std::string_view page, std::string_view name, std::string_view label_value = {}) {
  const std::string quoted = "\"" + std::string(label_value) + "\"";
  double sum = 0;
  while (!page.empty()) {
    const std::string line(page.substr(0, page.find('\n')));
    page.remove_prefix(std::min(page.size(), line.size() + 1));
    if (!line.starts_with(name) || line.size() == name.size()) continue;
    const char behind = line[name.size()];
    if (behind != ' ' && behind != '{') continue;
    const auto end = behind == '{' ? line.rfind('}') : name.size() - 1;
    if (end == std::string::npos) continue;
    if (!label_value.empty() && line.substr(0, end).find(quoted) == std::string::npos) continue;
    sum += std::strtod(line.c_str() + end + 1, nullptr);
  }
  return sum;
}

}  // namespace eilbote::cli
