#include "secrets/secret_json.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace eilbote {
namespace {

namespace json = boost::json;
constexpr std::size_t kLineMax = 200;

}  // namespace

json::value parse_json(std::string_view text) {
  boost::system::error_code failed;
  json::value value = json::parse(json::string_view(text.data(), text.size()), failed);
  return failed ? json::value() : value;
}

const json::value* member_at(const json::value& value, std::initializer_list<std::string_view> way) {
  const json::value* at = &value;
  for (const std::string_view name : way) {
    if (!at->is_object()) return nullptr;
    at = at->get_object().if_contains(json::string_view(name.data(), name.size()));
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string text_at(const json::value& value, std::initializer_list<std::string_view> way) {
  const json::value* at = member_at(value, way);
  return at != nullptr && at->is_string() ? std::string(at->get_string()) : std::string();
}

std::optional<std::int64_t> number_at(const json::value& value, std::initializer_list<std::string_view> way) {
  const json::value* at = member_at(value, way);
  if (at == nullptr || !at->is_int64()) return std::nullopt;
  return at->get_int64();
}

FromStore<Secret> secret_in(const json::value& object, std::string_view key) {
  const json::value* at = member_at(object, {key});
  if (at == nullptr || at->is_null())
    return trouble(ErrorKind::not_found, "there is no key '" + std::string(key) + "' in it");
  if (at->is_structured())
    return trouble(ErrorKind::invalid, "the key '" + std::string(key) + "' holds no text");
  Secret secret(at->is_string() ? std::string(at->get_string()) : json::serialize(*at));
  if (secret.empty()) return trouble(ErrorKind::not_found, "the key '" + std::string(key) + "' is empty");
  return secret;
}

FromStore<Secret> secret_in_text(std::string text, std::string_view key) {
  if (!key.empty()) {
    const json::value object = parse_json(text);
    wipe(text);
    if (!object.is_object())
      return trouble(ErrorKind::invalid, "it is no JSON object, so it has no key '" + std::string(key) + "'");
    return secret_in(object, key);
  }
  if (text.empty()) return trouble(ErrorKind::not_found, "it is empty");
  return Secret(std::move(text));
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, kLineMax)) {
    const bool is_plain = c >= 0x20 && c < 0x7F;
    if (is_plain)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (line.ends_with(' '))
    line.pop_back();
  return line;
}

}  // namespace eilbote
