// AWS Signature Version 4: what goes into the Authorization header of a request to AWS. Pure. Used by the secret stores of
// AWS; made to be used by whatever else talks to AWS.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/secret.h"
#include "base/time.h"

namespace eilbote {

struct AwsCredentials {
  std::string access_key_id;
  Secret secret_access_key;
  Secret session_token;  // empty: none
};

struct AwsScope {
  std::string region;
  std::string service;
};

// A request as it will be sent; every header given is signed, and `host` must be among them.
struct AwsRequest {
  std::string method = "POST";
  std::string path = "/";  // as in the request line, before normalisation
  std::string query{};     // without the '?'
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
};

// "20150830T123600Z", for the header X-Amz-Date.
std::string aws_date(TimePoint at);

// The steps, each as AWS publishes them. `date` is the X-Amz-Date.
std::string aws_canonical_request(const AwsRequest& request);
std::string aws_string_to_sign(std::string_view canonical_request, std::string_view date,
                               const AwsScope& scope);
// The value of the Authorization header.
std::string aws_authorization(const AwsRequest& request, std::string_view date, const AwsScope& scope,
                              const AwsCredentials& credentials);

// Adds X-Amz-Date, X-Amz-Security-Token where there is one, and Authorization.
void sign_for_aws(AwsRequest& request, TimePoint now, const AwsScope& scope,
                  const AwsCredentials& credentials);

}  // namespace eilbote
