// A mailbox of the scripted Graph tenant: Drafts, Sent Items and Inbox, with ids that change when a mail moves and ids that do
// not. Knows no HTTP and has no lock: scripted_graph.h calls it under its own.
#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "support/graph_exchange.h"

namespace eilbote::test {

enum class GraphFolder { drafts, sent_items, inbox };

struct GraphAttachment {
  std::string id, name, type, content_id;
  bool is_inline = false;
  std::string bytes;
};

struct GraphMail {
  std::string immutable_id;
  std::string id;  // another one in every folder
  GraphFolder folder = GraphFolder::drafts;
  bool is_draft = true;
  boost::json::object message{};  // what the client said of it, attachments aside
  std::string mime{};             // of one that came as MIME, and of everything in the inbox
  std::string message_class = "IPM.Note";
  std::string internet_message_id{};
  std::vector<GraphAttachment> attachments{};
  TimePoint created{};
  std::optional<TimePoint> sent{};
  std::optional<std::chrono::steady_clock::time_point>
      leaves_at{};  // it was sent, and is not in Sent Items yet

  const std::string& id_as(bool immutable) const { return immutable ? immutable_id : id; }
};

// A mail that left for good: what its recipients get.
struct SentMail {
  std::string mailbox{};
  std::string
      eilbote_id{};  // by extended property, else header x-eilbote-id, else the left side of the Message-ID
  std::string internet_message_id{};
  std::string subject{};
  std::vector<std::string> to{}, cc{}, bcc{};
  std::vector<GraphAttachment> attachments{};  // not those inside a MIME
  std::string body_type{}, body{};             // of JSON mails
  std::string mime{};
  bool one_phase = false;  // by sendMail
};

class GraphMailbox {
 public:
  explicit GraphMailbox(std::string address) : address_(std::move(address)) {}

  // A new draft, of a message in JSON or of a MIME text. `own_message_id`: Exchange takes an id of its own instead of the client's.
  GraphMail& add_draft(boost::json::object message, bool own_message_id);
  GraphMail& add_mime_draft(const std::string& mime, bool own_message_id);
  // A mail that came in.
  GraphMail& add_to_inbox(const std::string& eml, const std::string& message_class);

  // By either kind of id; an immutable one is only known to a request that prefers them.
  GraphMail* find(const std::string& id, bool immutable);
  void remove(const GraphMail& mail);
  // In every folder, or in one.
  std::vector<GraphMail*> search(std::optional<GraphFolder> folder, const GraphFilter& filter);
  // What its recipients would get.
  SentMail as_sent(const GraphMail& mail) const;
  // The draft leaves: after `delay` it is found in Sent Items.
  void send(GraphMail& mail, std::chrono::milliseconds delay);
  // Moves what has left.
  void settle();

  std::vector<const GraphMail*> folder(GraphFolder folder) const;
  // Immutable ids of all that ever came in, in that order.
  const std::vector<std::string>& arrivals() const { return arrivals_; }
  const std::string& address() const { return address_; }

  // As Graph shows it to this request: its ids, $select and $expand.
  boost::json::object shown(const GraphMail& mail, const GraphRequest& request) const;

 private:
  GraphMail& add(GraphMail mail);
  void rename(GraphMail& mail);

  std::string address_;
  std::list<GraphMail> mails_;
  std::map<std::string, GraphMail*> by_id_;  // both kinds
  std::vector<GraphMail*> leaving_;
  std::vector<std::string> arrivals_;
  int made_ = 0;
};

std::optional<GraphFolder> graph_folder(const std::string& name);
// Merges what a PATCH says into the mail.
void change(GraphMail& mail, const boost::json::object& changes);
// A header's value in a message's own header, unfolded; empty: it has none.
std::string mime_header(const std::string& mime, const std::string& name);
std::vector<std::string> addresses_in(const std::string& header);

}  // namespace eilbote::test
