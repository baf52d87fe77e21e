// Who we are at AWS, as AWS's own programs find it out: keys in the environment, a web identity (IRSA), or the container's
// credentials (ECS, EKS Pod Identity). Used by aws_client, from its thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "domain/aws_signature.h"
#include "secrets/secret_http.h"

namespace eilbote {

// The AWS_* variables that matter here.
struct AwsEnvironment {
  std::string region;
  std::string access_key_id;
  Secret secret_access_key, session_token;
  std::string role_arn, web_identity_token_file, role_session_name;
  std::string container_relative_uri, container_full_uri, container_token_file;
  Secret container_token;
};
// `variable`: its value, empty when it is not set.
AwsEnvironment aws_environment(const std::function<std::string(const char* variable)>& variable);

struct AwsOptions {
  AwsEnvironment environment;
  std::string endpoint_url;  // instead of AWS's own, for all services; empty: those
  Duration timeout = std::chrono::seconds{5};
};

// "https://sts.eu-central-1.amazonaws.com", or the endpoint of the options.
std::string aws_endpoint(const AwsOptions& options, const std::string& service, const std::string& region);

class AwsCredentialChain {
 public:
  // Both outlive it.
  AwsCredentialChain(const AwsOptions& options, SecretHttp& http) : options_(options), http_(http) {}

  // Borrowed ones are renewed five minutes before their end.
  FromStore<AwsCredentials> get();
  // They did not work: the next ones are asked for anew.
  void forget() { borrowed_.reset(); }

 private:
  struct Borrowed {
    AwsCredentials credentials;
    TimePoint until;
  };
  FromStore<Borrowed> borrow();
  FromStore<Borrowed> by_web_identity();
  FromStore<Borrowed> from_container();

  const AwsOptions& options_;
  SecretHttp& http_;
  SystemClock clock_;
  std::optional<Borrowed> borrowed_;
};

}  // namespace eilbote
