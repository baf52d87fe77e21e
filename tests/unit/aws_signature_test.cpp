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

// Others of its cases, one for each thing that is rewritten before it is signed.
TEST(AwsSignature, signs_paths_queries_and_headers_in_one_form) {
  struct Case {
    std::string name, path, query;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string signature;
  };
  const Case cases[] = {
      {"get-relative-relative",
       "/example1/example2/../..",
       "",
       {},
       "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
      {"get-vanilla-query-order-encoded",
       "/",
       "Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
       {},
       "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"},
      {"get-vanilla-query-order-value",
       "/",
       "Param1=value2&Param1=value1",
       {},
       "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"},
      {"get-header-value-trim",
       "/",
       "",
       {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}},
       "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
      {"get-header-value-order",
       "/",
       "",
       {{"My-Header1", "value4"},
        {"My-Header1", "value1"},
        {"My-Header1", "value3"},
        {"My-Header1", "value2"}},
       "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
  };
  for (const Case& c : cases) {
    AwsRequest request{.method = "GET", .path = c.path, .query = c.query, .headers = c.headers};
    request.headers.emplace_back("Host", "example.amazonaws.com");
    request.headers.emplace_back("X-Amz-Date", kDate);
    const std::string header = aws_authorization(request, kDate, kScope, credentials());
    EXPECT_EQ(header.substr(header.find("Signature=")), "Signature=" + c.signature) << c.name;
  }
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
