#include "store/postgres/params.h"

#include "base/assert.h"

namespace eilbote::postgres {
namespace {

void put32(std::string& out, std::uint32_t value) {
  const char bytes[4] = {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
                         static_cast<char>(value >> 8), static_cast<char>(value)};
  out.append(bytes, 4);
}

void put64(std::string& out, std::uint64_t value) {
  put32(out, static_cast<std::uint32_t>(value >> 32));
  put32(out, static_cast<std::uint32_t>(value));
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

}  // namespace

Array::Array(Type type, std::size_t bytes_expected) : type_(type) {
  body_.reserve(bytes_expected);
}

Array& Array::add(std::int32_t value) {
  EILBOTE_ASSERT(type_ == Type::int4);
  ++count_;
  put32(body_, 4);
  put32(body_, static_cast<std::uint32_t>(value));
  return *this;
}

Array& Array::add(std::int64_t value) {
  EILBOTE_ASSERT(type_ == Type::int8);
  ++count_;
  put32(body_, 8);
  put64(body_, static_cast<std::uint64_t>(value));
  return *this;
}

Array& Array::add(bool value) {
  EILBOTE_ASSERT(type_ == Type::boolean);
  ++count_;
  put32(body_, 1);
  body_ += static_cast<char>(value ? 1 : 0);
  return *this;
}

Array& Array::add(TimePoint value) {
  EILBOTE_ASSERT(type_ == Type::timestamptz);
  ++count_;
  put32(body_, 8);
  put64(body_, static_cast<std::uint64_t>(postgres_micros(value)));
  return *this;
}

Array& Array::add(std::string_view value) {
  const bool versioned = type_ == Type::jsonb;
  EILBOTE_ASSERT(versioned || type_ == Type::text || type_ == Type::bytea || type_ == Type::json);
  ++count_;
  put32(body_, static_cast<std::uint32_t>(value.size() + (versioned ? 1 : 0)));
  if (versioned) body_ += kJsonbVersion;
  body_ += value;
  return *this;
}

Array& Array::add_null() {
  ++count_;
  has_null_ = true;
  put32(body_, 0xFFFF'FFFFU);
  return *this;
}

std::string Array::take() {
  std::string out;
  out.reserve(20 + body_.size());
  put32(out, count_ == 0 ? 0 : 1);  // dimensions
  put32(out, has_null_ ? 1 : 0);
  put32(out, static_cast<std::uint32_t>(type_));
  if (count_ > 0) {
    put32(out, count_);
    put32(out, 1);  // lower bound
  }
  out += body_;
  body_ = {};
  count_ = 0;
  return out;
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
