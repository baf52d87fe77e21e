// A Microsoft 365 tenant as a mail sender sees it, after Microsoft's documentation: token endpoint, drafts, attachments, upload
// sessions, send, sendMail, searches, $batch, subscriptions, delta, message trace. It lives in the test's process, so it survives
// what is done to the server under test, and it knows every mail that really left. It keeps Exchange's limits, records each request
// that breaks them or a rule of the protocol, and plays faults (graph_faults.h). On the loopback, plain HTTP.
//
// Where Microsoft leaves it open the tenant does what hurts most: a draft that is sent again while it is still leaving leaves
// twice; an immutable id is unknown to a request that does not prefer immutable ids.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/graph_faults.h"
#include "support/graph_mailbox.h"
#include "support/http_client.h"
#include "support/scripted_http.h"

namespace eilbote::test {

struct GraphTenantOptions {
  std::vector<std::string> mailboxes{"sender@example.org"};
  std::string client_id = "5b2f9d1e-6f1c-4a51-9d0c-2f7a4a0f6c11";
  std::set<std::string> secrets{"graph-first-secret"};
  int token_seconds = 3599;
  std::chrono::milliseconds leaves_after{0};  // from `send` to Sent Items
  std::chrono::milliseconds think{0};         // before each answer, so that requests overlap
  int open_max = 4;                           // requests of one mailbox at a time
  int sends_per_minute = 1'000'000;           // of one mailbox
  bool own_message_ids = false;               // Exchange puts its own Message-ID over the client's
  int page = 10;                              // messages of a delta or a trace in one answer
};

class ScriptedGraph {
 public:
  explicit ScriptedGraph(GraphTenantOptions options = {}, GraphFaults faults = {});
  ~ScriptedGraph();

  std::string tenant_id() const;
  std::string base_url() const;
  std::string token_url() const;
  const GraphTenantOptions& options() const { return options_; }

  void set_faults(GraphFaults faults);
  // The client secrets that are taken from now on; tokens stay good.
  void set_secrets(std::set<std::string> secrets);
  // Every token given out so far is refused from now on.
  void revoke_tokens();
  // Assertions signed with the key of this certificate are taken.
  void set_certificate(const std::string& pem);

  // What left, in the order it did; a mail that left twice is there twice.
  std::vector<SentMail> sent_items() const;
  // Mails in a folder of a mailbox now.
  int count(const std::string& mailbox, GraphFolder folder) const;
  int requests(GraphStep step) const;
  int tokens_given() const;
  int secrets_refused() const;
  // The most of this mailbox's requests that were open at once, and the most mails it sent within a minute.
  int most_open(const std::string& mailbox) const;
  int most_sends(const std::string& mailbox) const;
  // One sentence for each request that Graph would not have liked: limits that were broken, ids without their header, tokens where
  // none belong, a draft sent again, what the contract forbids.
  std::vector<std::string> violations() const;
  std::string all_violations() const;

  // A message comes into this mailbox's inbox; its immutable id. Its class is what Exchange would call it.
  std::string deliver(const std::string& mailbox, const std::string& eml);
  // One item of a notification, with the subscription's own clientState.
  boost::json::object notice(const std::string& mailbox, const std::string& message_id) const;
  boost::json::object lifecycle_notice(const std::string& mailbox, const std::string& event) const;
  // Posts the items to the address that the first of them is, or was, subscribed with.
  HttpReply notify(const boost::json::array& items) const;
  // Delivers and notifies, as Graph does.
  std::string deliver_and_notify(const std::string& mailbox, const std::string& eml);

  bool is_subscribed(const std::string& mailbox) const;
  int subscriptions_made() const;
  int subscriptions_renewed() const;
  // Gone without a word, as after an outage of days.
  void drop_subscription(const std::string& mailbox);
  // Every deltaLink given out so far is answered with 410.
  void forget_deltas();
  // A row of the message trace.
  void trace(const SentMail& mail, const std::string& recipient, const std::string& status);

  // From now on what Microsoft's OpenAPI has is asked through the validating proxy at this URL, which asks `inner_url()`.
  void check_with(const std::string& proxy_url);
  std::string inner_url() const;
  // Since then: the JSON that was sent, each with the name of the definition in graph-mail.schema.json that it has to fit.
  std::vector<std::pair<std::string, std::string>> bodies() const;

