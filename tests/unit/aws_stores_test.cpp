// aws-secretsmanager:// and aws-ssm:// against a scripted endpoint: what is asked, as whom, and what each answer means. The
// requests are held against AWS's own models where they are found.
#include "secrets/stores.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>

#include "base/clock.h"
#include "secrets/aws_client.h"
#include "support/contracts.h"
#include "support/scripted_http.h"
#include "support/temp_folder.h"

namespace eilbote::aws_stores_test {
namespace {

namespace json = boost::json;
using test::HttpScene;
using test::HttpSeen;
using testing::HasSubstr;
using testing::Not;

HttpScene says(int status, const std::string& body, const std::string& headers = "") {
  return {.answer = test::http_answer(status, body, headers)};
}

class AwsStoresTest : public testing::Test {
 protected:
  AwsStoresTest() {
    options_.environment.region = "eu-central-1";
    options_.environment.access_key_id = "AKID";
    options_.environment.secret_access_key = Secret("very-secret");
    options_.endpoint_url = fmt::format("http://127.0.0.1:{}", aws_.port());
  }
  HttpScene decide(const HttpSeen& request) {
    const std::lock_guard lock(mutex_);
    if (request.line.starts_with("GET /role")) return container_;
    if (request.body.starts_with("Action=")) return sts_;
    if (played_ < answers_.size()) return answers_[played_++];
    return answers_.empty() ? says(200, "{}") : answers_.back();
  }
  std::string secret(const std::string& place) { return text_of(*make_aws_secretsmanager(options_), place); }
  std::string parameter(const std::string& place) { return text_of(*make_aws_ssm(options_), place); }
  static std::string text_of(SecretStore& store, const std::string& place) {
    const auto found = store.fetch(place);
    return found ? found->reveal() : "error: " + found.error().error.message;
  }
  std::string header(const char* name) { return aws_.seen().back().headers[name]; }

