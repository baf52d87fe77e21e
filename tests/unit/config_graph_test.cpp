// The options of the Microsoft Graph route: what must be there, what follows from what, and what is refused with what reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/loader.h"

namespace eilbote::config_graph_test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Variables = std::map<std::string, std::string>;

// A route that may be used, with these changes; an empty value takes an option out.
LoadedConfig load(const Variables& changes = {}) {
  ConfigSources sources;
  sources.environment = {{"EILBOTE_MAIL_PROVIDER", "graph"},
                         {"EILBOTE_GRAPH_TENANT_ID", "contoso.example"},
                         {"EILBOTE_GRAPH_CLIENT_ID", "11111111-2222-3333-4444-555555555555"},
                         {"EILBOTE_GRAPH_CLIENT_SECRET_REF", "env://GRAPH_SECRET"}};
  for (const auto& [key, value] : changes)
    sources.environment[key] = value;
  sources.surroundings = {"mail-1.example.org", false};
  return load_config(sources);
}

TEST(ConfigGraph, needs_a_tenant_an_application_and_its_secret_and_no_more) {
  const auto loaded = load();
  EXPECT_THAT(loaded.faults, IsEmpty());
  const GraphOptions& graph = loaded.config.graph;
  EXPECT_EQ(loaded.config.mail_provider, MailProvider::graph);
  EXPECT_EQ(graph.base_url, "https://graph.microsoft.com/v1.0");
  EXPECT_EQ(graph.token_url, "https://login.microsoftonline.com/contoso.example/oauth2/v2.0/token");
  EXPECT_EQ(graph.scope, "https://graph.microsoft.com/.default");
  EXPECT_EQ(graph.client_secret_ref, "env://GRAPH_SECRET");
  EXPECT_THAT(graph.senders, IsEmpty());
}

TEST(ConfigGraph, each_cloud_has_its_hosts) {
  struct Case {
    const char *cloud, *base, *login, *scope;
  };
  const Case cases[] = {
      {"global", "https://graph.microsoft.com/v1.0", "https://login.microsoftonline.com/",
       "https://graph.microsoft.com/.default"},
      {"usgov", "https://graph.microsoft.us/v1.0", "https://login.microsoftonline.us/",
       "https://graph.microsoft.us/.default"},
      {"usgov-dod", "https://dod-graph.microsoft.us/v1.0", "https://login.microsoftonline.us/",
       "https://dod-graph.microsoft.us/.default"},
      {"china", "https://microsoftgraph.chinacloudapi.cn/v1.0", "https://login.chinacloudapi.cn/",
       "https://microsoftgraph.chinacloudapi.cn/.default"},
  };
  for (const Case& c : cases) {
    const auto loaded = load({{"EILBOTE_GRAPH_CLOUD", c.cloud}});
    EXPECT_THAT(loaded.faults, IsEmpty()) << c.cloud;
    EXPECT_EQ(loaded.config.graph.base_url, c.base);
    EXPECT_EQ(loaded.config.graph.token_url, std::string(c.login) + "contoso.example/oauth2/v2.0/token");
    EXPECT_EQ(loaded.config.graph.scope, c.scope);
  }
}

TEST(ConfigGraph, addresses_of_its_own_win_over_the_cloud) {
  const auto loaded = load({{"EILBOTE_GRAPH_BASE_URL", "http://127.0.0.1:4010/v1.0/"},
                            {"EILBOTE_GRAPH_TOKEN_URL", "http://localhost:4011/token"},
                            {"EILBOTE_GRAPH_CLOUD", "china"}});
  EXPECT_THAT(loaded.faults, IsEmpty());
  EXPECT_EQ(loaded.config.graph.base_url, "http://127.0.0.1:4010/v1.0");
  EXPECT_EQ(loaded.config.graph.token_url, "http://localhost:4011/token");
  EXPECT_EQ(loaded.config.graph.scope, "https://127.0.0.1/.default");
}

TEST(ConfigGraph, takes_every_option) {
  const auto loaded = load({{"EILBOTE_GRAPH_CLIENT_SECRET_REF", ""},
                            {"EILBOTE_GRAPH_CLIENT_CERTIFICATE_REF", "file:///etc/eilbote/graph.pem"},
                            {"EILBOTE_GRAPH_SENDERS", "Billing@Example.org, *@news.example.org"},
                            {"EILBOTE_GRAPH_MODE", "sendmail"},
                            {"EILBOTE_GRAPH_BATCH", "1"},
                            {"EILBOTE_GRAPH_MAILBOX_CONCURRENCY", "3"},
                            {"EILBOTE_GRAPH_MAILBOX_PER_MINUTE", "60"},
                            {"EILBOTE_GRAPH_TIMEOUT", "20s"},
                            {"EILBOTE_GRAPH_RECHECK", "45s"},
                            {"EILBOTE_GRAPH_NOTIFICATION_URL", "https://mail.example.org/in/webhooks/graph"},
                            {"EILBOTE_GRAPH_POLL", "0s"},
                            {"EILBOTE_GRAPH_MESSAGE_TRACE", "on"},
                            {"EILBOTE_GRAPH_SUBSCRIPTION_LIFE", "2d"},
                            {"EILBOTE_GRAPH_CA_FILE", "/etc/ssl/own.pem"}});
  EXPECT_THAT(loaded.faults, IsEmpty());
  const GraphOptions& graph = loaded.config.graph;
  EXPECT_EQ(graph.client_certificate_ref, "file:///etc/eilbote/graph.pem");
  EXPECT_THAT(graph.senders, ElementsAre("billing@example.org", "*@news.example.org"));
  EXPECT_EQ(graph.mode, GraphMode::sendmail);
  EXPECT_EQ(graph.batch_max, 1);
  EXPECT_EQ(graph.mailbox_concurrency, 3);
  EXPECT_EQ(graph.mailbox_per_minute, 60);
  EXPECT_EQ(graph.timeout, 20s);
  EXPECT_EQ(graph.recheck, 45s);
  EXPECT_EQ(graph.notification_url, "https://mail.example.org/in/webhooks/graph");
  EXPECT_EQ(graph.poll_every, 0s);
  EXPECT_TRUE(graph.message_trace);
  EXPECT_EQ(graph.subscription_life, std::chrono::days{2});
  EXPECT_EQ(graph.ca_file, "/etc/ssl/own.pem");
}

