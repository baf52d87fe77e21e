// Answers of the API as people read them: a member as text, one thing line by line, many as a table.
#pragma once

#include <boost/json/value.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eilbote::cli {

// A member as text, whatever its type; empty when it is absent or null. `path` may go down:
// "details.retryCount".
std::string member_text(const boost::json::value& value, std::string_view path);

// The list an answer carries: its `data`, or the answer itself when it is an array.
const boost::json::array& items_of(const boost::json::value& answer);

// A line or a column: what stands in front or on top, and the member that it shows.
struct ViewField {
  std::string_view label;
  std::string_view path;
  // For a member that is not shown as it is; it gets the whole item.
  std::string (*text)(const boost::json::value& item) = nullptr;
};

// A line for each field that has a value; the values begin in column `width`.
std::string fields_text(const boost::json::value& item, std::span<const ViewField> fields, int width);

std::string fields_table(const boost::json::array& items, std::span<const ViewField> columns);

}  // namespace eilbote::cli
