// One signed request of AWS's JSON protocol (1.1), and what its errors mean. Used by the two stores of AWS.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "domain/aws_error.h"
#include "secrets/aws_credentials.h"

namespace eilbote {

struct AwsService {
  std::string name;    // in addresses and signatures: "secretsmanager"
  std::string target;  // "secretsmanager.GetSecretValue"
};

class AwsClient {
 public:
  explicit AwsClient(AwsOptions options)
      : options_(std::move(options)), http_("", options_.timeout), credentials_(options_, http_) {}

  // `region` empty: that of the environment.
  FromStore<boost::json::value> call(const AwsService& service, const std::string& region,
                                     const std::string& body);

 private:
  FromStore<HttpAnswer> call_once(const AwsService& service, const std::string& region,
                                  const std::string& body);

  const AwsOptions options_;
  SystemClock clock_;
  SecretHttp http_;
  AwsCredentialChain credentials_;
};

// The region in an ARN; empty for anything else.
std::string region_of_arn(std::string_view text);

}  // namespace eilbote
