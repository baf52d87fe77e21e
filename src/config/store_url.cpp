#include "config/store_url.h"

#include <fmt/format.h>

namespace eilbote {
namespace {

constexpr std::string_view kMask = "****";

// The user:password@ part ends at the last @ before the path.
std::string without_user_password(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const auto start = scheme + 3;
  const auto path = url.find_first_of("/?", start);
  const auto at = url.substr(0, path).rfind('@');
  if (at == std::string_view::npos || at < start) return std::string(url);
  const auto colon = url.find(':', start);
  if (colon == std::string_view::npos || colon > at) return std::string(url);
  return fmt::format("{}:{}{}", url.substr(0, colon), kMask, url.substr(at));
}

}  // namespace

std::string default_store_url(const Config& config) {
  return "sqlite:" + config.data_dir + "/eilbote.db";
}

std::string masked_url(std::string_view url) {
  std::string masked = without_user_password(url);
  for (const std::string_view name : {"?password=", "&password="}) {
    const auto found = masked.find(name);
    if (found == std::string::npos) continue;
    const auto start = found + name.size();
    const auto end = masked.find('&', start);
    masked.replace(start, end == std::string::npos ? std::string::npos : end - start, kMask);
  }
  return masked;
}

}  // namespace eilbote
