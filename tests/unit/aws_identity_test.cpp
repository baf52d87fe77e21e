// Who we are at AWS, asked by many: one request for all, remembered, and after an error asked again soon, but not at once.
#include "secrets/aws_identity.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/scripted_http.h"

namespace eilbote::test::aws_identity_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class AwsIdentityTest : public testing::Test {
 protected:
  AwsIdentityTest() {
    options_.environment.container_full_uri = fmt::format("http://127.0.0.1:{}/role", container_.port());
  }
  HttpScene answer() {
    ++asked_;
    if (refuses_) return {.answer = http_answer(500, "{}", "")};
    return {
        .answer = http_answer(
            200,
            R"({"AccessKeyId":"AKID","SecretAccessKey":"s","Token":"t","Expiration":"2126-01-01T00:00:00Z"})",
            "")};
  }

  std::atomic<int> asked_{0};
  std::atomic<bool> refuses_{false};
  ScriptedHttp container_{{.decide = [this](const HttpSeen&) { return answer(); }}};
  AwsOptions options_;
  FakeClock clock_;
};

TEST_F(AwsIdentityTest, keys_of_the_environment_need_no_request) {
  options_.environment.access_key_id = "OWN";
  options_.environment.secret_access_key = Secret("very-secret");
  const auto got = make_aws_identity(options_, clock_)();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->access_key_id, "OWN");
  EXPECT_EQ(got->secret_access_key.reveal(), "very-secret");
  EXPECT_EQ(asked_, 0);
}

TEST_F(AwsIdentityTest, many_who_ask_at_once_share_one_request) {
  const auto identity = make_aws_identity(options_, clock_);
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        const auto got = identity();
        if (got && got->access_key_id == "AKID" && got->session_token.reveal() == "t") ++right;
      });
  }
  EXPECT_EQ(right, 8);
  EXPECT_EQ(asked_, 1);
}

TEST_F(AwsIdentityTest, an_error_is_remembered_for_a_moment_only) {
  refuses_ = true;
  const auto identity = make_aws_identity(options_, clock_);
  for (int i = 0; i < 3; ++i) {
    const auto got = identity();
    ASSERT_FALSE(got);
    EXPECT_THAT(got.error().message, HasSubstr("500"));
  }
  EXPECT_EQ(asked_, 1);
  refuses_ = false;
  clock_.advance(3s);
  EXPECT_TRUE(identity());
  EXPECT_EQ(asked_, 2);
}

TEST_F(AwsIdentityTest, without_any_credentials_it_says_which_variables_there_are) {
  const auto got = make_aws_identity(AwsOptions{}, clock_)();
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().message, HasSubstr("AWS_ACCESS_KEY_ID"));
}

}  // namespace
}  // namespace eilbote::test::aws_identity_test
