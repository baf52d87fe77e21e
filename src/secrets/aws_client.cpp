#include "secrets/aws_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "domain/webhook_url.h"
#include "secrets/secret_json.h"

namespace eilbote {
namespace {

// Nothing is there, and asking again changes nothing.
constexpr std::array<std::string_view, 4> kNotThere{"ResourceNotFoundException", "ParameterNotFound",
                                                    "ParameterVersionNotFound", "InvalidRequestException"};
// The credentials have ended, or were replaced.
constexpr std::array<std::string_view, 4> kBadCredentials{
    "ExpiredTokenException", "ExpiredToken", "UnrecognizedClientException", "InvalidClientTokenId"};

bool is_among(std::string_view code, std::span<const std::string_view> codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

std::string code_of(const HttpAnswer& answer) {
  return aws_error_code(answer.header("x-amzn-errortype"), parse_json(answer.body));
}

SecretTrouble trouble_of(const HttpAnswer& answer) {
  const auto body = parse_json(answer.body);
  const std::string code = code_of(answer);
  std::string said = text_at(body, {"message"});
  if (said.empty()) said = text_at(body, {"Message"});
  const ErrorKind kind = is_among(code, kNotThere) ? ErrorKind::not_found : ErrorKind::unavailable;
  return {{kind, fmt::format("AWS says {} ({}{}{})", code.empty() ? "no" : one_line(code), answer.status,
                             said.empty() ? "" : ": ", one_line(said))},
          pause_asked_for(answer)};
}

}  // namespace

std::string region_of_arn(std::string_view text) {
  if (!text.starts_with("arn:")) return {};
  for (int part = 0; part < 3; ++part) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return {};
    text.remove_prefix(colon + 1);
  }
  return std::string(text.substr(0, text.find(':')));
}

FromStore<HttpAnswer> AwsClient::call_once(const AwsService& service, const std::string& region,
                                           const std::string& body) {
  const auto credentials = credentials_.get();
  if (!credentials) return tl::unexpected(credentials.error());
  const std::string address = aws_endpoint(options_, service.name, region) + "/";
  const auto url = parse_webhook_url(address);
  if (!url) return trouble(ErrorKind::invalid, "the address of AWS " + url.error().message);
  AwsRequest request;
  request.path = url->path_and_query;
  request.body = body;
  request.headers = {{"Host", url->route()},
                     {"Content-Type", "application/x-amz-json-1.1"},
                     {"X-Amz-Target", service.target}};
  sign_for_aws(request, clock_.now(), {region, service.name}, *credentials);
  return http_.call({request.method, address, std::move(request.headers), body});
}

FromStore<boost::json::value> AwsClient::call(const AwsService& service, const std::string& wanted_region,
                                              const std::string& body) {
  const std::string& region = wanted_region.empty() ? options_.environment.region : wanted_region;
  if (region.empty()) return trouble(ErrorKind::invalid, "there is no region for AWS; set AWS_REGION");
  auto answer = call_once(service, region, body);
  if (answer && answer->status != 200 && is_among(code_of(*answer), kBadCredentials)) {
    credentials_.forget();
    answer = call_once(service, region, body);
  }
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 200) return tl::unexpected(trouble_of(*answer));
  return parse_json(answer->body);
}

}  // namespace eilbote
