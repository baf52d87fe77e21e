// AWS Systems Manager's parameter store: GetParameter. `aws-ssm:///a/b` is the parameter /a/b, `aws-ssm://a` is a.
#include <boost/json/serialize.hpp>

#include "domain/secret_reference.h"
#include "secrets/aws_client.h"
#include "secrets/secret_json.h"
#include "secrets/stores.h"

namespace eilbote {
namespace {

namespace json = boost::json;

class AwsSsm final : public SecretStore {
 public:
  explicit AwsSsm(AwsOptions options) : aws_(std::move(options)) {}

  FromStore<Secret> fetch(std::string_view text) override {
    const auto place = read_secret_place(text);
    if (!place) return tl::unexpected(SecretTrouble{place.error(), {}});
    json::object request;
    request["Name"] = place->version.empty() ? place->path : place->path + ":" + place->version;
    request["WithDecryption"] = true;
    const auto answer =
        aws_.call({"ssm", "AmazonSSM.GetParameter"}, region_of_arn(place->path), json::serialize(request));
    if (!answer) return tl::unexpected(answer.error());
    return secret_in_text(text_at(*answer, {"Parameter", "Value"}), place->key);
  }

 private:
  AwsClient aws_;
};

}  // namespace

std::unique_ptr<SecretStore> make_aws_ssm(AwsOptions options) {
  return std::make_unique<AwsSsm>(std::move(options));
}

}  // namespace eilbote