TEST(ConfigGraph, what_is_wrong_is_named_with_what_would_be_right) {
  struct Case {
    const char *key, *value, *says;
  };
  const Case cases[] = {
      {"EILBOTE_GRAPH_TENANT_ID", "", "EILBOTE_GRAPH_TENANT_ID: must be set"},
      {"EILBOTE_GRAPH_CLIENT_ID", "", "EILBOTE_GRAPH_CLIENT_ID: must be set"},
      {"EILBOTE_GRAPH_CLIENT_SECRET_REF", "", "or EILBOTE_GRAPH_CLIENT_CERTIFICATE_REF instead"},
      {"EILBOTE_GRAPH_CLIENT_CERTIFICATE_REF", "file:///k.pem", "only one of them can be used"},
      {"EILBOTE_GRAPH_TENANT_ID", "../common", "must be an id such as"},
      {"EILBOTE_GRAPH_CLIENT_SECRET_REF", "hunter2", "not the secret itself"},
      {"EILBOTE_GRAPH_CLOUD", "mars", "global, usgov, usgov-dod, china"},
      {"EILBOTE_GRAPH_BASE_URL", "http://graph.example.org/v1.0", "must begin with https://"},
      {"EILBOTE_GRAPH_BASE_URL", "https://graph.example.org/v1.0?x=1", "no query"},
      {"EILBOTE_GRAPH_TOKEN_URL", "http://login.example.org/token", "must begin with https://"},
      {"EILBOTE_GRAPH_NOTIFICATION_URL", "http://mail.example.org/webhooks/graph",
       "must begin with https://"},
      {"EILBOTE_GRAPH_NOTIFICATION_URL", "https://mail.example.org/webhooks", "must end in /webhooks/graph"},
      {"EILBOTE_GRAPH_SENDERS", "billing", "*@domain for all of a domain"},
      {"EILBOTE_GRAPH_SENDERS", "a@b.example,,c@d.example", "*@domain for all of a domain"},
      {"EILBOTE_GRAPH_SENDERS", "*@", "*@domain for all of a domain"},
      {"EILBOTE_GRAPH_SENDERS", "b*@example.org,*@*.example.org", "*@domain for all of a domain"},
      {"EILBOTE_GRAPH_MODE", "both", "draft, sendmail"},
      {"EILBOTE_GRAPH_BATCH", "21", "from 1 to 20"},
      {"EILBOTE_GRAPH_MAILBOX_CONCURRENCY", "17", "from 1 to 4"},
      {"EILBOTE_GRAPH_MAILBOX_PER_MINUTE", "0", "from 1 to 10000"},
      {"EILBOTE_GRAPH_MESSAGE_TRACE", "yes", "on, off"},
      {"EILBOTE_GRAPH_SUBSCRIPTION_LIFE", "8d", "1s to 7d"},
  };
  for (const Case& c : cases) {
    const auto faults = load({{c.key, c.value}}).faults;
    EXPECT_THAT(faults, testing::Contains(testing::AllOf(HasSubstr(c.key), HasSubstr(c.says))))
        << c.key << "=" << c.value;
    for (const auto& fault : faults)
      EXPECT_THAT(fault, testing::Not(HasSubstr("hunter2")));
  }
}

TEST(ConfigGraph, a_mail_has_no_more_recipients_than_graph_takes) {
  EXPECT_EQ(load().config.mail_limits.recipients_max, 500U);
  EXPECT_EQ(load({{"EILBOTE_RECIPIENTS_MAX", "2000"}}).config.mail_limits.recipients_max, 500U);
  EXPECT_EQ(load({{"EILBOTE_RECIPIENTS_MAX", "20"}}).config.mail_limits.recipients_max, 20U);
  EXPECT_EQ(load({{"EILBOTE_MAIL_PROVIDER", "capture"}}).config.mail_limits.recipients_max, 1000U);
}

TEST(ConfigGraph, without_the_route_nothing_is_asked_for) {
  EXPECT_THAT(load({{"EILBOTE_MAIL_PROVIDER", "capture"},
                    {"EILBOTE_GRAPH_TENANT_ID", ""},
                    {"EILBOTE_GRAPH_CLIENT_SECRET_REF", ""}})
                  .faults,
              IsEmpty());
}

}  // namespace
}  // namespace eilbote::config_graph_test
