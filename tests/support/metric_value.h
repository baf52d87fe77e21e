// The value of one line of the metrics as Prometheus would read it: a name, with its labels if it has any. For tests that hold
// the Metrics themselves; those that run the program ask MailApi::metric.
#pragma once

#include <optional>
#include <string>

#include "metrics/metrics.h"

namespace eilbote::test {

// Absent: there is no such line (yet).
inline std::optional<double> metric_value(const Metrics& metrics, const std::string& line) {
  const std::string text = "\n" + metrics.render(), start = "\n" + line + " ";
  const std::size_t at = text.find(start);
  if (at == std::string::npos) return std::nullopt;
  return std::stod(text.substr(at + start.size()));
}

}  // namespace eilbote::test
