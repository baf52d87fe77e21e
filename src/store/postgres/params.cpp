#include "store/postgres/params.h"

#include <utility>

#include "base/assert.h"

namespace eilbote::postgres {
namespace {

// Network order.
template <class Unsigned>
void write_bytes(char* to, Unsigned value) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    to[i] = static_cast<char>(value >> (8 * (sizeof value - 1 - i)));
}

void put32(std::string& out, std::uint32_t value) {
  char bytes[sizeof value];
  write_bytes(bytes, value);
  out.append(bytes, sizeof bytes);
}

void put64(std::string& out, std::uint64_t value) {
  char bytes[sizeof value];
  write_bytes(bytes, value);
  out.append(bytes, sizeof bytes);
}

// An element of an array: its length, then itself. Appended at once: there are dozens for each job.
template <class Unsigned>
void put_element(std::string& out, Unsigned value) {
  char bytes[4 + sizeof value];
  write_bytes(bytes, static_cast<std::uint32_t>(sizeof value));
  write_bytes(bytes + 4, value);
  out.append(bytes, sizeof bytes);
}

// The number of the array type over an element type.
unsigned array_oid(Type type) {
  switch (type) {
    case Type::boolean:
      return 1000;
    case Type::bytea:
      return 1001;
    case Type::int8:
      return 1016;
    case Type::int4:
      return 1007;
    case Type::text:
      return 1009;
    case Type::json:
      return 199;
    case Type::timestamptz:
      return 1185;
    case Type::jsonb:
      return 3807;
  }
  return 0;
}

std::int64_t postgres_micros(TimePoint at) {
  // The ends of our clock stand for "always" and "never".
  if (at == TimePoint::min() || at == TimePoint::max()) return at.time_since_epoch().count();
  return at.time_since_epoch().count() - kPostgresEpochMicros;
}

// jsonb in binary form is a version byte, then the text.
constexpr char kJsonbVersion = 1;

// Dimensions, whether there are nulls, the elements' type; then, unless the array is empty, its length and its lower bound.
constexpr std::size_t kEmptyHeaderBytes = 12;
constexpr std::size_t kHeaderBytes = 20;

}  // namespace

Array::Array(Type type, std::size_t bytes_expected) : type_(type) {
  bytes_.reserve(kHeaderBytes + bytes_expected);
  bytes_.resize(kHeaderBytes);
}

Array& Array::add(std::int32_t value) {
  EILBOTE_ASSERT(type_ == Type::int4);
  ++count_;
  put_element(bytes_, static_cast<std::uint32_t>(value));
  return *this;
}

Array& Array::add(std::int64_t value) {
  EILBOTE_ASSERT(type_ == Type::int8);
  ++count_;
  put_element(bytes_, static_cast<std::uint64_t>(value));
  return *this;
}

Array& Array::add(bool value) {
  EILBOTE_ASSERT(type_ == Type::boolean);
  ++count_;
  put_element(bytes_, static_cast<std::uint8_t>(value ? 1 : 0));
  return *this;
}

Array& Array::add(TimePoint value) {
  EILBOTE_ASSERT(type_ == Type::timestamptz);
  ++count_;
  put_element(bytes_, static_cast<std::uint64_t>(postgres_micros(value)));
  return *this;
}

Array& Array::add(std::string_view value) {
  const bool versioned = type_ == Type::jsonb;
  EILBOTE_ASSERT(versioned || type_ == Type::text || type_ == Type::bytea || type_ == Type::json);
  ++count_;
  put32(bytes_, static_cast<std::uint32_t>(value.size() + (versioned ? 1 : 0)));
  if (versioned) bytes_ += kJsonbVersion;
  bytes_ += value;
  return *this;
}

Array& Array::add_null() {
  ++count_;
  has_null_ = true;
  put32(bytes_, 0xFFFF'FFFFU);
  return *this;
}

std::string Array::take() {
  write_bytes(bytes_.data(), std::uint32_t{count_ == 0 ? 0U : 1U});
  write_bytes(bytes_.data() + 4, std::uint32_t{has_null_ ? 1U : 0U});
  write_bytes(bytes_.data() + 8, static_cast<std::uint32_t>(type_));
  write_bytes(bytes_.data() + 12, count_);
  write_bytes(bytes_.data() + 16, std::uint32_t{1});
  if (count_ == 0) bytes_.resize(kEmptyHeaderBytes);
  return std::move(bytes_);
}

Params& Params::add(std::int32_t value) {
  std::string bytes;
  put32(bytes, static_cast<std::uint32_t>(value));
  values_.push_back({static_cast<unsigned>(Type::int4), std::move(bytes)});
  return *this;
}

Params& Params::add(std::int64_t value) {
  std::string bytes;
  put64(bytes, static_cast<std::uint64_t>(value));
  values_.push_back({static_cast<unsigned>(Type::int8), std::move(bytes)});
  return *this;
}

Params& Params::add(bool value) {
  values_.push_back({static_cast<unsigned>(Type::boolean), std::string(1, value ? '\1' : '\0')});
  return *this;
}

Params& Params::add(TimePoint value) {
  std::string bytes;
  put64(bytes, static_cast<std::uint64_t>(value.time_since_epoch().count() - kPostgresEpochMicros));
  values_.push_back({static_cast<unsigned>(Type::timestamptz), std::move(bytes)});
  return *this;
}

Params& Params::add_text(Type type, std::string_view value) {
  std::string bytes;
  if (type == Type::jsonb) bytes += kJsonbVersion;
  bytes += value;
  values_.push_back({static_cast<unsigned>(type), std::move(bytes)});
  return *this;
}

Params& Params::add_null(Type type) {
  values_.push_back({static_cast<unsigned>(type), std::nullopt});
  return *this;
}

Params& Params::add_null_array(Type element) {
  values_.push_back({array_oid(element), std::nullopt});
  return *this;
}

Params& Params::add(Array&& array) {
  const unsigned oid = array_oid(array.type());
  values_.push_back({oid, array.take()});
  return *this;
}

}  // namespace eilbote::postgres
