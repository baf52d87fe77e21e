// Values of answers that may be absent: null, not an empty text.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace eilbote {

inline boost::json::value text_or_null(std::string_view text) {
  return text.empty() ? boost::json::value()
                      : boost::json::value(boost::json::string_view(text.data(), text.size()));
}
inline boost::json::value time_or_null(const std::optional<TimePoint>& at) {
  return at ? text_or_null(to_rfc3339(*at)) : boost::json::value();
}

}  // namespace eilbote
