#include "secrets/secret_json.h"

#include <boost/json/serialize.hpp>

#include "base/ascii.h"

namespace eilbote {
namespace {

namespace json = boost::json;
constexpr std::size_t kLineMax = 200;

}  // namespace

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
    if (is_printable(c))
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (line.ends_with(' '))
    line.pop_back();
  return line;
}

}  // namespace eilbote
