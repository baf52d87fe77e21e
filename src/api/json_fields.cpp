#include "api/json_fields.h"

#include <algorithm>

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cmath>

#include "api/json_document.h"
#include "base/nearest.h"
#include "base/utf8.h"

namespace eilbote {

namespace json = boost::json;

std::string Place::pointer() const {
  if (parent_ == nullptr) return "";
  return parent_->pointer() + "/" + (index_ ? std::to_string(*index_) : pointer_step(name_));
}

void Place::fault(std::string detail) const {
  if (faults_.size() < kFaultsShownMax) faults_.push_back({pointer(), std::move(detail)});
}

std::optional<std::string> read_text(const json::value& value, const Place& place) {
  if (const auto* text = value.if_string()) return std::string(text->data(), text->size());
  place.fault("must be a string");
  return std::nullopt;
}

std::optional<bool> read_flag(const json::value& value, const Place& place) {
  if (const bool* flag = value.if_bool()) return *flag;
  place.fault("must be true or false");
  return std::nullopt;
}

std::optional<double> read_number(const json::value& value, const Place& place, double min, double max) {
  std::optional<double> number;
  if (const auto* i = value.if_int64()) number = static_cast<double>(*i);
  if (const auto* u = value.if_uint64()) number = static_cast<double>(*u);
  if (const auto* d = value.if_double()) number = *d;
  if (number && *number >= min && *number <= max) return number;
  place.fault(fmt::format("must be a number from {} to {}", min, max));
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(const json::value& value, const Place& place, std::int64_t min,
                                         std::int64_t max) {
  std::optional<std::int64_t> number;
  if (const auto* i = value.if_int64()) number = *i;
  // 5.0 and 5e0 are 5: JSON does not tell them apart.
  if (const auto* d = value.if_double(); d != nullptr && std::abs(*d) < 1e15 && std::trunc(*d) == *d)
    number = static_cast<std::int64_t>(*d);
  if (number && *number >= min && *number <= max) return number;
  place.fault(fmt::format("must be a whole number from {} to {}", min, max));
  return std::nullopt;
}

std::optional<TimePoint> read_time(const json::value& value, const Place& place) {
  const auto text = read_text(value, place);
  if (!text) return std::nullopt;
  const auto time = parse_rfc3339(*text);
  if (!time) place.fault("must be an RFC 3339 time such as 2026-11-15T21:00:00Z");
  return time;
}

const json::object* read_object(const json::value& value, const Place& place) {
  const json::object* object = value.if_object();
  if (object == nullptr) place.fault("must be an object");
  return object;
}

const json::array* read_array(const json::value& value, const Place& place, std::size_t items_max) {
  const json::array* array = value.if_array();
  if (array == nullptr) {
    place.fault("must be an array");
    return nullptr;
  }
  if (array->size() <= items_max) return array;
  place.fault(fmt::format("must have at most {} items", items_max));
  return nullptr;
}

void unknown_field(const Place& place, std::string_view name, std::span<const std::string_view> known) {
  const Place at(place, name);
  const std::string close = nearest(name, known);
  const std::string_view shown = utf8_prefix(name, 64);
  at.fault(close.empty() ? fmt::format("unknown field '{}'", shown)
                         : fmt::format("unknown field '{}'; did you mean '{}'?", shown, close));
}

namespace {

bool covers(const std::string& outer, const std::string& inner) {
  return inner == outer || (inner.starts_with(outer) && inner[outer.size()] == '/');
}

}  // namespace

void add_rules_faults(std::vector<Fault>& faults, std::vector<Fault> more) {
  const std::size_t found = faults.size();
  for (Fault& fault : more) {
    const bool known = std::any_of(
        faults.begin(), faults.begin() + static_cast<std::ptrdiff_t>(found),
        [&](const Fault& f) { return covers(f.pointer, fault.pointer) || covers(fault.pointer, f.pointer); });
    if (!known && faults.size() < kFaultsShownMax) faults.push_back(std::move(fault));
  }
}

}  // namespace eilbote
