#include "config/graph_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "domain/webhook_url.h"

namespace eilbote {
namespace {

void refuse_missing(LoadedConfig& loaded) {
  const GraphOptions& graph = loaded.config.graph;
  for (const auto& [key, value] :
       {std::pair<std::string_view, const std::string&>{"EILBOTE_GRAPH_TENANT_ID", graph.tenant_id},
        {"EILBOTE_GRAPH_CLIENT_ID", graph.client_id}})
    if (value.empty())
      loaded.faults.push_back(fmt::format("{}: must be set when EILBOTE_MAIL_PROVIDER is 'graph'", key));
  const bool has_secret = !graph.client_secret_ref.empty(), has_key = !graph.client_certificate_ref.empty();
  if (has_secret && has_key)
    loaded.faults.push_back(
        "EILBOTE_GRAPH_CLIENT_SECRET_REF, EILBOTE_GRAPH_CLIENT_CERTIFICATE_REF: only one of them can be "
        "used; remove the other");
  if (!has_secret && !has_key)
    loaded.faults.push_back(
        "EILBOTE_GRAPH_CLIENT_SECRET_REF: must be set when EILBOTE_MAIL_PROVIDER is 'graph', or "
        "EILBOTE_GRAPH_CLIENT_CERTIFICATE_REF instead");
}

}  // namespace

void settle_graph(LoadedConfig& loaded) {
  Config& config = loaded.config;
  if (config.mail_provider != MailProvider::graph) return;
  refuse_missing(loaded);
  GraphOptions& graph = config.graph;
  while (graph.base_url.ends_with('/'))
    graph.base_url.pop_back();
  // Tokens are made for a resource, and Graph's is its host: another cloud has another scope.
  if (const auto url = parse_webhook_url(graph.base_url)) graph.scope = "https://" + url->host + "/.default";
  config.mail_limits.recipients_max = std::min(config.mail_limits.recipients_max, kGraphRecipientsMax);
}

}  // namespace eilbote
