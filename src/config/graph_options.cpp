// The rows of the option table about Microsoft Graph: the tenant, who we are there, what may be sent and how fast, and how
// what came back is noticed.
#include "config/option_kinds.h"
#include "config/option_sections.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;
using kinds::check_issuer;
using kinds::choice;
using kinds::duration;
using kinds::number;

constexpr std::string_view kSection = "Microsoft Graph";

struct CloudHosts {
  std::string_view graph, login;
};
CloudHosts hosts_of(GraphCloud cloud) {
  switch (cloud) {
    case GraphCloud::global:
      break;
    case GraphCloud::usgov:
      return {"https://graph.microsoft.us", "https://login.microsoftonline.us"};
    case GraphCloud::usgov_dod:
      return {"https://dod-graph.microsoft.us", "https://login.microsoftonline.us"};
    case GraphCloud::china:
      return {"https://microsoftgraph.chinacloudapi.cn", "https://login.chinacloudapi.cn"};
  }
  return {"https://graph.microsoft.com", "https://login.microsoftonline.com"};
}

// A field of GraphOptions, as the kinds want it.
template <class Field>
auto in_graph(Field GraphOptions::*field) {
  return [field](Config& config) -> Field& { return config.graph.*field; };
}

void add_places(std::vector<Option>& table) {
  table.push_back({"EILBOTE_GRAPH_CLOUD", "graph.cloud", kSection, "global",
                   choice(&Config::graph_cloud, kGraphCloudNames),
                   "The Microsoft cloud of the tenant; sets the hosts of the next two."});
  table.push_back({.key = "EILBOTE_GRAPH_BASE_URL",
                   .toml = "graph.base_url",
                   .section = kSection,
                   .fallback = "",
                   .kind = kinds::text(in_graph(&GraphOptions::base_url), "URL", check_issuer),
                   .help = "Where Graph is, with its version. Tokens are asked for the scope of its host. "
                           "http:// only on this machine.",
                   .computed =
                       [](const Config& config, const Surroundings&) {
                         return std::string(hosts_of(config.graph_cloud).graph) + "/v1.0";
                       },
                   .computed_text = "v1.0 of the cloud, https://graph.microsoft.com/v1.0 for global"});
  table.push_back({.key = "EILBOTE_GRAPH_TOKEN_URL",
                   .toml = "graph.token_url",
                   .section = kSection,
                   .fallback = "",
                   .kind = kinds::text(in_graph(&GraphOptions::token_url), "URL", check_issuer),
                   .help = "Where tokens are given out.",
                   .computed = [](const Config& config, const Surroundings&) -> std::string {
                     if (config.graph.tenant_id.empty()) return {};
                     return std::string(hosts_of(config.graph_cloud).login) + "/" + config.graph.tenant_id +
                            "/oauth2/v2.0/token";
                   },
                   .computed_text = "the tenant's endpoint in the cloud"});
  table.push_back({"EILBOTE_GRAPH_CA_FILE", "graph.ca_file", kSection, "",
                   kinds::text(in_graph(&GraphOptions::ca_file), "path"),
                   "Certificates (PEM) to trust for both instead of the system's."});
}

void add_application(std::vector<Option>& table) {
  table.push_back({"EILBOTE_GRAPH_TENANT_ID", "graph.tenant_id", kSection, "",
                   kinds::text(in_graph(&GraphOptions::tenant_id), "id", kinds::check_directory_id),
                   "The tenant whose mailboxes send: its id or one of its domains."});
  table.push_back({"EILBOTE_GRAPH_CLIENT_ID", "graph.client_id", kSection, "",
                   kinds::text(in_graph(&GraphOptions::client_id), "id", kinds::check_directory_id),
                   "The id of the application that was registered for Eilbote."});
  table.push_back(
      {"EILBOTE_GRAPH_CLIENT_SECRET_REF", "graph.client_secret_ref", kSection, "",
       kinds::text(in_graph(&GraphOptions::client_secret_ref), "reference", kinds::check_secret_reference),
       "Where the application's secret is, as a reference (docs/secrets.md). Read again when it is "
       "refused, so it can be changed while Eilbote runs."});
  table.push_back({"EILBOTE_GRAPH_CLIENT_CERTIFICATE_REF", "graph.client_certificate_ref", kSection, "",
                   kinds::text(in_graph(&GraphOptions::client_certificate_ref), "reference",
                               kinds::check_secret_reference),
                   "Instead of the secret: where the application's private key (RSA, without a passphrase) "
                   "and certificate are, both PEM in one text."});
}

