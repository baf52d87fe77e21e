#include "support/graph_scenario.h"

#include <algorithm>
#include <fstream>

#include "support/eventually.h"
#include "support/server_packages.h"

namespace eilbote::test {

Settings GraphScenario::graph_settings(const ScriptedGraph& tenant, Settings more) const {
  std::string senders;
  for (const std::string& mailbox : tenant.options().mailboxes)
    senders += (senders.empty() ? "" : ",") + mailbox;
  std::ofstream(folder_ / "graph-secret") << *tenant.options().secrets.begin();
  more.insert({{"EILBOTE_LISTEN", address()},
               {"EILBOTE_MAIL_PROVIDER", "graph"},
               {"EILBOTE_GRAPH_BASE_URL", tenant.base_url()},
               {"EILBOTE_GRAPH_TOKEN_URL", tenant.token_url()},
               {"EILBOTE_GRAPH_TENANT_ID", tenant.tenant_id()},
               {"EILBOTE_GRAPH_CLIENT_ID", tenant.options().client_id},
               {"EILBOTE_GRAPH_CLIENT_SECRET_REF", "file://" + (folder_ / "graph-secret")},
               {"EILBOTE_GRAPH_SENDERS", senders},
               {"EILBOTE_GRAPH_TIMEOUT", "1s"},
               {"EILBOTE_GRAPH_RECHECK", "1s"},
               {"EILBOTE_GRAPH_MAILBOX_PER_MINUTE", "10000"},
               {"EILBOTE_GRAPH_POLL", "0s"},
               {"EILBOTE_BREAKER_PROBE", "200ms"},
               {"DISPATCH_BACKOFF_BASE_SECONDS", "0"},
               {"DISPATCH_MAX_ATTEMPTS", "20"}});
  return more;
}

std::string GraphScenario::address() const {
  if (port_ == 0) port_ = free_port();
  return "127.0.0.1:" + std::to_string(port_);
}

std::string GraphScenario::not_all(const MailApi& api, const std::vector<std::string>& states,
                                   std::chrono::milliseconds patience) {
  std::vector<StoredMail> others;
  eventually(
      [&] {
        others = stored_mails(api);
        std::erase_if(others, [&](const StoredMail& mail) {
          return std::find(states.begin(), states.end(), mail.status) != states.end();
        });
        return others.empty();
      },
      patience, std::chrono::milliseconds{500});
  if (others.empty()) return "";
  constexpr std::size_t kTold = 5;
  std::string page = std::to_string(others.size()) + " mails, such as:\n";
  for (std::size_t i = 0; i < std::min(kTold, others.size()); ++i)
    page += json::serialize(api.message(others[i].id)) + "\n" + json::serialize(api.attempts(others[i].id)) +
            "\n";
  return page;
}

std::string mail_of(const std::string& mailbox, const std::string& to, const std::string& extra) {
  return R"({"from":")" + mailbox + R"(","to":[")" + to +
         R"("],"subject":"A word by Graph","body":{"text":"Guten Tag"})" +
         (extra.empty() ? "" : "," + extra) + "}";
}

std::vector<std::string> mailboxes(int count) {
  std::vector<std::string> all;
  for (int i = 1; i <= count; ++i)
    all.push_back("box" + std::to_string(i) + "@example.org");
  return all;
}

std::map<std::string, int> times_sent(const ScriptedGraph& tenant) {
  std::map<std::string, int> times;
  for (const SentMail& mail : tenant.sent_items())
    ++times[mail.eilbote_id];
  return times;
}

std::vector<std::string> hand_in_all(const std::string& address, const std::vector<std::string>& from,
                                     int mails, const std::string& extra) {
  std::vector<std::string> ids;
  for (int n = 0; n < mails; ++n) {
    const std::string body = mail_of(from[static_cast<std::size_t>(n) % from.size()],
                                     "mail" + std::to_string(n) + "@example.net", extra);
    const HttpHeaders key{{"Idempotency-Key", "by-graph-" + std::to_string(n)}};
    std::string id;
    eventually(
        [&] {
          const HttpReply reply = http_request("POST", "http://" + address + "/messages", body, key);
          if (reply.status == 202) id = text_at(json::parse(reply.body), "/messageId");
          const bool is_refused = reply.status == 400;
          if (is_refused) ADD_FAILURE() << reply.body;
          return reply.status == 202 || is_refused;
        },
        std::chrono::minutes{2}, std::chrono::milliseconds{50});
    ids.push_back(id);
  }
  return ids;
}

}  // namespace eilbote::test
