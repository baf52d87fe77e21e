// `aws-secretsmanager://NAME-OR-ARN[?version=STAGE-OR-ID][#KEY]` and `aws-ssm://NAME[#KEY]`. Made by secrets.cpp.
#pragma once

#include <memory>

#include "secrets/aws_credentials.h"
#include "secrets/secret_store.h"

namespace eilbote {

std::unique_ptr<SecretStore> make_aws_secretsmanager(AwsOptions options);
std::unique_ptr<SecretStore> make_aws_ssm(AwsOptions options);

}  // namespace eilbote