void add_sending(std::vector<Option>& table) {
  table.push_back(
      {"EILBOTE_GRAPH_SENDERS", "graph.senders", kSection, "",
       kinds::senders(in_graph(&GraphOptions::senders)),
       "Who may be the sender (`from`) of a mail, with commas in between: "
       "`billing@example.org,*@news.example.org`. Empty: every mailbox the application may use."});
  table.push_back({"EILBOTE_GRAPH_MODE", "graph.mode", kSection, "draft",
                   choice(in_graph(&GraphOptions::mode), kGraphModeNames),
                   "`draft`: a draft is made, put on record, then sent; after a lost answer it shows whether "
                   "the mail went out. `sendmail`: one request, and less to go by."});
  table.push_back({"EILBOTE_GRAPH_BATCH", "graph.batch", kSection, "20",
                   number(in_graph(&GraphOptions::batch_max), 1, 20),
                   "Requests that may go together in one $batch; 1: each goes alone."});
  table.push_back(
      {"EILBOTE_GRAPH_MAILBOX_CONCURRENCY", "graph.mailbox_concurrency", kSection, "4",
       number(in_graph(&GraphOptions::mailbox_concurrency), 1, 4),
       "Requests open at once for one mailbox, from this instance. Graph allows an application 4."});
  table.push_back({"EILBOTE_GRAPH_MAILBOX_PER_MINUTE", "graph.mailbox_per_minute", kSection, "30",
                   number(in_graph(&GraphOptions::mailbox_per_minute), 1, 10'000),
                   "Mails from one mailbox within any 60 seconds, by this instance. Exchange Online sends 30 "
                   "a minute; several instances "
                   "share that, so give each its part."});
  table.push_back({"EILBOTE_GRAPH_TIMEOUT", "graph.timeout", kSection, "15s",
                   duration(in_graph(&GraphOptions::timeout), 100ms, 10min),
                   "For the answer to one request, from the first step to its last byte."});
  table.push_back({"EILBOTE_GRAPH_RECHECK", "graph.recheck", kSection, "30s",
                   duration(in_graph(&GraphOptions::recheck), 100ms, 1h),
                   "After a send without an answer: how long a draft that is still there may be on its way, "
                   "before it is sent again."});
}

void add_reports(std::vector<Option>& table) {
  table.push_back(
      {"EILBOTE_GRAPH_NOTIFICATION_URL", "graph.notification_url", kSection, "",
       kinds::text(in_graph(&GraphOptions::notification_url), "URL", kinds::check_notification_url),
       "Where Graph reaches this server: `https://mail.example.org/webhooks/graph`. Bounces then "
       "arrive within a minute; without it they are found by EILBOTE_GRAPH_POLL."});
  table.push_back({"EILBOTE_GRAPH_POLL", "graph.poll", kSection, "5m",
                   duration(in_graph(&GraphOptions::poll_every), 0s, 24h),
                   "How often each sender's inbox is looked through for bounces and receipts; 0s: never."});
  table.push_back({"EILBOTE_GRAPH_MESSAGE_TRACE", "graph.message_trace", kSection, "off",
                   kinds::on_off(in_graph(&GraphOptions::message_trace)),
                   "`on`: what became of each recipient is also read from the message trace (global cloud "
                   "only; needs ExchangeMessageTrace.Read.All)."});
  table.push_back({"EILBOTE_GRAPH_SUBSCRIPTION_LIFE", "graph.subscription_life", kSection, "10000m",
                   duration(in_graph(&GraphOptions::subscription_life), 1s, 10'080min),
                   "How long a subscription is asked for; it is renewed at half of that. Graph allows less "
                   "than 7 days, and makes 45 minutes of less."});
}

}  // namespace

void add_graph_options(std::vector<Option>& table) {
  add_places(table);
  add_application(table);
  add_sending(table);
  add_reports(table);
}

}  // namespace eilbote
