// Holds a value against a compiled JSON Schema. A detail says what would be right and never repeats the value.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <cmath>
#include <set>

#include "api/json_fields.h"
#include "api/json_schema.h"
#include "base/utf8.h"
#include "domain/idempotency.h"

namespace eilbote {
namespace {

namespace json = boost::json;
using Child = SchemaNode::Child;

// More than any honest payload needs: a schema of 20 places, all of them asked for each of 100,000 values.
constexpr std::size_t kStepsMax = 2'000'000;
// Values are at most 32 deep (domain/strict_json.h); what goes deeper is a schema that refers to itself for the same value.
constexpr int kDepthMax = 256;
// Honest patterns take a few milliseconds for the largest payload.
constexpr std::chrono::seconds kMatchingMax{1};

unsigned type_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return kNull;
    case json::kind::bool_:
      return kBoolean;
    case json::kind::int64:
    case json::kind::uint64:
      return kInteger | kNumber;
    case json::kind::double_:
      return std::trunc(value.get_double()) == value.get_double() ? kInteger | kNumber : kNumber;
    case json::kind::string:
      return kString;
    case json::kind::array:
      return kArray;
    case json::kind::object:
      return kObject;
  }
  return 0;
}

// "string or null"
std::string types_text(unsigned types) {
  std::string text;
  for (const auto& [type, name] :
       {std::pair(kNull, "null"), std::pair(kBoolean, "boolean"), std::pair(kInteger, "integer"),
        std::pair(kNumber, "number"), std::pair(kString, "string"), std::pair(kArray, "array"),
        std::pair(kObject, "object")})
    if ((types & type) != 0) text += (text.empty() ? "" : " or ") + std::string(name);
  return text;
}

bool is_multiple(double value, double of) {
  const double quotient = value / of;
  // 0.3 is a multiple of 0.1, though not in binary.
  return std::isfinite(quotient) &&
         std::abs(quotient - std::round(quotient)) <= 1e-9 * std::max(1.0, std::abs(quotient));
}

class Judge {
 public:
  explicit Judge(std::vector<Fault>& faults) : faults_(faults) {}

  void run(Child root, const json::value& value) {
    judge(*root, value, Place(faults_));
    if (given_up_)
      faults_.assign(1,
                     Fault{"", "is too large, too deep or too hard to match to be held against this schema"});
  }

 private:
  void judge(const SchemaNode& node, const json::value& value, const Place& place) {
    if (given_up_ || ++steps_ > kStepsMax || depth_ >= kDepthMax) {
      given_up_ = true;
      return;
    }
    ++depth_;
    plain(node, value, place);
    if (const json::array* array = value.if_array()) items(node, *array, place);
    if (const json::object* object = value.if_object()) members(node, *object, place);
    if (node.ref != nullptr) judge(*node.ref, value, place);
    combined(node, value, place);
    --depth_;
  }

  // Whether it fits, without a word about it.
  bool fits(Child node, const json::value& value) {
    std::vector<Fault> unsaid;
    judge(*node, value, Place(unsaid));
    return unsaid.empty();
  }

  void plain(const SchemaNode& node, const json::value& value, const Place& place) {
    if (node.never) place.fault("must not be there");
    const unsigned type = type_of(value);
    if (node.types != 0 && (node.types & type) == 0) place.fault("must be of type " + types_text(node.types));
    if (node.allowed || node.constant) listed(node, canonical_json(value), place);
    if ((type & kNumber) != 0) number(node, value.to_number<double>(), place);
    if (const json::string* text = value.if_string()) string(node, {text->data(), text->size()}, place);
  }

  static void listed(const SchemaNode& node, const std::string& value, const Place& place) {
    if (node.constant && *node.constant != value) place.fault("must be the value that the schema names");
    if (node.allowed && std::find(node.allowed->begin(), node.allowed->end(), value) == node.allowed->end())
      place.fault("must be one of the values that the schema lists");
  }

  static void number(const SchemaNode& node, double value, const Place& place) {
    if (node.minimum && value < *node.minimum) place.fault(fmt::format("must be at least {}", *node.minimum));
    if (node.maximum && value > *node.maximum) place.fault(fmt::format("must be at most {}", *node.maximum));
    if (node.exclusive_minimum && value <= *node.exclusive_minimum)
      place.fault(fmt::format("must be greater than {}", *node.exclusive_minimum));
    if (node.exclusive_maximum && value >= *node.exclusive_maximum)
      place.fault(fmt::format("must be less than {}", *node.exclusive_maximum));
    if (node.multiple_of && !is_multiple(value, *node.multiple_of))
      place.fault(fmt::format("must be a multiple of {}", *node.multiple_of));
  }

