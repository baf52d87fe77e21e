#include "domain/aws_signature.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/hex.h"
#include "base/hmac.h"
#include "base/url_escape.h"

namespace eilbote {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

// Without "." and ".." and empty segments (RFC 3986 §5.2.4, and double slashes are one).
std::string canonical_path(std::string_view path) {
  std::vector<std::string_view> segments;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      segments.push_back(segment);
    }
    begin = end + 1;
  }
  std::string out;
  for (const std::string_view segment : segments)
    out.append("/").append(url_escaped(segment, "%"));
  if (out.empty() || path.ends_with('/')) out += '/';
  return out;
}

std::string canonical_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    if (pair.empty()) continue;
    const std::string_view name = pair.substr(0, pair.find('='));
    const std::string_view value = name.size() < pair.size() ? pair.substr(name.size() + 1) : "";
    pairs.emplace_back(url_escaped(name, "%"), url_escaped(value, "%"));
  }
  std::sort(pairs.begin(), pairs.end());
  std::string out;
  for (const auto& [name, value] : pairs)
    out.append(out.empty() ? "" : "&").append(name).append("=").append(value);
  return out;
}

// Trimmed, with every run of white space one space.
std::string canonical_value(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool is_space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!is_space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

// By lower-case name; the values of one name stay in the order given.
std::map<std::string, std::string> canonical_headers(const AwsRequest& request) {
  std::map<std::string, std::string> headers;
  for (const auto& [name, value] : request.headers) {
    std::string lower(name);
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    const auto [at, is_new] = headers.try_emplace(std::move(lower));
    at->second += (is_new ? "" : ",") + canonical_value(value);
  }
  return headers;
}

std::string signed_names(const AwsRequest& request) {
  std::string names;
  for (const auto& [name, value] : canonical_headers(request))
    names.append(names.empty() ? "" : ";").append(name);
  return names;
}

std::string credential_scope(std::string_view date, const AwsScope& scope) {
  return fmt::format("{}/{}/{}/aws4_request", date.substr(0, 8), scope.region, scope.service);
}

std::string_view bytes_of(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

std::string aws_date(TimePoint at) {
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::chrono::floor<std::chrono::seconds>(at)));
}

std::string aws_canonical_request(const AwsRequest& request) {
  std::string text = fmt::format("{}\n{}\n{}\n", request.method, canonical_path(request.path),
                                 canonical_query(request.query));
  for (const auto& [name, value] : canonical_headers(request))
    text += fmt::format("{}:{}\n", name, value);
  return text + fmt::format("\n{}\n{}", signed_names(request), to_hex(sha256(request.body)));
}

std::string aws_string_to_sign(std::string_view canonical_request, std::string_view date,
                               const AwsScope& scope) {
  return fmt::format("{}\n{}\n{}\n{}", kAlgorithm, date, credential_scope(date, scope),
                     to_hex(sha256(canonical_request)));
}

std::string aws_authorization(const AwsRequest& request, std::string_view date, const AwsScope& scope,
                              const AwsCredentials& credentials) {
  const Sha256 by_date = hmac_sha256("AWS4" + credentials.secret_access_key.reveal(), date.substr(0, 8));
  const Sha256 by_region = hmac_sha256(bytes_of(by_date), scope.region);
  const Sha256 by_service = hmac_sha256(bytes_of(by_region), scope.service);
  const Sha256 key = hmac_sha256(bytes_of(by_service), "aws4_request");
  const Sha256 signature =
      hmac_sha256(bytes_of(key), aws_string_to_sign(aws_canonical_request(request), date, scope));
  return fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm,
                     credentials.access_key_id, credential_scope(date, scope), signed_names(request),
                     to_hex(signature));
}

void sign_for_aws(AwsRequest& request, TimePoint now, const AwsScope& scope,
                  const AwsCredentials& credentials) {
  const std::string date = aws_date(now);
  request.headers.emplace_back("X-Amz-Date", date);
  if (!credentials.session_token.empty())
    request.headers.emplace_back("X-Amz-Security-Token", credentials.session_token.reveal());
  request.headers.emplace_back("Authorization", aws_authorization(request, date, scope, credentials));
}

}  // namespace eilbote
