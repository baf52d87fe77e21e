// A JSON Schema, compiled: what a payload is held against. The part of draft 2020-12 (and of 6 to 2019-09, where they
// mean the same) that constrains values; a keyword it does not know is refused, so that no schema promises what nobody
// checks. References stay inside the document. docs/decisions/0012 says why this is our own.
#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/text_pattern.h"
#include "domain/fault.h"

namespace eilbote {

// The types a value can have, as bits.
enum JsonType : unsigned {
  kNull = 1,
  kBoolean = 2,
  kInteger = 4,  // a number without a fraction, however it is written
  kNumber = 8,   // any number, whole ones too
  kString = 16,
  kArray = 32,
  kObject = 64,
};

// One schema with its subschemas, which belong to the JsonSchema around them. An absent keyword constrains nothing.
struct SchemaNode {
  using Child = const SchemaNode*;

  bool never = false;                               // the schema `false`
  unsigned types = 0;                               // 0: any
  std::optional<std::vector<std::string>> allowed;  // enum, as canonical JSON
  std::optional<std::string> constant;              // const, the same

  std::optional<double> minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;
  std::optional<std::size_t> length_min, length_max;
  std::optional<TextPattern> pattern;

  std::vector<Child> prefix_items;
  Child items = nullptr;             // of those after prefix_items
  Child additional_items = nullptr;  // what `items` was called beside a list, up to draft 2019-09
  Child contains = nullptr;
  std::optional<std::size_t> items_min, items_max;
  bool unique_items = false;

  std::vector<std::pair<std::string, Child>> properties;
  std::vector<std::pair<TextPattern, Child>> pattern_properties;
  Child additional = nullptr;
  Child property_names = nullptr;
  std::vector<std::string> required;
  std::optional<std::size_t> properties_min, properties_max;

  Child ref = nullptr;
  std::vector<Child> all_of, any_of, one_of;
  Child not_ = nullptr, if_ = nullptr, then_ = nullptr, else_ = nullptr;
};

class JsonSchema {
 public:
  // All faults at once, with pointers into the schema.
  static tl::expected<JsonSchema, std::vector<Fault>> compile(const boost::json::value& schema);

  // Up to 100 faults with pointers into the value; empty when it fits. Bounded work: a value that would take too long is
  // a fault.
  std::vector<Fault> check(const boost::json::value& value) const;

 private:
  friend class SchemaCompiler;
  std::vector<std::unique_ptr<SchemaNode>> nodes_;
  const SchemaNode* root_ = nullptr;
};

}  // namespace eilbote
