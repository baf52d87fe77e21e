// Who we are at AWS, for those outside of this folder who sign their own requests (the SQS transport). The same chain as the
// secret stores' (aws_credentials.h), asked from any thread.
#pragma once

#include <functional>

#include "base/result.h"
#include "secrets/aws_credentials.h"

namespace eilbote {

// Answers from memory, except for the first time and when borrowed credentials near their end: then it blocks for a request, and
// whoever else asks waits for the same one. An error is remembered for a moment, so that a service that is away is not asked
// before each request. The error's text holds no secret.
std::function<Result<AwsCredentials>()> make_aws_identity(AwsOptions options, const Clock& clock);

}  // namespace eilbote
