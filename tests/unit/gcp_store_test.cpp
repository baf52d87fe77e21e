// gcp-secretmanager:// against a scripted metadata server and Secret Manager, with the exchanges of the contract where found.
#include "secrets/stores.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "base/crc32c.h"
#include "support/contracts.h"
#include "support/scripted_http.h"

namespace eilbote::gcp_store_test {
namespace {

using test::HttpScene;
using test::HttpSeen;
using testing::HasSubstr;

HttpScene says(int status, const std::string& body, const std::string& headers = "") {
  return {.answer = test::http_answer(status, body, headers)};
}

class GcpStoreTest : public testing::Test {
 protected:
  HttpScene decide(const HttpSeen& request) {
    const std::lock_guard lock(mutex_);
    if (request.line.find("/computeMetadata/") != std::string::npos) return token_;
    if (played_ < answers_.size()) return answers_[played_++];
    return answers_.back();
  }
  std::string read(const std::string& place) {
    const auto found = store_->fetch(place);
    return found ? found->reveal() : "error: " + found.error().error.message;
  }

  std::mutex mutex_;
  HttpScene token_ = says(200, R"({"access_token":"ya29.x","expires_in":3599,"token_type":"Bearer"})",
                          "Metadata-Flavor: Google\r\n");
  std::vector<HttpScene> answers_{says(200, R"({"name":"n","payload":{"data":"aGVsbG8="}})")};
  std::size_t played_ = 0;
  test::ScriptedHttp google_{{.decide = [this](const HttpSeen& request) { return decide(request); }}};
  const std::string url_ = fmt::format("http://127.0.0.1:{}", google_.port());
  std::unique_ptr<SecretStore> store_ = make_gcp_store({url_, url_, std::chrono::seconds{5}});
};

TEST(Crc32c, is_the_one_of_castagnoli) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST_F(GcpStoreTest, speaks_as_the_contract_says) {
  EILBOTE_CONTRACT_OR_SKIP(exchanges, "secrets/gcp-exchanges.json");
  token_ = says(200, boost::json::serialize(exchanges->at("metadata_token").at("body")),
                "Metadata-Flavor: Google\r\n");
  answers_ = {says(200, boost::json::serialize(exchanges->at("access").at("body")))};
  EXPECT_EQ(read("projects/p/secrets/s"), "hello");
  const std::string token_url(exchanges->at("metadata_token").at("request").at("url").as_string());
  EXPECT_THAT(token_url, HasSubstr(google_.seen()[0].line.substr(4, google_.seen()[0].line.rfind(' ') - 4)));
  EXPECT_EQ(google_.seen()[0].headers["metadata-flavor"], "Google");
  EXPECT_EQ(google_.seen()[1].line, "GET /v1/projects/p/secrets/s/versions/latest:access HTTP/1.1");
  EXPECT_EQ(google_.seen()[1].headers["authorization"], "Bearer ya29.x");
  answers_ = {says(403, boost::json::serialize(exchanges->at("error").at("body")))};
  played_ = 0;
  EXPECT_EQ(read("projects/p/secrets/s"), "error: Google says PERMISSION_DENIED (403: Permission denied)");
}

TEST_F(GcpStoreTest, asks_for_the_version_and_the_key) {
  answers_ = {says(200, R"({"payload":{"data":"eyJwYXNzd29yZCI6Imh1bnRlcjIifQ=="}})")};
  EXPECT_EQ(read("projects/p/secrets/s/versions/7#password"), "hunter2");
  EXPECT_THAT(google_.seen().back().line, HasSubstr("/versions/7:access"));
  EXPECT_EQ(read("projects/p/locations/europe-west3/secrets/s#password"), "hunter2");
  EXPECT_THAT(google_.seen().back().line,
              HasSubstr("/locations/europe-west3/secrets/s/versions/latest:access"));
  EXPECT_EQ(google_.seen().size(), 3U) << "one token for all";
}

TEST_F(GcpStoreTest, refuses_other_names) {
  for (const char* place :
       {"s", "projects/p/s", "projects/p/secrets/s/x/y", "projects/../secrets/s", "projects//secrets/s"})
    EXPECT_THAT(read(place), HasSubstr("must be projects/PROJECT/secrets/NAME")) << place;
  EXPECT_TRUE(google_.seen().empty());
}

TEST_F(GcpStoreTest, notices_damage) {
  answers_ = {says(200, R"({"payload":{"data":"aGVsbG8=","dataCrc32c":"1"}})")};
  EXPECT_THAT(read("projects/p/secrets/s"), HasSubstr("damaged"));
}

TEST_F(GcpStoreTest, takes_a_token_from_nobody_but_google) {
  token_ = says(200, R"({"access_token":"ya29.x","expires_in":3599})");
  EXPECT_THAT(read("projects/p/secrets/s"), HasSubstr("gave no access token"));
}

TEST_F(GcpStoreTest, asks_for_another_token_when_one_has_ended) {
  answers_ = {says(401, "{}"), says(200, R"({"payload":{"data":"aGVsbG8="}})")};
  EXPECT_EQ(read("projects/p/secrets/s"), "hello");
  EXPECT_EQ(google_.seen().size(), 4U);
}

}  // namespace
}  // namespace eilbote::gcp_store_test
