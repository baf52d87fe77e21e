// Reads a JSON Schema into nodes. Each place in the document becomes one node however often it is referred to, so that
// schemas may refer to themselves.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>

#include "api/json_fields.h"
#include "api/json_schema.h"
#include "base/enum_names.h"
#include "domain/idempotency.h"

namespace eilbote {

namespace json = boost::json;

namespace {

constexpr std::size_t kSchemaListMax = 10'000;
constexpr std::int64_t kCountMax = 1'000'000'000;
constexpr double kHuge = 1e308;

constexpr auto kTypeNames = enum_names<JsonType>({{kNull, "null"},
                                                  {kBoolean, "boolean"},
                                                  {kInteger, "integer"},
                                                  {kNumber, "number"},
                                                  {kString, "string"},
                                                  {kArray, "array"},
                                                  {kObject, "object"}});

// Said about the schema or its values, but no constraint.
constexpr std::string_view kNotes[] = {
    "$schema",  "$comment",  "title",  "description",     "default",          "examples", "deprecated",
    "readOnly", "writeOnly", "format", "contentEncoding", "contentMediaType", "$defs",    "definitions"};

void read_types(SchemaNode& node, const json::value& value, const Place& place) {
  const auto add = [&](const json::value& one, const Place& at) {
    if (const auto type = read_enum(one, at, kTypeNames)) node.types |= *type;
  };
  const json::array* array = value.if_array();
  if (array == nullptr) return add(value, place);
  if (array->empty()) return place.fault("must name at least one type");
  for (std::size_t i = 0; i < array->size(); ++i)
    add((*array)[i], Place(place, i));
}

void read_enum_values(SchemaNode& node, const json::value& value, const Place& place) {
  const json::array* array = read_array(value, place, kSchemaListMax);
  if (array == nullptr) return;
  node.allowed.emplace();
  for (const json::value& one : *array)
    node.allowed->push_back(canonical_json(one));
}

void read_const(SchemaNode& node, const json::value& value, const Place&) {
  node.constant = canonical_json(value);
}

void read_required(SchemaNode& node, const json::value& value, const Place& place) {
  const json::array* array = read_array(value, place, kSchemaListMax);
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->size(); ++i)
    if (auto name = read_text((*array)[i], Place(place, i))) node.required.push_back(std::move(*name));
}

template <auto Member>
void read_bound(SchemaNode& node, const json::value& value, const Place& place) {
  node.*Member = read_number(value, place, -kHuge, kHuge);
}

template <auto Member>
void read_count(SchemaNode& node, const json::value& value, const Place& place) {
  if (const auto count = read_integer(value, place, 0, kCountMax))
    node.*Member = static_cast<std::size_t>(*count);
}

void read_multiple(SchemaNode& node, const json::value& value, const Place& place) {
  const auto number = read_number(value, place, -kHuge, kHuge);
  if (!number) return;
  if (*number <= 0) return place.fault("must be greater than 0");
  node.multiple_of = number;
}

std::optional<TextPattern> read_pattern(std::string_view text, const Place& place) {
  auto pattern = TextPattern::make(text);
  if (pattern) return std::move(*pattern);
  place.fault(pattern.error().message);
  return std::nullopt;
}

// The keywords that need nothing but their own value.
const FieldRow<SchemaNode> kPlain[] = {
    {"type", read_types},
    {"enum", read_enum_values},
    {"const", read_const},
    {"required", read_required},
    {"minimum", read_bound<&SchemaNode::minimum>},
    {"maximum", read_bound<&SchemaNode::maximum>},
    {"exclusiveMinimum", read_bound<&SchemaNode::exclusive_minimum>},
    {"exclusiveMaximum", read_bound<&SchemaNode::exclusive_maximum>},
    {"multipleOf", read_multiple},
    {"minLength", read_count<&SchemaNode::length_min>},
    {"maxLength", read_count<&SchemaNode::length_max>},
    {"minItems", read_count<&SchemaNode::items_min>},
    {"maxItems", read_count<&SchemaNode::items_max>},
    {"minProperties", read_count<&SchemaNode::properties_min>},
    {"maxProperties", read_count<&SchemaNode::properties_max>},
    {"uniqueItems", [](SchemaNode& node, const json::value& value,
                       const Place& place) { node.unique_items = read_flag(value, place).value_or(false); }},
    {"pattern",
     [](SchemaNode& node, const json::value& value, const Place& place) {
       if (const auto text = read_text(value, place)) node.pattern = read_pattern(*text, place);
     }},
};

// "/a~1b" -> {"a/b"}; nothing when it is no pointer.
std::optional<std::vector<std::string>> pointer_steps(std::string_view pointer) {
  std::vector<std::string> steps;
  while (!pointer.empty()) {
    if (pointer.front() != '/') return std::nullopt;
    pointer.remove_prefix(1);
    const std::string_view raw = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(raw.size());
    std::string step;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '~') {
        step += raw[i];
        continue;
      }
      if (++i == raw.size() || (raw[i] != '0' && raw[i] != '1')) return std::nullopt;
      step += raw[i] == '0' ? '~' : '/';
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

const json::value* step_into(const json::value& value, const std::string& step) {
  if (const json::object* object = value.if_object()) return object->if_contains(step);
  const json::array* array = value.if_array();
  if (array == nullptr || step.empty() || step.size() > 6 ||
      step.find_first_not_of("0123456789") != std::string::npos)
    return nullptr;
  return array->if_contains(static_cast<std::size_t>(std::stoul(step)));
}

}  // namespace

class SchemaCompiler {
 public:
  explicit SchemaCompiler(const json::value& document) : document_(document) {}

