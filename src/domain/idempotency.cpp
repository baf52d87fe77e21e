// Canonical JSON and the fingerprint over it. Called by the API when a request carries an Idempotency-Key;
// the store keeps the digest, so the form written here must never change between releases.
#include "domain/idempotency.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <cmath>
#include <vector>

#include "base/ascii.h"
#include "base/json_escape.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// Doubles hold every integer up to this size exactly; beyond it only int64 and uint64 do.
constexpr double kExactIntegerMax = 9007199254740992.0;  // 2^53

// 1, 1.0 and 1e0 are one number, and so are -0.0 and 0.
void append_double(std::string& out, double number) {
  if (std::abs(number) <= kExactIntegerMax && number == std::trunc(number))
    fmt::format_to(std::back_inserter(out), "{}", static_cast<std::int64_t>(number));
  else
    fmt::format_to(std::back_inserter(out), "{}", number);
}

std::string_view view(json::string_view text) {
  return {text.data(), text.size()};
}

// Depth is bounded by the parser (32 levels), so recursion is safe.
void append(std::string& out, const json::value& value);

void append_object(std::string& out, const json::object& object) {
  std::vector<const json::key_value_pair*> members;
  members.reserve(object.size());
  for (const auto& member : object)
    members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const auto* a, const auto* b) { return view(a->key()) < view(b->key()); });
  out += '{';
  for (const auto* member : members) {
    if (member != members.front()) out += ',';
    append_json_string(out, view(member->key()));
    out += ':';
    append(out, member->value());
  }
  out += '}';
}

void append_array(std::string& out, const json::array& array) {
  out += '[';
  bool first = true;
  for (const json::value& element : array) {
    if (!first) out += ',';
    first = false;
    append(out, element);
  }
  out += ']';
}

void append(std::string& out, const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      out += "null";
      break;
    case json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      break;
    case json::kind::int64:
      fmt::format_to(std::back_inserter(out), "{}", value.get_int64());
      break;
    case json::kind::uint64:
      fmt::format_to(std::back_inserter(out), "{}", value.get_uint64());
      break;
    case json::kind::double_:
      append_double(out, value.get_double());
      break;
    case json::kind::string:
      append_json_string(out, view(value.get_string()));
      break;
    case json::kind::array:
      append_array(out, value.get_array());
      break;
    case json::kind::object:
      append_object(out, value.get_object());
      break;
  }
}

}  // namespace

std::string canonical_json(const json::value& value) {
  std::string out;
  append(out, value);
  return out;
}

Sha256 fingerprint(const json::value& body) {
  return sha256(canonical_json(body));
}

Result<void> check_idempotency_key(std::string_view key) {
  if (key.size() < kIdempotencyKeyMin || key.size() > kIdempotencyKeyMax)
    return fail(ErrorKind::invalid, fmt::format("must be {} to {} printable ASCII characters long",
                                                kIdempotencyKeyMin, kIdempotencyKeyMax));
  if (!is_printable_ascii(key)) return fail(ErrorKind::invalid, "must consist of printable ASCII characters");
  return {};
}

}  // namespace eilbote
