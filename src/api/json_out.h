// How answers are written: lists and pages of anything, and values that may be absent (null, not an empty text).
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
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

// `write` makes the object of one row.
template <class Rows, class Write>
boost::json::object list_object(const Rows& rows, Write write) {
  boost::json::array data;
  data.reserve(rows.size());
  for (const auto& row : rows)
    data.push_back(write(row));
  boost::json::object body;
  body["data"] = std::move(data);
  return body;
}

// The answer of a list that is shown whole.
template <class Rows, class Write>
std::string list_json(const Rows& rows, Write write) {
  return boost::json::serialize(list_object(rows, write));
}

// The answer of a list that is shown page by page; `next` is the cursor of the page after this one, if there is one.
template <class Rows, class Write>
std::string page_json(const Rows& rows, Write write, const std::optional<std::string>& next) {
  boost::json::object body = list_object(rows, write);
  body["nextCursor"] = next ? boost::json::value(*next) : boost::json::value(nullptr);
  return boost::json::serialize(body);
}

}  // namespace eilbote
