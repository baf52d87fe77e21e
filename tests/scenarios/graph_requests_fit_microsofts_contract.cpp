// Each kind of mail, and the watch over the inbox, ask Microsoft Graph only what Microsoft's own OpenAPI allows: a validating
// proxy stands in front of the tenant.
#include <gtest/gtest.h>

#include "support/eventually.h"
#include "support/graph_contract.h"
#include "support/graph_scenario.h"
#include "support/token_maker.h"

namespace eilbote::test::graph_requests_fit_microsofts_contract {
namespace {

using namespace std::chrono_literals;

std::string file(const std::string& name, std::size_t size) {
  return R"({"name":")" + name + R"(","contentType":"application/octet-stream","content":")" +
         base64url(std::string(size, 'x')) + R"("})";
}

std::string mail(const std::string& body, const std::string& more = "") {
  return R"({"from":"sender@example.org","to":["ann@example.net",{"email":"bob@example.net","name":"Bob"}],)"
         R"("cc":["cid@example.net"],"bcc":["dee@example.net"],"subject":"Grüße","body":)" +
         body + more + "}";
}

const std::string kText = R"({"text":"Guten Tag"})", kHtml = R"({"html":"<p>Guten Tag</p>"})",
                  kBoth = R"({"text":"Guten Tag","html":"<p>Guten Tag</p>"})";

class GraphRequests : public GraphScenario {
 protected:
  void SetUp() override {
    SKIP_BECAUSE(GraphContract::missing());
    GraphScenario::SetUp();
  }
  void send_each(const std::string& mode, const std::vector<std::string>& mails) {
    ScriptedGraph tenant;
    const GraphContract contract(tenant);
    const auto server = start_with(tenant, {{"EILBOTE_GRAPH_MODE", mode},
                                            {"EILBOTE_GRAPH_TIMEOUT", "10s"},
                                            {"EILBOTE_GRAPH_NOTIFICATION_URL", notification_url()},
                                            {"EILBOTE_GRAPH_POLL", "1s"},
                                            {"EILBOTE_ATTACHMENT_BYTES_MAX", "10MiB"}});
    const MailApi api(*server);
    EXPECT_TRUE(eventually([&] { return tenant.is_subscribed("sender@example.org"); }))
        << tenant.all_violations();
    std::vector<std::string> ids;
    for (const std::string& one : mails)
      ids.push_back(api.accept(one));
    for (const std::string& id : ids)
      EXPECT_TRUE(api.reaches(id, "SENT", 1min))
          << json::serialize(api.message(id)) << json::serialize(api.attempts(id)) << tenant.all_violations();
    ASSERT_EQ(tenant.sent_items().size(), mails.size());
    const SentMail first = tenant.sent_items().at(0);
    tenant.deliver_and_notify("sender@example.org", ndr_for(first, "ann@example.net"));
    EXPECT_TRUE(api.reaches(first.eilbote_id, "BOUNCED")) << json::serialize(api.message(first.eilbote_id));
    EXPECT_EQ(tenant.all_violations(), "");
    const CommandResult checked = contract.check_bodies();
    EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, GraphRequests, testing::Values(StoreKind::sqlite), store_name);

TEST_P(GraphRequests, of_drafts) {
  send_each("draft", {mail(kText), mail(kHtml), mail(kBoth),
                      mail(kText, R"(,"attachments":[)" + file("a", 1000) + "]"),
                      mail(kHtml, R"(,"attachments":[)" + file("b", 1000) + "," + file("c", 5'000'000) + "]"),
                      mail(kBoth, R"(,"attachments":[)" + file("d", 1000) + "]")});
}

TEST_P(GraphRequests, of_mails_in_one_phase) {
  send_each("sendmail", {mail(kText), mail(kHtml), mail(kBoth),
                         mail(kText, R"(,"attachments":[)" + file("a", 1000) + "]")});
}

}  // namespace
}  // namespace eilbote::test::graph_requests_fit_microsofts_contract
