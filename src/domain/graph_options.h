// How the Microsoft Graph route is set up: read by config, used by channel/graph_*.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/time.h"

namespace eilbote {

// draft: two-phase, a draft whose id is on record before it is sent. sendmail: one request, one chance to know.
enum class GraphMode { draft, sendmail };
inline constexpr auto kGraphModeNames =
    enum_names<GraphMode>({{GraphMode::draft, "draft"}, {GraphMode::sendmail, "sendmail"}});
static_assert(kGraphModeNames.complete());

// Over to, cc and bcc; more are refused before the mail is accepted.
inline constexpr std::size_t kGraphRecipientsMax = 500;
// Where change notifications come in; the public address in front of it is the operator's.
inline constexpr std::string_view kGraphNotificationPath = "/webhooks/graph";

struct GraphOptions {
  std::string base_url;   // "https://graph.microsoft.com/v1.0", without a slash at the end
  std::string token_url;  // of the tenant
  std::string scope;      // "https://graph.microsoft.com/.default"
  std::string tenant_id, client_id;
  std::string client_secret_ref;       // one of these two
  std::string client_certificate_ref;  // PEM: private key and certificate
  std::string ca_file;                 // empty: the system's authorities
  std::vector<std::string> senders;    // addresses, or "*@domain"; empty: every sender may be used
  GraphMode mode = GraphMode::draft;
  int batch_max = 20;           // requests in one $batch; 1: none are made
  int mailbox_concurrency = 4;  // requests open at once per mailbox
  int mailbox_per_minute = 30;  // mails per mailbox in any 60 seconds
  Duration timeout = std::chrono::seconds{15};
  Duration recheck =
      std::chrono::seconds{30};  // from a send without an answer to the next look before another send
  // What came back: notifications need a public https address, the polls do not.
  std::string notification_url;                   // ".../webhooks/graph"; empty: no subscription, only polls
  Duration poll_every = std::chrono::minutes{5};  // of each mailbox's inbox; 0: never
  bool message_trace = false;                     // also asks the message trace
  Duration subscription_life = std::chrono::minutes{10'000};
};

}  // namespace eilbote
