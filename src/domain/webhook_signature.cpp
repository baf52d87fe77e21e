#include "domain/webhook_signature.h"

#include "base/base64.h"
#include "base/hex.h"
#include "base/hmac.h"

namespace eilbote {
namespace {

constexpr std::string_view kPrefix = "whsec_";

}  // namespace

std::string signing_key_bytes(const Secret& key) {
  const std::string& text = key.reveal();
  if (!text.starts_with(kPrefix)) return text;
  std::string encoded = text.substr(kPrefix.size());
  while (encoded.size() % 4 != 0)  // some write it without its padding
    encoded += '=';
  return base64_decode(encoded).value_or(text);
}

std::string standard_timestamp(TimePoint at) {
  return std::to_string(std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count());
}

std::string standard_signature(std::span<const Secret> keys, std::string_view id, TimePoint at,
                               std::string_view body) {
  std::string content;
  content.reserve(id.size() + body.size() + 24);
  content.append(id).append(".").append(standard_timestamp(at)).append(".").append(body);
  std::string header;
  for (const Secret& key : keys) {
    const Sha256 digest = hmac_sha256(signing_key_bytes(key), content);
    if (!header.empty()) header += ' ';
    header += "v1,";
    header += base64_encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
  }
  return header;
}

std::string flowcatalyst_signature(const Secret& key, std::string_view timestamp, std::string_view body) {
  std::string content(timestamp);
  content += body;
  return to_hex(hmac_sha256(signing_key_bytes(key), content));
}

}  // namespace eilbote
