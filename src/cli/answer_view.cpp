#include "cli/answer_view.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "cli/text_table.h"

namespace eilbote::cli {
namespace {

std::string scalar(const boost::json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  return value.is_null() ? "" : boost::json::serialize(value);
}

std::string field_text(const boost::json::value& item, const ViewField& field) {
  return field.text != nullptr ? field.text(item) : member_text(item, field.path);
}

}  // namespace

std::string member_text(const boost::json::value& value, std::string_view path) {
  const boost::json::value* at = &value;
  while (true) {
    const auto dot = path.find('.');
    const auto* object = at->if_object();
    if (object == nullptr) return "";
    at = object->if_contains(path.substr(0, dot));
    if (at == nullptr) return "";
    if (dot == std::string_view::npos) return scalar(*at);
    path.remove_prefix(dot + 1);
  }
}

const boost::json::array& items_of(const boost::json::value& answer) {
  static const boost::json::array kNone;
  if (const auto* array = answer.if_array()) return *array;
  const auto* object = answer.if_object();
  const auto* data = object != nullptr ? object->if_contains("data") : nullptr;
  return data != nullptr && data->is_array() ? data->get_array() : kNone;
}

std::string fields_text(const boost::json::value& item, std::span<const ViewField> fields, int width) {
  std::string out;
  for (const ViewField& field : fields)
    if (const std::string value = field_text(item, field); !value.empty())
      out += fmt::format("{:<{}}{}\n", field.label, width, printable(value));
  return out;
}

std::string fields_table(const boost::json::array& items, std::span<const ViewField> columns) {
  std::vector<std::vector<std::string>> rows(1);
  for (const ViewField& column : columns)
    rows[0].emplace_back(column.label);
  for (const auto& item : items) {
    auto& row = rows.emplace_back();
    for (const ViewField& column : columns)
      row.push_back(field_text(item, column));
  }
  return text_table(rows);
}

}  // namespace eilbote::cli
