// Statement parameters in PostgreSQL's binary form: scalars, and arrays that `unnest` turns into rows.
// Binary, because a batch of 500 mails would otherwise be quoted and parsed twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace eilbote::postgres {

// The element types in use, by their fixed numbers in pg_type.
enum class Type : unsigned {
  boolean = 16,
  bytea = 17,
  int8 = 20,
  int4 = 23,
  text = 25,
  json = 114,
  timestamptz = 1184,
  jsonb = 3802,
};

// One array parameter, filled element by element. The `add` that is called must fit the type it was made
// with.
class Array {
 public:
  explicit Array(Type type, std::size_t bytes_expected = 0);

  Array& add(std::int32_t value);
  Array& add(std::int64_t value);
  Array& add(bool value);
  Array& add(TimePoint value);
  Array& add(std::string_view value);  // text, bytea, json, jsonb
  Array& add(const char*) = delete;    // would choose bool
  Array& add_null();
  // Empty text means "none" in the domain and null in the table.
  Array& add_or_null(std::string_view value) { return value.empty() ? add_null() : add(value); }
  template <class T>
  Array& add(const std::optional<T>& value) {
    return value ? add(*value) : add_null();
  }

  std::size_t size() const { return count_; }
  Type type() const { return type_; }
  // The finished parameter; the array is of no use afterwards.
  std::string take();

 private:
  Type type_;
  std::uint32_t count_ = 0;
  bool has_null_ = false;
  std::string bytes_;  // with room for the header in front
};

// The parameters of one call, $1 first.
class Params {
 public:
  Params() = default;

  Params& add(std::int32_t value);
  Params& add(std::int64_t value);
  Params& add(bool value);
  Params& add(TimePoint value);
  Params& add(Duration value) { return add(static_cast<std::int64_t>(value.count())); }
  Params& add(std::string_view value) { return add_text(Type::text, value); }
  Params& add(const char* value) { return add(std::string_view(value)); }
  Params& add_json(std::string_view value) { return add_text(Type::jsonb, value); }
  Params& add_null(Type type);
  Params& add_null_array(Type element);
  Params& add(Array&& array);

  struct Value {
    unsigned oid = 0;
    std::optional<std::string> bytes;
  };
  const std::vector<Value>& values() const { return values_; }

 private:
  Params& add_text(Type type, std::string_view value);
  std::vector<Value> values_;
};

// An array of ids or numbers, made in one step.
template <class Range>
Array int8_array(const Range& range) {
  Array array(Type::int8, std::size(range) * 12);
  for (const auto& item : range) {
    if constexpr (requires { item.value(); })
      array.add(static_cast<std::int64_t>(item.value()));
    else
      array.add(static_cast<std::int64_t>(item));
  }
  return array;
}

// Microseconds between 1970 and PostgreSQL's year zero, 2000-01-01.
inline constexpr std::int64_t kPostgresEpochMicros = 946'684'800'000'000;

}  // namespace eilbote::postgres