  tl::expected<JsonSchema, std::vector<Fault>> run() {
    schema_.root_ = compile(document_, Place(faults_));
    if (!faults_.empty()) return tl::unexpected(std::move(faults_));
    return std::move(schema_);
  }

 private:
  using Child = SchemaNode::Child;
  struct Keyword {
    std::string_view name;
    void (SchemaCompiler::*read)(SchemaNode&, const json::value&, const Place&);
  };
  static const Keyword kNested[];

  Child compile(const json::value& value, const Place& place) {
    if (const auto known = done_.find(&value); known != done_.end()) return known->second;
    schema_.nodes_.push_back(std::make_unique<SchemaNode>());
    SchemaNode& node = *schema_.nodes_.back();
    done_.emplace(&value, &node);
    if (const bool* flag = value.if_bool()) {
      node.never = !*flag;
    } else if (const json::object* object = value.if_object()) {
      for (const auto& member : *object)
        read_keyword(node, {member.key().data(), member.key().size()}, member.value(), place);
      // Beside a list in `items` only; elsewhere it has no meaning.
      const json::value* items_value = object->if_contains("items");
      if (items_value != nullptr && items_value->is_array()) node.items = node.additional_items;
    } else {
      place.fault("must be a schema: an object, true or false");
    }
    return &node;
  }

  void read_keyword(SchemaNode& node, std::string_view name, const json::value& value, const Place& place) {
    const Place at(place, name);
    for (const FieldRow<SchemaNode>& row : kPlain)
      if (row.name == name) return row.read(node, value, at);
    if (const Keyword* nested = nested_keyword(name)) return (this->*nested->read)(node, value, at);
    if (name == "$id" && &node == schema_.nodes_.front().get()) return;
    for (const std::string_view note : kNotes)
      if (note == name) return;
    if (name.starts_with("x-")) return;
    std::vector<std::string_view> known;
    for (const FieldRow<SchemaNode>& row : kPlain)
      known.push_back(row.name);
    add_nested_names(known);
    unknown_field(place, name, known);
  }

  static const Keyword* nested_keyword(std::string_view name);
  static void add_nested_names(std::vector<std::string_view>& names);

  template <auto Member>
  void one(SchemaNode& node, const json::value& value, const Place& place) {
    node.*Member = compile(value, place);
  }

