#include "channel/graph_request.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/uuid.h"
#include "domain/issuer_url.h"
#include "domain/json_text.h"
#include "domain/webhook_headers.h"

namespace eilbote {
namespace {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// Addresses that Graph gives carry tokens of their own, and are long.
constexpr std::size_t kGraphPathMax = 16 * 1024;
constexpr const char* kJsonType = "application/json";
constexpr const char* kImmutableIds = R"(IdType="ImmutableId")";

bool is_whole_url(std::string_view path) {
  return path.starts_with("https://") || path.starts_with("http://");
}

bool is_escaped(std::string_view path) {
  return path.size() <= kGraphPathMax && is_printable_ascii(path) &&
         path.find_first_of(" #\\") == std::string_view::npos;
}

std::string_view content_type_of(const GraphCall& call) {
  for (const auto& [name, value] : call.headers)
    if (same_but_for_case(name, "content-type")) return value;
  return {};
}

// Ids stay the same when a mail is moved from Drafts to Sent Items only for those who ask for it, in every request.
HeaderList headers_of(const GraphCall& call) {
  HeaderList headers;
  std::string prefer = kImmutableIds;
  for (const auto& header : call.headers) {
    if (call.with_token && same_but_for_case(header.first, "prefer"))
      prefer += ", " + header.second;
    else
      headers.push_back(header);
  }
  if (!call.with_token) return headers;
  headers.emplace_back("Prefer", prefer);
  headers.emplace_back("client-request-id", random_uuid());
  if (!call.traceparent.empty()) headers.emplace_back("traceparent", call.traceparent);
  return headers;
}

HttpCall call_to(const WebhookUrl& place) {
  HttpCall call;
  call.url = place.text();
  call.host = place.host;
  call.host_is_address = place.host_is_address;
  call.port = place.port;
  return call;
}

void authorize(HttpCall& call, const Secret& token) {
  call.headers.emplace_back("Authorization", "Bearer " + token.reveal());
}

}  // namespace

Result<GraphAddress> GraphAddress::parse(std::string_view base_url) {
  auto base = parse_issuer_url(base_url);
  if (!base) return fail(base.error().with_context("the address of Microsoft Graph"));
  while (base->path_and_query.ends_with('/'))
    base->path_and_query.pop_back();
  return GraphAddress(std::move(*base));
}

Result<WebhookUrl> GraphAddress::place_of(const GraphCall& call) const {
  const std::string_view path = call.path;
  if (!is_escaped(path))
    return fail(ErrorKind::invalid, "an address at Graph must be escaped, and have at most 16 KiB");
  if (!is_whole_url(path)) {
    if (!path.starts_with('/')) return fail(ErrorKind::invalid, "a path at Graph must begin with a slash");
    WebhookUrl place = base_;
    place.path_and_query += path;
    return place;
  }
  const std::size_t end = std::min(path.find_first_of("/?", path.find("//") + 2), path.size());
  auto place = parse_issuer_url(path.substr(0, end));
  if (!place) return fail(place.error().with_context("an address that Graph gave"));
  const bool is_ours =
      place->is_https == base_.is_https && place->host == base_.host && place->port == base_.port;
  if (call.with_token && !is_ours)
    return fail(ErrorKind::invalid,
                "an address that Graph gave is not at " + host() + ": no token goes there");
  const std::string_view rest = path.substr(end);
  place->path_and_query = (rest.starts_with('/') ? "" : "/") + std::string(rest);
  return place;
}

Result<HttpCall> GraphAddress::request(const GraphCall& call, const Secret& token) const {
  const auto place = place_of(call);
  if (!place) return fail(place.error());
  HttpCall request = call_to(*place);
  request.method = call.method;
  request.headers = headers_of(call);
  // Said even without a body, or the HTTP library would call it a form.
  if (call.method != "GET" && content_type_of(call).empty())
    request.headers.emplace_back("Content-Type", kJsonType);
  if (call.with_token) authorize(request, token);
  request.body = call.body;
  request.response_bytes_max = call.response_bytes_max;
  request.about_to_send = call.about_to_send;
  return request;
}

HttpCall GraphAddress::batch(std::string body, const Secret& token) const {
  WebhookUrl place = base_;
  place.path_and_query += "/$batch";
  HttpCall request = call_to(place);
  request.method = "POST";
  request.headers = {{"Content-Type", kJsonType}, {"client-request-id", random_uuid()}};
  authorize(request, token);
  request.body = std::move(body);
  return request;
}

bool fits_batch(const GraphCall& call) {
  if (!call.may_batch || !call.with_token || !call.path.starts_with('/') || !is_escaped(call.path))
    return false;
  if (call.body.empty()) return true;
  const std::string_view type = content_type_of(call);
  if (!type.empty() && !is_json_media_type(type)) return false;
  // It goes in as it is; what is no JSON would break all the others.
  return call.body.size() <= kGraphBatchBytesMax && !find_json_fault(call.body);
}

GraphBatchPart batch_part(const GraphCall& call) {
  GraphBatchPart part;
  part.method = call.method;
  part.path = call.path;
  part.headers = headers_of(call);
  if (!call.body.empty() && content_type_of(call).empty())
    part.headers.emplace_back("Content-Type", kJsonType);
  part.body = call.body;
  return part;
}

}  // namespace eilbote
