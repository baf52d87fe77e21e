// What scenarios with Microsoft Graph share: a server whose mails leave through the scripted tenant, always at the same address,
// quick to give up and to look again.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/mail_api.h"
#include "support/scripted_graph.h"
#include "support/test_store.h"

namespace eilbote::test {

class GraphScenario : public StoreScenario {
 protected:
  // Faults cost a second each, every sender of the tenant is allowed, nothing is watched.
  Settings graph_settings(const ScriptedGraph& tenant, Settings more = {}) const;
  std::unique_ptr<EilboteProcess> start_with(const ScriptedGraph& tenant, Settings more = {}) const {
    return start_server(graph_settings(tenant, std::move(more)));
  }
  // Where the server of this scenario is, however often it starts.
  std::string address() const;
  std::string notification_url() const { return "http://" + address() + "/webhooks/graph"; }

  // Waits until every mail of the server is in one of these states; what is not, in words, empty when all are.
  static std::string not_all(const MailApi& api, const std::vector<std::string>& states,
                             std::chrono::milliseconds patience);

 private:
  mutable std::uint16_t port_ = 0;
};

// A small mail of this mailbox; `extra`: more members.
std::string mail_of(const std::string& mailbox, const std::string& to, const std::string& extra = "");
// "box1@example.org", ...
std::vector<std::string> mailboxes(int count);
// How often each mail left, by our id.
std::map<std::string, int> times_sent(const ScriptedGraph& tenant);

// Hands in `mails` mails, turn by turn from these mailboxes, to a server that may be away at times, until each is acknowledged.
// Their ids, in order; empty ones when the patience for one of them was over.
std::vector<std::string> hand_in_all(const std::string& address, const std::vector<std::string>& from,
                                     int mails, const std::string& extra = "");

}  // namespace eilbote::test
