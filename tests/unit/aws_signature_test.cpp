// AWS Signature Version 4, step by step, with the cases AWS published.
#include "domain/aws_signature.h"

#include <gtest/gtest.h>

#include "support/contracts.h"

namespace eilbote::aws_signature_test {
namespace {

const AwsScope kScope{"us-east-1", "service"};
constexpr const char* kDate = "20150830T123600Z";

AwsCredentials credentials() {
  return {"AKIDEXAMPLE", Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"), Secret()};
}

// A request as the suite writes it down: a line, headers (continued by lines that begin with a blank), a body.
AwsRequest read_request(std::string text) {
  AwsRequest request;
  const auto body = text.find("\n\n");
  if (body != std::string::npos) {
    request.body = text.substr(body + 2);
    text.erase(body);
  }
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const auto first = line.find(' '), last = line.rfind(' ');
  request.method = line.substr(0, first);
  const std::string target = line.substr(first + 1, last - first - 1);
  request.path = target.substr(0, target.find('?'));
  if (target.find('?') != std::string::npos) request.query = target.substr(target.find('?') + 1);
  while (std::getline(lines, line)) {
    if (line.starts_with(' '))
      request.headers.back().second += " " + line;
    else if (!line.empty())
      request.headers.emplace_back(line.substr(0, line.find(':')), line.substr(line.find(':') + 1));
  }
  return request;
}

TEST(AwsSignature, fits_every_published_case) {
  EILBOTE_CONTRACT_OR_SKIP(suite, "aws/sigv4-testsuite.json");
  int cases = 0;
  for (const auto& [name, one] : suite->at("cases").as_object()) {
    AwsRequest request = read_request(std::string(one.at("req").as_string()));
    // Of this case the suite leaves the token's header to the signer.
    const std::string expected(one.at("creq").as_string());
    const std::string mark = "\nx-amz-security-token:";
    if (const auto at = expected.find(mark);
        at != std::string::npos &&
        one.at("req").as_string().find("Security-Token") == boost::json::string::npos) {
      const auto start = at + mark.size();
      request.headers.emplace_back("X-Amz-Security-Token",
                                   expected.substr(start, expected.find('\n', start) - start));
    }
    const std::string canonical = aws_canonical_request(request);
    EXPECT_EQ(canonical, expected) << name;
    EXPECT_EQ(aws_string_to_sign(canonical, kDate, kScope), one.at("sts").as_string()) << name;
    EXPECT_EQ(aws_authorization(request, kDate, kScope, credentials()), one.at("authz").as_string()) << name;
    ++cases;
  }
  EXPECT_GE(cases, 30);
}

// The suite's plain case, for machines without the contracts.
TEST(AwsSignature, signs_a_plain_request) {
  AwsRequest request{.method = "GET", .headers = {{"Host", "example.amazonaws.com"}, {"X-Amz-Date", kDate}}};
  EXPECT_EQ(aws_authorization(request, kDate, kScope, credentials()),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
            "SignedHeaders=host;x-amz-date, "
            "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
}

TEST(AwsSignature, adds_date_token_and_signature) {
  AwsRequest request{.headers = {{"Host", "example.amazonaws.com"}}};
  AwsCredentials with_token = credentials();
  with_token.session_token = Secret("session");
  sign_for_aws(request, *parse_rfc3339("2015-08-30T12:36:00.9Z"), kScope, with_token);
  ASSERT_EQ(request.headers.size(), 4U);
  EXPECT_EQ(request.headers[1], std::pair(std::string("X-Amz-Date"), std::string(kDate)));
  EXPECT_EQ(request.headers[2], std::pair(std::string("X-Amz-Security-Token"), std::string("session")));
  EXPECT_NE(request.headers[3].second.find("SignedHeaders=host;x-amz-date;x-amz-security-token,"),
            std::string::npos);
}

}  // namespace
}  // namespace eilbote::aws_signature_test
