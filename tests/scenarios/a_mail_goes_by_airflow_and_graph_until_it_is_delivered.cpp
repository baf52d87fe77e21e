// A mail's whole way, end to end and by real HTTP: an application with a token of the issuer hands a mail in (the example
// client), Airflow has it dispatched (its module, with its own token), Microsoft Graph sends it (the scripted tenant), and Graph's
// notification of a receipt makes it DELIVERED. Each party has only the scopes it needs.
#include <gtest/gtest.h>

#include <fstream>

#include "support/eventually.h"
#include "support/graph_scenario.h"
#include "support/real_issuer.h"

namespace eilbote::test::a_mail_goes_by_airflow_and_graph_until_it_is_delivered {
namespace {

using namespace std::chrono_literals;

constexpr const char* kBox = "box1@example.org";
constexpr const char* kReader = "panel.member@example.net";

class AMailByAirflowAndGraph : public GraphScenario {
 protected:
  void SetUp() override {
    GraphScenario::SetUp();
    Settings settings = takes_tokens_of(issuer_.url());
    settings.insert({{"EILBOTE_DISPATCH", "triggered"},
                     {"EILBOTE_GRAPH_NOTIFICATION_URL", notification_url()},
                     {"EILBOTE_GRAPH_POLL", "1h"}});
    server_ = start_with(tenant_, settings);
    for (const std::string client : {"surveyweb", "airflow"})
      std::ofstream(folder_ / client) << client << "-secret\n";
    ASSERT_TRUE(eventually([&] { return tenant_.is_subscribed(kBox); })) << tenant_.all_violations();
  }
  // A program of the project that asks the server with a token of its own.
  CommandResult run(const std::string& script, const std::string& client,
                    const std::vector<std::string>& more) const {
    std::vector<std::string> command{"python3",       EILBOTE_SOURCE_DIR "/" + script,
                                     "--server",      server_->url(),
                                     "--token-url",   issuer_.url() + "/token",
                                     "--client-id",   client,
                                     "--secret-file", folder_ / client};
    command.insert(command.end(), more.begin(), more.end());
    return run_command(command, {{"no_proxy", "127.0.0.1"}});
  }
  // The example client; the mail's id.
  std::string hand_in(const std::string& key) const {
    const CommandResult sent =
        run("examples/python/send_mail.py", "surveyweb",
            {"--from", kBox, "--to", kReader, "--subject", "Your invitation to the panel", "--text",
             "Please take part in this quarter's survey.", "--key", key});
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    return sent.out.substr(0, sent.out.find('\n'));
  }
  json::value dispatch() const {
    const CommandResult run_ = run("deploy/airflow/eilbote_dispatch.py", "airflow", {});
    EXPECT_EQ(run_.exit_code, 0) << run_.err;
    return json::parse(run_.out);
  }
  HttpReply get(const std::string& path, const std::string& client = "surveyweb") const {
    return http_request("GET", server_->url() + path, "", bearer(issuer_.token(client, "mail.status:read")));
  }
  std::string status(const std::string& id) const {
    return text_at(json::parse(get("/messages/" + id).body), "/status");
  }
  // "QUEUED SENT": the states in the order of their events.
  std::string states(const std::string& id) const {
    std::string all;
    const json::value events = json::parse(get("/messages/" + id + "/events").body);
    for (const json::value& event : events.at("data").as_array())
      all += (all.empty() ? "" : " ") + text_at(event, "/to");
    return all;
  }

  RealIssuer issuer_;
  ScriptedGraph tenant_{{.mailboxes = mailboxes(1), .own_message_ids = true}};
  std::unique_ptr<EilboteProcess> server_;
};
INSTANTIATE_TEST_SUITE_P(Stores, AMailByAirflowAndGraph,
                         testing::Values(StoreKind::sqlite, StoreKind::postgres), store_name);

TEST_P(AMailByAirflowAndGraph, from_the_application_to_delivered) {
  const std::string id = hand_in("invitation-4711");
  ASSERT_FALSE(id.empty());
  EXPECT_EQ(hand_in("invitation-4711"), id) << "the same key, the same mail";
  EXPECT_EQ(status(id), "QUEUED");
  EXPECT_TRUE(tenant_.sent_items().empty()) << "nothing leaves before Airflow says so";

  const json::value run = dispatch();
  EXPECT_EQ(number_at(run, "/dispatched"), 1) << json::serialize(run);
  EXPECT_EQ(number_at(run, "/by_status/SENT"), 1) << json::serialize(run);
  EXPECT_EQ(status(id), "SENT");
  ASSERT_EQ(tenant_.sent_items().size(), 1U);
  const SentMail mail = tenant_.sent_items()[0];
  EXPECT_EQ(mail.eilbote_id, id);
  EXPECT_EQ(mail.to, std::vector<std::string>{kReader});

  tenant_.deliver_and_notify(kBox, ndr_for(mail, kReader, "delivered", "2.0.0"));
  EXPECT_TRUE(eventually([&] { return status(id) == "DELIVERED"; })) << get("/messages/" + id).body;
  EXPECT_EQ(states(id), "QUEUED SENT DELIVERED");

  EXPECT_EQ(number_at(dispatch(), "/dispatched"), 0);
  EXPECT_EQ(tenant_.sent_items().size(), 1U) << "once";
  EXPECT_EQ(get("/messages/" + id, "billing").status, 404) << "another application sees nothing of it";
  EXPECT_EQ(tenant_.all_violations(), "");
}

TEST_P(AMailByAirflowAndGraph, ends_as_bounced_when_graph_tells_of_it) {
  const std::string id = hand_in("invitation-4712");
  dispatch();
  ASSERT_EQ(tenant_.sent_items().size(), 1U);
  tenant_.deliver_and_notify(kBox, ndr_for(tenant_.sent_items()[0], kReader));
  EXPECT_TRUE(eventually([&] { return status(id) == "BOUNCED"; })) << get("/messages/" + id).body;
  EXPECT_EQ(states(id), "QUEUED SENT BOUNCED");
}

TEST_P(AMailByAirflowAndGraph, is_closed_to_those_without_the_scope) {
  const CommandResult foreign =
      run("deploy/airflow/eilbote_dispatch.py", "surveyweb", {"--scope", "mail.send"});
  EXPECT_EQ(foreign.exit_code, 77) << foreign.err;
  const HttpReply refused = http_request("POST", server_->url() + "/messages", mail_of(kBox, kReader),
                                         bearer(issuer_.token("airflow", "mailer.worker")));
  EXPECT_EQ(refused.status, 403) << refused.body;
}

}  // namespace
}  // namespace eilbote::test::a_mail_goes_by_airflow_and_graph_until_it_is_delivered
