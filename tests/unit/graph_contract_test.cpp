// The validating proxy in front of the scripted tenant: what the tenant asks and answers fits Microsoft's OpenAPI, and a request
// that does not is found.
#include "support/graph_contract.h"

#include <gtest/gtest.h>

#include "base/url_escape.h"

namespace eilbote::test::graph_contract_test {
namespace {

constexpr const char* kMessages = "/users/sender%40example.org/messages";

class GraphContractTest : public testing::Test {
 protected:
  void SetUp() override { SKIP_BECAUSE(GraphContract::missing()); }
  HttpReply ask(const std::string& method, const std::string& path, const std::string& body = "") {
    if (token_.empty()) {
      const HttpReply reply = http_request(
          "POST", tenant_.token_url(),
          "grant_type=client_credentials&scope=https%3A%2F%2Fgraph.microsoft.com%2F.default&client_id=" +
              tenant_.options().client_id + "&client_secret=graph-first-secret",
          {{"Content-Type", "application/x-www-form-urlencoded"}});
      token_ = text_at(json::parse(reply.body), "/access_token");
    }
    HttpHeaders headers{{"Authorization", "Bearer " + token_}, {"Prefer", "IdType=\"ImmutableId\""}};
    if (!body.empty()) headers.emplace_back("Content-Type", "application/json");
    return http_request(method, tenant_.base_url() + path, body, headers);
  }

  ScriptedGraph tenant_;
  std::string token_;
};

TEST_F(GraphContractTest, is_kept_by_the_tenants_own_answers) {
  const GraphContract contract(tenant_);
  const HttpReply made = ask("POST", kMessages,
                             R"({"subject":"A word","body":{"contentType":"text","content":"Hi"},)"
                             R"("toRecipients":[{"emailAddress":{"address":"ann@example.net"}}]})");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string one = kMessages + ("/" + url_escaped(text_at(json::parse(made.body), "/id")));
  EXPECT_EQ(ask("GET", one + "?$select=id,isDraft,internetMessageId").status, 200);
  EXPECT_EQ(ask("POST", one + "/attachments",
                R"({"@odata.type":"#microsoft.graph.fileAttachment","name":"a","contentBytes":"aGk="})")
                .status,
            201);
  EXPECT_EQ(ask("POST", one + "/attachments/createUploadSession",
                R"({"AttachmentItem":{"attachmentType":"file","name":"b","size":4000000}})")
                .status,
            201);
  EXPECT_EQ(ask("POST", one + "/send").status, 202);
  EXPECT_EQ(ask("GET", std::string("/users/sender%40example.org/mailFolders/sentitems/messages?$filter=") +
                           url_escaped("internetMessageId eq '<a@b>'"))
                .status,
            200);
  const std::string eml = ndr_for(tenant_.sent_items().at(0), "ann@example.net");
  const std::string came = url_escaped(tenant_.deliver("sender@example.org", eml));
  EXPECT_EQ(
      ask("GET", "/users/sender%40example.org/mailFolders/inbox/messages/delta?changeType=created").status,
      200);
  EXPECT_EQ(ask("GET", kMessages + ("/" + came + "/$value")).body, eml);
  EXPECT_EQ(tenant_.all_violations(), "");
  EXPECT_EQ(contract.check_bodies().exit_code, 0) << contract.check_bodies().out;
}

TEST_F(GraphContractTest, finds_what_does_not_fit) {
  const GraphContract contract(tenant_);
  ask("POST", kMessages, R"({"subject":7})");
  EXPECT_EQ(tenant_.violations().size(), 1U) << tenant_.all_violations();
  ask("POST", "/$batch", R"({"requests":[{"id":"1","method":"LOOK","url":"/users/a/messages"}]})");
  const CommandResult checked = contract.check_bodies();
  EXPECT_EQ(checked.exit_code, 1) << checked.out << checked.err;
  EXPECT_NE(checked.out.find("batchRequest"), std::string::npos) << checked.out << checked.err;
}

}  // namespace
}  // namespace eilbote::test::graph_contract_test
