#include "domain/json_members.h"

#include <boost/json/parse.hpp>

namespace eilbote {
namespace {

namespace json = boost::json;

const json::value* member_of(const json::object& object, std::string_view name) {
  return object.if_contains(json::string_view(name.data(), name.size()));
}

std::string text_or_empty(const json::value* value) {
  return value == nullptr ? std::string() : as_text(*value);
}

std::optional<std::int64_t> number_or_none(const json::value* value) {
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64();
}

}  // namespace

json::value parse_json(std::string_view text, json::storage_ptr storage) {
  boost::system::error_code failed;
  json::value value = json::parse(json::string_view(text.data(), text.size()), failed, std::move(storage));
  if (failed) return nullptr;
  return value;
}

std::string as_text(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : std::string();
}

const json::value* member_at(const json::value& value, std::initializer_list<std::string_view> way) {
  const json::value* at = &value;
  for (const std::string_view name : way) {
    if (!at->is_object()) return nullptr;
    at = member_of(at->get_object(), name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string text_at(const json::value& value, std::initializer_list<std::string_view> way) {
  return text_or_empty(member_at(value, way));
}

std::optional<std::int64_t> number_at(const json::value& value, std::initializer_list<std::string_view> way) {
  return number_or_none(member_at(value, way));
}

std::string text_in(const json::object& object, std::string_view name) {
  return text_or_empty(member_of(object, name));
}

std::optional<std::int64_t> number_in(const json::object& object, std::string_view name) {
  return number_or_none(member_of(object, name));
}

}  // namespace eilbote