 private:
  struct Token {
    std::chrono::steady_clock::time_point given, ends;
  };
  struct Upload {
    std::string mailbox, message_id;  // immutable
    GraphAttachment attachment;
    std::size_t size = 0;
  };
  struct Subscription {
    std::string id, mailbox, notification_url, lifecycle_url, client_state, change_type, resource, expires;
    bool immutable_ids = false;
  };
  struct Outcome {
    GraphReply reply;
    HttpScene::Then then = HttpScene::Then::go_on;
  };

  // scripted_graph.cpp: from the socket to the route
  HttpScene decide(const HttpSeen& seen);
  Outcome perform(const GraphRequest& request, bool over_limit);
  Outcome perform_batch(const GraphRequest& request, const std::vector<bool>& over_limit);
  Outcome with_fault(GraphStep step, const GraphRequest& request, const std::function<Outcome()>& run);
  GraphFault next_fault(GraphStep step, const GraphRequest& request);
  std::vector<bool> open(int connection, const std::vector<std::string>& mailboxes);
  void over(const HttpSeen& seen);
  bool is_authorized(const GraphRequest& request);
  GraphReply run(const GraphRequest& request);
  GraphReply route(const GraphRequest& request);
  GraphReply ask_proxy(const GraphRequest& request);
  void violate(const std::string& what);
  void keep_body(const std::string& definition, const std::string& body);

  // scripted_graph_token.cpp
  GraphReply give_token(const GraphRequest& request);
  bool is_signed(const std::string& assertion) const;

  // scripted_graph_mail.cpp, under the lock
  GraphReply users(const GraphRequest& request);
  GraphReply messages(GraphMailbox& box, const GraphRequest& request);
  GraphReply message(GraphMailbox& box, GraphMail& mail, const GraphRequest& request);
  GraphReply create(GraphMailbox& box, const GraphRequest& request);
  GraphReply search(GraphMailbox& box, std::optional<GraphFolder> folder, const GraphRequest& request);
  GraphReply send(GraphMailbox& box, GraphMail& mail);
  GraphReply send_mail(GraphMailbox& box, const GraphRequest& request);
  std::optional<GraphReply> count_send(const std::string& mailbox);
  GraphReply attachments(GraphMailbox& box, GraphMail& mail, const GraphRequest& request);
  GraphReply open_upload(GraphMailbox& box, GraphMail& mail, const GraphRequest& request);
  GraphReply upload(const GraphRequest& request);
  GraphReply take_chunk(const std::string& token, const GraphRequest& request);

  // scripted_graph_watch.cpp; subscribe takes the lock itself, since it asks the subscriber in between
  GraphReply subscribe(const GraphRequest& request);
  GraphReply subscription(const GraphRequest& request);
  GraphReply delta(GraphMailbox& box, const GraphRequest& request);
  GraphReply message_traces(const GraphRequest& request);
  const Subscription* subscription_of(const std::string& mailbox) const;

  const GraphTenantOptions options_;
  mutable std::mutex mutex_;
  GraphFaults faults_;
  std::map<GraphStep, int> requests_;
  std::set<std::string> secrets_;
  std::string certificate_;
  std::map<std::string, Token> tokens_;
  int tokens_given_ = 0, secrets_refused_ = 0;
  std::map<std::string, GraphMailbox> mailboxes_;
  std::vector<SentMail> sent_;
  std::map<std::string, Upload> uploads_;  // by the token in their URL
  int uploads_made_ = 0;
  std::map<std::string, Subscription> subscriptions_;  // by id
  std::map<std::string, Subscription>
      subscribed_once_;  // those that are gone, too: their last words are told
  int subscriptions_made_ = 0, subscriptions_renewed_ = 0;
  int delta_era_ = 1;
  boost::json::array traces_;
  std::map<int, std::vector<std::string>> open_;  // connection -> mailboxes
  std::map<std::string, int> most_open_, most_sends_;
  std::map<std::string, std::deque<std::chrono::steady_clock::time_point>> sends_;
  std::vector<std::string> violations_;
  std::vector<std::pair<std::string, std::string>> bodies_;
  std::string proxy_url_;
  // Last: their threads use all of the above.
  ScriptedHttp inner_, http_;
};

// A bounce as Exchange writes it: about this mail, of this recipient. `action` and `status` as in RFC 3464.
std::string ndr_for(const SentMail& mail, const std::string& recipient, const std::string& action = "failed",
                    const std::string& status = "5.1.10");

}  // namespace eilbote::test