  std::mutex mutex_;
  std::vector<HttpScene> answers_;
  std::size_t played_ = 0;
  HttpScene sts_, container_;
  test::TempFolder folder_;
  test::ScriptedHttp aws_{{.decide = [this](const HttpSeen& request) { return decide(request); }}};
  AwsOptions options_;
};

// Every member that is sent is in the model, and every one that is required is sent.
void expect_fits(const json::value& model, const std::string& operation, const HttpSeen& request) {
  const json::object& meta = model.at("metadata").as_object();
  EXPECT_EQ(request.headers.at("x-amz-target"),
            fmt::format("{}.{}", std::string_view(meta.at("targetPrefix").as_string()), operation));
  EXPECT_EQ(request.headers.at("content-type"),
            fmt::format("application/x-amz-json-{}", std::string_view(meta.at("jsonVersion").as_string())));
  const json::value& about = model.at("operations").at(operation);
  EXPECT_THAT(request.line,
              HasSubstr(fmt::format("{} {} ", std::string_view(about.at("http").at("method").as_string()),
                                    std::string_view(about.at("http").at("requestUri").as_string()))));
  const json::value& shape = model.at("shapes").at(about.at("input").at("shape").as_string());
  const json::value body = json::parse(request.body);
  for (const auto& [name, value] : body.as_object())
    EXPECT_TRUE(shape.at("members").as_object().contains(name)) << name;
  for (const json::value& name : shape.at("required").as_array())
    EXPECT_TRUE(body.as_object().contains(name.as_string())) << name;
}

TEST_F(AwsStoresTest, asks_as_the_models_say) {
  EILBOTE_CONTRACT_OR_SKIP(secretsmanager, "aws/secretsmanager.service-2.trimmed.json");
  EILBOTE_CONTRACT_OR_SKIP(ssm, "aws/ssm.service-2.trimmed.json");
  secret("mail/relay?version=AWSPREVIOUS");
  expect_fits(*secretsmanager, "GetSecretValue", aws_.seen().back());
  parameter("/mail/relay");
  expect_fits(*ssm, "GetParameter", aws_.seen().back());
}

TEST_F(AwsStoresTest, reads_texts_json_and_bytes) {
  answers_ = {says(200, R"({"Name":"a","SecretString":"hunter2"})"),
              says(200, R"({"SecretString":"{\"password\":\"hunter3\",\"port\":25}"})"),
              says(200, R"({"SecretBinary":"aHVudGVyNA=="})")};
  EXPECT_EQ(secret("a"), "hunter2");
  EXPECT_EQ(secret("a#password"), "hunter3");
  EXPECT_EQ(secret("a"), "hunter4");
}

TEST_F(AwsStoresTest, reads_parameters_by_name_and_by_path) {
  answers_ = {says(200, R"({"Parameter":{"Name":"a","Type":"SecureString","Value":"hunter2"}})")};
  EXPECT_EQ(parameter("a"), "hunter2");
  EXPECT_EQ(aws_.seen().back().body, R"({"Name":"a","WithDecryption":true})");
  EXPECT_EQ(parameter("/a/b?version=3"), "hunter2");
  EXPECT_EQ(aws_.seen().back().body, R"({"Name":"/a/b:3","WithDecryption":true})");
}

TEST_F(AwsStoresTest, signs_for_the_region_of_an_arn) {
  options_.environment.session_token = Secret("session");
  answers_ = {says(200, R"({"SecretString":"x"})")};
  EXPECT_EQ(secret("arn:aws:secretsmanager:us-west-2:123456789012:secret:mail-AbCdEf"), "x");
  EXPECT_THAT(header("authorization"), HasSubstr("/us-west-2/secretsmanager/aws4_request"));
  EXPECT_THAT(header("authorization"),
              HasSubstr("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target"));
  EXPECT_EQ(header("x-amz-security-token"), "session");
}

TEST_F(AwsStoresTest, becomes_a_role_by_its_web_identity) {
  EILBOTE_CONTRACT_OR_SKIP(sts, "aws/sts.service-2.trimmed.json");
  options_.environment.access_key_id.clear();
  options_.environment.role_arn = "arn:aws:iam::123456789012:role/mailer";
  options_.environment.web_identity_token_file = folder_ / "token";
  std::ofstream(folder_ / "token") << "web.identity.token";
  sts_ = says(200,
              "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>"
              "<SessionToken>borrowed-session</SessionToken><SecretAccessKey>borrowed</SecretAccessKey>"
              "<Expiration>2099-01-01T00:00:00Z</Expiration><AccessKeyId>ASIA</AccessKeyId></Credentials>"
              "</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>");
  answers_ = {says(200, R"({"SecretString":"hunter2"})")};
  const auto store = make_aws_secretsmanager(options_);
  EXPECT_EQ(text_of(*store, "a"), "hunter2");
  EXPECT_EQ(text_of(*store, "a"), "hunter2");
  ASSERT_EQ(aws_.seen().size(), 3U) << "the role is borrowed once";
  const std::string form = aws_.seen()[0].body;
  EXPECT_THAT(form, HasSubstr("Action=AssumeRoleWithWebIdentity&Version=" +
                              std::string(sts->at("metadata").at("apiVersion").as_string())));
  for (const json::value& name :
       sts->at("shapes").at("AssumeRoleWithWebIdentityRequest").at("required").as_array())
    EXPECT_THAT(form, HasSubstr("&" + std::string(name.as_string()) + "="));
  EXPECT_FALSE(aws_.seen()[0].headers.contains("authorization")) << "this request is not signed";
  EXPECT_THAT(header("authorization"), HasSubstr("Credential=ASIA/"));
  EXPECT_EQ(header("x-amz-security-token"), "borrowed-session");
}

TEST_F(AwsStoresTest, takes_the_credentials_of_its_container) {
  options_.environment.access_key_id.clear();
  options_.environment.container_full_uri = fmt::format("http://127.0.0.1:{}/role", aws_.port());
  options_.environment.container_token_file = folder_ / "token";
  std::ofstream(folder_ / "token") << "let-me";
  container_ = says(
      200,
      R"({"AccessKeyId":"ASIA2","SecretAccessKey":"s","Token":"t","Expiration":"2099-01-01T00:00:00Z"})");
  answers_ = {says(200, R"({"Parameter":{"Value":"hunter2"}})")};
  EXPECT_EQ(parameter("a"), "hunter2");
  EXPECT_EQ(aws_.seen()[0].headers["authorization"], "let-me");
  EXPECT_THAT(header("authorization"), HasSubstr("Credential=ASIA2/"));
}

TEST_F(AwsStoresTest, tells_nobody_else_of_the_container) {
  options_.environment.access_key_id.clear();
  options_.environment.container_full_uri = "http://192.0.2.1/role";
  EXPECT_THAT(parameter("a"), HasSubstr("must be https"));
}

TEST_F(AwsStoresTest, asks_for_new_credentials_when_the_old_have_ended) {
  options_.environment.access_key_id.clear();
  options_.environment.container_full_uri = fmt::format("http://127.0.0.1:{}/role", aws_.port());
  container_ = says(200, R"({"AccessKeyId":"A","SecretAccessKey":"s","Expiration":"2099-01-01T00:00:00Z"})");
  answers_ = {says(400, R"({"__type":"com.amazon#ExpiredTokenException"})"),
              says(200, R"({"SecretString":"x"})")};
  EXPECT_EQ(secret("a"), "x");
  EXPECT_EQ(aws_.seen().size(), 4U);
}

TEST_F(AwsStoresTest, says_what_is_wrong) {
  answers_ = {says(400, R"({"__type":"ResourceNotFoundException","Message":"can't find it"})")};
  EXPECT_EQ(secret("a"), "error: AWS says ResourceNotFoundException (400: can't find it)");
  EXPECT_EQ(make_aws_secretsmanager(options_)->fetch("a").error().error.kind, ErrorKind::not_found);
  answers_ = {says(400, R"({"__type":"ThrottlingException"})", "Retry-After: 3\r\n")};
  EXPECT_EQ(make_aws_ssm(options_)->fetch("a").error().come_back, std::chrono::seconds{3});
  options_.environment.region.clear();
  EXPECT_THAT(secret("a"), HasSubstr("AWS_REGION"));
  options_.environment.region = "eu-central-1";
  options_.environment.secret_access_key = Secret();
  EXPECT_THAT(secret("a"), HasSubstr("AWS_ACCESS_KEY_ID"));
}

TEST(AwsErrors, are_read_as_in_every_published_case) {
  EILBOTE_CONTRACT_OR_SKIP(vectors, "aws/awsjson-error-vectors.json");
  int cases = 0;
  for (const json::value& one : vectors->at("cases").as_array()) {
    if (one.at("queryCompatible").as_bool()) continue;  // another protocol's
    const json::object& response = one.at("response").as_object();
    std::string header;
    if (const auto* headers = response.if_contains("headers"))
      for (const auto& [name, value] : headers->as_object())
        if (name == "X-Amzn-Errortype") header = std::string(value.as_string());
    const auto* body = response.if_contains("body");
    boost::system::error_code ignored;
    const json::value parsed =
        body == nullptr || !body->is_string() ? json::value() : json::parse(body->as_string(), ignored);
    EXPECT_EQ(aws_error_code(header, parsed), one.at("expect").at("code").as_string()) << one.at("id");
    ++cases;
  }
  EXPECT_GE(cases, 10);
}

TEST(AwsEnvironment, is_read_as_the_programs_of_aws_do) {
  const std::map<std::string, std::string> set{
      {"AWS_DEFAULT_REGION", "eu-west-1"}, {"AWS_ACCESS_KEY_ID", "AKID"}, {"AWS_ROLE_ARN", "arn:x"}};
  const AwsEnvironment found = aws_environment([&](const char* name) {
    const auto at = set.find(name);
    return at == set.end() ? std::string() : at->second;
  });
  EXPECT_EQ(found.region, "eu-west-1");
  EXPECT_EQ(found.access_key_id, "AKID");
  EXPECT_EQ(found.role_arn, "arn:x");
  EXPECT_TRUE(found.secret_access_key.empty());
  EXPECT_EQ(aws_endpoint({}, "ssm", "eu-west-1"), "https://ssm.eu-west-1.amazonaws.com");
  EXPECT_EQ(aws_endpoint({}, "ssm", "cn-north-1"), "https://ssm.cn-north-1.amazonaws.com.cn");
}

}  // namespace
}  // namespace eilbote::aws_stores_test
