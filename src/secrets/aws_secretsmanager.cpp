// AWS Secrets Manager: GetSecretValue.
#include <boost/json/serialize.hpp>

#include "base/base64.h"
#include "domain/secret_reference.h"
#include "secrets/aws_client.h"
#include "secrets/secret_json.h"
#include "secrets/stores.h"

namespace eilbote {
namespace {

namespace json = boost::json;
constexpr std::size_t kVersionIdMin = 32;  // shorter ones are stages: AWSCURRENT, AWSPREVIOUS, or one's own

class AwsSecretsManager final : public SecretStore {
 public:
  explicit AwsSecretsManager(AwsOptions options) : aws_(std::move(options)) {}

  FromStore<Secret> fetch(std::string_view text) override {
    const auto place = read_secret_place(text);
    if (!place) return tl::unexpected(SecretTrouble{place.error(), {}});
    json::object request;
    request["SecretId"] = place->path;
    if (!place->version.empty())
      request[place->version.size() >= kVersionIdMin ? "VersionId" : "VersionStage"] = place->version;
    const auto answer = aws_.call({"secretsmanager", "secretsmanager.GetSecretValue"},
                                  region_of_arn(place->path), json::serialize(request));
    if (!answer) return tl::unexpected(answer.error());
    if (const json::value* binary = member_at(*answer, {"SecretBinary"});
        binary != nullptr && binary->is_string()) {
      auto bytes = base64_decode(std::string_view(binary->get_string()));
      if (!bytes) return trouble(ErrorKind::unavailable, "AWS's answer holds no base64");
      return secret_in_text(std::move(*bytes), place->key);
    }
    return secret_in_text(text_at(*answer, {"SecretString"}), place->key);
  }

 private:
  AwsClient aws_;
};

}  // namespace

std::unique_ptr<SecretStore> make_aws_secretsmanager(AwsOptions options) {
  return std::make_unique<AwsSecretsManager>(std::move(options));
}

}  // namespace eilbote
