#include "secrets/aws_credentials.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/url_escape.h"
#include "domain/webhook_url.h"
#include "secrets/local_secrets.h"
#include "secrets/secret_json.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;

constexpr Duration kRenewBefore = 5min;
constexpr std::string_view kContainerHost = "http://169.254.170.2";
// Where credentials may be fetched without TLS: this machine, and what the platforms put beside a container.
constexpr std::string_view kPlainHosts[] = {"169.254.170.2", "169.254.170.23", "[fd00:ec2::23]", "[::1]",
                                            "localhost"};

// STS answers XML; these elements hold no markup and appear once.
std::string element(std::string_view xml, std::string_view name) {
  const std::string open = fmt::format("<{}>", name), close = fmt::format("</{}>", name);
  const auto begin = xml.find(open);
  if (begin == std::string_view::npos) return {};
  const auto from = begin + open.size();
  const auto end = xml.find(close, from);
  return end == std::string_view::npos ? std::string() : std::string(xml.substr(from, end - from));
}

bool may_be_plain(const WebhookUrl& url) {
  if (url.host_is_address && url.host.starts_with("127.")) return true;
  return std::find(std::begin(kPlainHosts), std::end(kPlainHosts), url.host) != std::end(kPlainHosts);
}

FromStore<Secret> content_of(const std::string& file, const char* variable) {
  auto content = LocalSecrets().resolve("file://" + file);
  if (!content) return tl::unexpected(SecretTrouble{content.error().with_context(variable), {}});
  return std::move(*content);
}

}  // namespace

AwsEnvironment aws_environment(const std::function<std::string(const char*)>& variable) {
  AwsEnvironment found;
  found.region = variable("AWS_REGION");
  if (found.region.empty()) found.region = variable("AWS_DEFAULT_REGION");
  found.access_key_id = variable("AWS_ACCESS_KEY_ID");
  found.secret_access_key = Secret(variable("AWS_SECRET_ACCESS_KEY"));
  found.session_token = Secret(variable("AWS_SESSION_TOKEN"));
  found.role_arn = variable("AWS_ROLE_ARN");
  found.web_identity_token_file = variable("AWS_WEB_IDENTITY_TOKEN_FILE");
  found.role_session_name = variable("AWS_ROLE_SESSION_NAME");
  found.container_relative_uri = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  found.container_full_uri = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  found.container_token_file = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  found.container_token = Secret(variable("AWS_CONTAINER_AUTHORIZATION_TOKEN"));
  return found;
}

std::string aws_endpoint(const AwsOptions& options, const std::string& service, const std::string& region) {
  if (!options.endpoint_url.empty()) return options.endpoint_url;
  return fmt::format("https://{}.{}.amazonaws.com{}", service, region,
                     region.starts_with("cn-") ? ".cn" : "");
}

FromStore<AwsCredentials> AwsCredentialChain::get() {
  const AwsEnvironment& given = options_.environment;
  if (!given.access_key_id.empty() && !given.secret_access_key.empty())
    return AwsCredentials{given.access_key_id, given.secret_access_key, given.session_token};
  if (!borrowed_ || clock_.now() >= borrowed_->until - kRenewBefore) {
    auto fresh = borrow();
    // Until their very end the old ones still work.
    if (!fresh && (!borrowed_ || clock_.now() >= borrowed_->until)) return tl::unexpected(fresh.error());
    if (fresh) borrowed_ = std::move(*fresh);
  }
  return borrowed_->credentials;
}

FromStore<AwsCredentialChain::Borrowed> AwsCredentialChain::borrow() {
  const AwsEnvironment& given = options_.environment;
  FromStore<Borrowed> got =
      trouble(ErrorKind::invalid,
              "there are no credentials for AWS; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
              "AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE, or AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (!given.role_arn.empty() && !given.web_identity_token_file.empty())
    got = by_web_identity();
  else if (!given.container_relative_uri.empty() || !given.container_full_uri.empty())
    got = from_container();
  if (got && (got->credentials.access_key_id.empty() || got->credentials.secret_access_key.empty()))
    return trouble(ErrorKind::unavailable, "the answer with AWS credentials has none in it");
  return got;
}

FromStore<AwsCredentialChain::Borrowed> AwsCredentialChain::by_web_identity() {
  const AwsEnvironment& given = options_.environment;
  const auto token = content_of(given.web_identity_token_file, "AWS_WEB_IDENTITY_TOKEN_FILE");
  if (!token) return tl::unexpected(token.error());
  SecretRequest request{"POST", aws_endpoint(options_, "sts", given.region) + "/"};
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = fmt::format(
      "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn={}&RoleSessionName={}&WebIdentityToken={}",
      url_escaped(given.role_arn),
      url_escaped(given.role_session_name.empty() ? "eilbote" : given.role_session_name),
      url_escaped(token->reveal()));
  const auto answer = http_.call(request);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 200)
    return trouble(
        ErrorKind::unavailable,
        fmt::format("AWS STS refused the web identity ({} {}: {})", answer->status,
                    one_line(element(answer->body, "Code")), one_line(element(answer->body, "Message"))),
        pause_asked_for(*answer));
  return Borrowed{{element(answer->body, "AccessKeyId"), Secret(element(answer->body, "SecretAccessKey")),
                   Secret(element(answer->body, "SessionToken"))},
                  parse_rfc3339(element(answer->body, "Expiration")).value_or(clock_.now() + 15min)};
}

FromStore<AwsCredentialChain::Borrowed> AwsCredentialChain::from_container() {
  const AwsEnvironment& given = options_.environment;
  SecretRequest request;
  request.url = given.container_relative_uri.empty()
                    ? given.container_full_uri
                    : std::string(kContainerHost) + given.container_relative_uri;
  const auto url = parse_webhook_url(request.url);
  if (!url || (!url->is_https && !may_be_plain(*url)))
    return trouble(ErrorKind::invalid,
                   "AWS_CONTAINER_CREDENTIALS_FULL_URI: must be https, or http on this machine or "
                   "169.254.170.2, 169.254.170.23 or [fd00:ec2::23]");
  Secret token = given.container_token;
  if (!given.container_token_file.empty()) {
    auto read = content_of(given.container_token_file, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    if (!read) return tl::unexpected(read.error());
    token = std::move(*read);
  }
  if (!token.empty()) request.headers.emplace_back("Authorization", token.reveal());
  const auto answer = http_.call(request);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 200)
    return trouble(ErrorKind::unavailable,
                   fmt::format("the container's credentials were refused ({})", answer->status),
                   pause_asked_for(*answer));
  const auto body = parse_json(answer->body);
  return Borrowed{{text_at(body, {"AccessKeyId"}), Secret(text_at(body, {"SecretAccessKey"})),
                   Secret(text_at(body, {"Token"}))},
                  parse_rfc3339(text_at(body, {"Expiration"})).value_or(clock_.now() + 15min)};
}

}  // namespace eilbote