  void string(const SchemaNode& node, std::string_view text, const Place& place) {
    if (node.length_min || node.length_max)
      count(utf8_length(text), node.length_min, node.length_max, "characters", place);
    if (node.pattern && !matches(*node.pattern, text)) place.fault("must match the schema's pattern");
  }

  // One match is bounded by itself (text_pattern.h), thousands of them by the time they take together.
  bool matches(const TextPattern& pattern, std::string_view text) {
    if (given_up_) return false;
    const auto begun = std::chrono::steady_clock::now();
    const TextPattern::Found found = pattern.search(text);
    matching_ += std::chrono::steady_clock::now() - begun;
    if (found == TextPattern::Found::too_complex || matching_ > kMatchingMax) given_up_ = true;
    return found == TextPattern::Found::yes;
  }

  static void count(std::size_t have, const std::optional<std::size_t>& min,
                    const std::optional<std::size_t>& max, std::string_view what, const Place& place) {
    if (min && have < *min) place.fault(fmt::format("must have at least {} {}", *min, what));
    if (max && have > *max) place.fault(fmt::format("must have at most {} {}", *max, what));
  }

  void items(const SchemaNode& node, const json::array& array, const Place& place) {
    count(array.size(), node.items_min, node.items_max, "items", place);
    bool contained = node.contains == nullptr;
    for (std::size_t i = 0; i < array.size() && !given_up_; ++i) {
      const Child child = i < node.prefix_items.size() ? node.prefix_items[i] : node.items;
      if (child != nullptr) judge(*child, array[i], Place(place, i));
      contained = contained || fits(node.contains, array[i]);
    }
    if (!contained) place.fault("must have an item as the schema's `contains` says");
    if (!node.unique_items) return;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < array.size(); ++i)
      if (!seen.insert(canonical_json(array[i])).second) return Place(place, i).fault("is there twice");
  }

  void members(const SchemaNode& node, const json::object& object, const Place& place) {
    count(object.size(), node.properties_min, node.properties_max, "members", place);
    for (const std::string& name : node.required)
      if (!object.contains(name)) Place(place, name).fault("is required");
    const bool looks_at_each =
        !node.pattern_properties.empty() || node.additional != nullptr || node.property_names != nullptr;
    for (const auto& [name, child] : node.properties)
      if (const json::value* member = object.if_contains(name)) judge(*child, *member, Place(place, name));
    if (!looks_at_each) return;
    for (const auto& member : object) {
      if (given_up_) return;
      other_member(node, {member.key().data(), member.key().size()}, member.value(), place);
    }
  }

  void other_member(const SchemaNode& node, std::string_view name, const json::value& value,
                    const Place& place) {
    const Place at(place, name);
    if (node.property_names != nullptr &&
        !fits(node.property_names, json::value(json::string_view(name.data(), name.size()))))
      at.fault("must have a name as the schema's `propertyNames` says");
    bool known = std::any_of(node.properties.begin(), node.properties.end(),
                             [&](const auto& property) { return property.first == name; });
    for (const auto& [pattern, child] : node.pattern_properties) {
      if (!matches(pattern, name)) continue;
      known = true;
      judge(*child, value, at);
    }
    if (known || node.additional == nullptr) return;
    if (node.additional->never) return at.fault("is not in the schema");
    judge(*node.additional, value, at);
  }

  void combined(const SchemaNode& node, const json::value& value, const Place& place) {
    for (const Child child : node.all_of)
      judge(*child, value, place);
    const auto fitting = [&](const std::vector<Child>& children, std::size_t enough) {
      std::size_t n = 0;
      for (const Child child : children)
        if (n < enough && fits(child, value)) ++n;
      return n;
    };
    if (!node.any_of.empty() && fitting(node.any_of, 1) == 0)
      place.fault("must fit one of the schemas in the schema's `anyOf`");
    if (!node.one_of.empty() && fitting(node.one_of, 2) != 1)
      place.fault("must fit exactly one of the schemas in the schema's `oneOf`");
    if (node.not_ != nullptr && fits(node.not_, value)) place.fault("must not fit the schema's `not`");
    if (node.if_ == nullptr) return;
    const Child then = fits(node.if_, value) ? node.then_ : node.else_;
    if (then != nullptr) judge(*then, value, place);
  }

  std::vector<Fault>& faults_;
  std::size_t steps_ = 0;
  int depth_ = 0;
  std::chrono::steady_clock::duration matching_{};
  bool given_up_ = false;
};

}  // namespace

std::vector<Fault> JsonSchema::check(const json::value& value) const {
  std::vector<Fault> faults;
  Judge(faults).run(root_, value);
  return faults;
}

}  // namespace eilbote
