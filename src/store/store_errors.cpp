#include "store/store_errors.h"

#include <optional>
#include <string>
#include <string_view>

#include "metrics/metrics.h"

namespace eilbote {
namespace {

std::optional<std::string_view> label_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::ambiguous:
      return "ambiguous";
    case ErrorKind::unavailable:
    case ErrorKind::overloaded:
    case ErrorKind::internal:
      return "unavailable";
    case ErrorKind::invalid:
    case ErrorKind::not_found:
    case ErrorKind::conflict:
    case ErrorKind::rejected_data:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

void begin_store_errors(Metrics& metrics) {
  for (const ErrorKind kind : {ErrorKind::ambiguous, ErrorKind::unavailable})
    metrics.add(Metric::store_errors, 0, {std::string(*label_of(kind))});
}

void count_store_error(ErrorKind kind, Metrics& metrics) {
  if (const auto label = label_of(kind)) metrics.add(Metric::store_errors, 1, {std::string(*label)});
}

}  // namespace eilbote