  template <auto Member>
  void several(SchemaNode& node, const json::value& value, const Place& place) {
    const json::array* array = read_array(value, place, kSchemaListMax);
    if (array == nullptr) return;
    if (array->empty()) return place.fault("must have at least one schema");
    for (std::size_t i = 0; i < array->size(); ++i)
      (node.*Member).push_back(compile((*array)[i], Place(place, i)));
  }

  // One schema for all items; up to draft 2019-09 also a list for the first ones.
  void items(SchemaNode& node, const json::value& value, const Place& place) {
    if (value.is_array()) return several<&SchemaNode::prefix_items>(node, value, place);
    node.items = compile(value, place);
  }

  void properties(SchemaNode& node, const json::value& value, const Place& place) {
    const json::object* object = read_object(value, place);
    if (object == nullptr) return;
    for (const auto& member : *object) {
      const std::string_view name(member.key().data(), member.key().size());
      node.properties.emplace_back(name, compile(member.value(), Place(place, name)));
    }
  }

  void pattern_properties(SchemaNode& node, const json::value& value, const Place& place) {
    const json::object* object = read_object(value, place);
    if (object == nullptr) return;
    for (const auto& member : *object) {
      const std::string_view name(member.key().data(), member.key().size());
      const Place at(place, name);
      if (auto pattern = read_pattern(name, at))
        node.pattern_properties.emplace_back(std::move(*pattern), compile(member.value(), at));
    }
  }

  void ref(SchemaNode& node, const json::value& value, const Place& place) {
    const auto text = read_text(value, place);
    if (!text) return;
    const auto steps =
        text->starts_with('#') ? pointer_steps(std::string_view(*text).substr(1)) : std::nullopt;
    if (!steps)
      return place.fault(
          "must refer to a place in this schema, such as #/$defs/address; nothing is fetched from elsewhere");
    const json::value* target = &document_;
    for (const std::string& step : *steps)
      if (target != nullptr) target = step_into(*target, step);
    if (target == nullptr) return place.fault("refers to a place that is not in this schema");
    node.ref = compile(*target, place);
  }

  const json::value& document_;
  std::vector<Fault> faults_;
  JsonSchema schema_;
  std::map<const json::value*, Child> done_;
};

const SchemaCompiler::Keyword SchemaCompiler::kNested[] = {
    {"items", &SchemaCompiler::items},
    {"prefixItems", &SchemaCompiler::several<&SchemaNode::prefix_items>},
    {"additionalItems", &SchemaCompiler::one<&SchemaNode::additional_items>},
    {"contains", &SchemaCompiler::one<&SchemaNode::contains>},
    {"properties", &SchemaCompiler::properties},
    {"patternProperties", &SchemaCompiler::pattern_properties},
    {"additionalProperties", &SchemaCompiler::one<&SchemaNode::additional>},
    {"propertyNames", &SchemaCompiler::one<&SchemaNode::property_names>},
    {"allOf", &SchemaCompiler::several<&SchemaNode::all_of>},
    {"anyOf", &SchemaCompiler::several<&SchemaNode::any_of>},
    {"oneOf", &SchemaCompiler::several<&SchemaNode::one_of>},
    {"not", &SchemaCompiler::one<&SchemaNode::not_>},
    {"if", &SchemaCompiler::one<&SchemaNode::if_>},
    {"then", &SchemaCompiler::one<&SchemaNode::then_>},
    {"else", &SchemaCompiler::one<&SchemaNode::else_>},
    {"$ref", &SchemaCompiler::ref},
};

const SchemaCompiler::Keyword* SchemaCompiler::nested_keyword(std::string_view name) {
  for (const Keyword& keyword : kNested)
    if (keyword.name == name) return &keyword;
  return nullptr;
}

void SchemaCompiler::add_nested_names(std::vector<std::string_view>& names) {
  for (const Keyword& keyword : kNested)
    names.push_back(keyword.name);
}

tl::expected<JsonSchema, std::vector<Fault>> JsonSchema::compile(const json::value& schema) {
  return SchemaCompiler(schema).run();
}

}  // namespace eilbote
