#include "support/graph_mailbox.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"

namespace eilbote::test {
namespace {

namespace json = boost::json;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* kFolderNames[] = {"drafts", "sentitems", "inbox"};

TimePoint now() {
  return std::chrono::time_point_cast<TimePoint::duration>(std::chrono::system_clock::now());
}

const json::array& list_member(const json::object& object, const char* name) {
  static const json::array kNone;
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_array() ? found->get_array() : kNone;
}

std::vector<std::string> recipients(const json::object& message, const char* member) {
  std::vector<std::string> all;
  for (const json::value& one : list_member(message, member)) {
    boost::system::error_code none;
    const json::value* address = one.find_pointer("/emailAddress/address", none);
    if (address != nullptr && address->is_string()) all.emplace_back(address->get_string());
  }
  return all;
}

std::string extended_property(const GraphMail& mail, const std::string& id) {
  if (same_but_for_case(id, "String 0x001A")) return mail.message_class;
  for (const json::value& one : list_member(mail.message, "singleValueExtendedProperties"))
    if (one.is_object() && same_but_for_case(text_member(one.get_object(), "id"), id))
      return text_member(one.get_object(), "value");
  return "";
}

std::string eilbote_id(const GraphMail& mail) {
  for (const json::value& one : list_member(mail.message, "singleValueExtendedProperties"))
    if (one.is_object() && text_member(one.get_object(), "id").ends_with(" Name EilboteId"))
      return text_member(one.get_object(), "value");
  for (const json::value& one : list_member(mail.message, "internetMessageHeaders"))
    if (one.is_object() && same_but_for_case(text_member(one.get_object(), "name"), "x-eilbote-id"))
      return text_member(one.get_object(), "value");
  if (const std::string header = mime_header(mail.mime, "x-eilbote-id"); !header.empty()) return header;
  const std::string id = mime_header(mail.mime, "Message-ID");
  return id.empty() ? "" : id.substr(1, id.find('@') - 1);
}

// The one property that "$expand=singleValueExtendedProperties($filter=id eq '...')" asks for.
std::string expanded_property(const GraphRequest& request) {
  const auto expand = request.query.find("$expand");
  if (expand == request.query.end() || !expand->second.starts_with("singleValueExtendedProperties"))
    return "";
  const std::size_t from = expand->second.find('\'');
  return from == std::string::npos
             ? ""
             : expand->second.substr(from + 1, expand->second.find('\'', from + 1) - from - 1);
}

}  // namespace

std::string mime_header(const std::string& mime, const std::string& name) {
  const std::string head =
      mime.substr(0, mime.find(mime.find("\r\n\r\n") == std::string::npos ? "\n\n" : "\r\n\r\n"));
  for (std::size_t at = 0; at < head.size();) {
    std::size_t end = at;
    do
      end = head.find('\n', end == at ? at : end + 1);
    while (end != std::string::npos && end + 1 < head.size() &&
           (head[end + 1] == ' ' || head[end + 1] == '\t'));
    std::string line = head.substr(at, end - at);
    std::erase_if(line, [](char c) { return c == '\r' || c == '\n'; });
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && same_but_for_case(line.substr(0, colon), name))
      return std::string(trimmed(std::string_view(line).substr(colon + 1)));
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return "";
}

std::vector<std::string> addresses_in(const std::string& header) {
  std::vector<std::string> all;
  std::string one;
  bool quoted = false;
  const auto add = [&] {
    const std::size_t open = one.rfind('<'), close = one.rfind('>');
    const std::string inside = open != std::string::npos && close != std::string::npos
                                   ? one.substr(open + 1, close - open - 1)
                                   : one;
    if (!trimmed(inside).empty()) all.emplace_back(trimmed(inside));
    one.clear();
  };
  for (const char c : header) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted)
      add();
    else
      one += c;
  }
  add();
  return all;
}

std::optional<GraphFolder> graph_folder(const std::string& name) {
  for (const GraphFolder folder : {GraphFolder::drafts, GraphFolder::sent_items, GraphFolder::inbox})
    if (same_but_for_case(name, kFolderNames[static_cast<int>(folder)])) return folder;
  return std::nullopt;
}

void change(GraphMail& mail, const json::object& changes) {
  for (const json::key_value_pair& member : changes) {
    if (member.key() != "singleValueExtendedProperties") {
      mail.message[member.key()] = member.value();
      continue;
    }
    json::array all = list_member(mail.message, "singleValueExtendedProperties");
    for (const json::value& one : list_member(changes, "singleValueExtendedProperties")) {
      all.erase(std::remove_if(all.begin(), all.end(),
                               [&](const json::value& old) { return old.at("id") == one.at("id"); }),
                all.end());
      all.push_back(one);
    }
    mail.message[member.key()] = std::move(all);
  }
  if (const std::string id = text_member(changes, "internetMessageId"); !id.empty())
    mail.internet_message_id = id;
}

GraphMail& GraphMailbox::add(GraphMail mail) {
  mail.created = now();
  mail.immutable_id = fmt::format(
      "AAkALgAAAAAAHYQDEapmEc2byACqAC-{}-{}_imm==", address_.substr(0, address_.find('@')), ++made_);
  mails_.push_back(std::move(mail));
  GraphMail& added = mails_.back();
  by_id_[added.immutable_id] = &added;
  rename(added);
  return added;
}

void GraphMailbox::rename(GraphMail& mail) {
  by_id_.erase(mail.id);
  mail.id = fmt::format("AAMkAGI2TG93AAA-{}-{}_move=", address_.substr(0, address_.find('@')), ++made_);
  by_id_[mail.id] = &mail;
}

GraphMail& GraphMailbox::add_draft(json::object message, bool own_message_id) {
  GraphMail mail;
  mail.internet_message_id = text_member(message, "internetMessageId");
  if (own_message_id || mail.internet_message_id.empty())
    mail.internet_message_id =
        fmt::format("<AM0PR{:06}.prod.outlook.com@{}>", made_, address_.substr(address_.find('@') + 1));
  message.erase("internetMessageId");
  message.erase("attachments");
  mail.message = std::move(message);
  return add(std::move(mail));
}

GraphMail& GraphMailbox::add_mime_draft(const std::string& mime, bool own_message_id) {
  json::object message{{"subject", mime_header(mime, "Subject")}};
  for (const auto& [header, member] :
       {std::pair{"To", "toRecipients"}, {"Cc", "ccRecipients"}, {"Bcc", "bccRecipients"}}) {
    json::array all;
    for (const std::string& address : addresses_in(mime_header(mime, header)))
      all.push_back(json::object{{"emailAddress", {{"address", address}}}});
    message[member] = std::move(all);
  }
  message["internetMessageId"] = mime_header(mime, "Message-ID");
  GraphMail& mail = add_draft(std::move(message), own_message_id);
  mail.mime = mime;
  return mail;
}

GraphMail& GraphMailbox::add_to_inbox(const std::string& eml, const std::string& message_class) {
  GraphMail mail;
  mail.folder = GraphFolder::inbox;
  mail.is_draft = false;
  mail.mime = eml;
  mail.message_class = message_class;
  mail.internet_message_id = mime_header(eml, "Message-ID");
  mail.message = {{"subject", mime_header(eml, "Subject")}};
  GraphMail& added = add(std::move(mail));
  added.sent = added.created;
  arrivals_.push_back(added.immutable_id);
  return added;
}

GraphMail* GraphMailbox::find(const std::string& id, bool immutable) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  return found->second->immutable_id == id && !immutable ? nullptr : found->second;
}

void GraphMailbox::remove(const GraphMail& mail) {
  by_id_.erase(mail.id);
  by_id_.erase(mail.immutable_id);
  std::erase(leaving_, &mail);
  mails_.remove_if([&](const GraphMail& one) { return &one == &mail; });
}

std::vector<GraphMail*> GraphMailbox::search(std::optional<GraphFolder> folder, const GraphFilter& filter) {
  std::vector<GraphMail*> found;
  const auto message_id = filter.comparisons.find("internetMessageId eq");
  for (GraphMail& mail : mails_) {
    if (folder && mail.folder != *folder) continue;
    // A property's value is compared without case, as Exchange does.
    const bool fits =
        !filter.property_id.empty()
            ? same_but_for_case(extended_property(mail, filter.property_id), filter.property_value)
            : message_id != filter.comparisons.end() && mail.internet_message_id == message_id->second;
    if (fits) found.push_back(&mail);
  }
  return found;
}

SentMail GraphMailbox::as_sent(const GraphMail& mail) const {
  SentMail sent{.mailbox = address_,
                .eilbote_id = eilbote_id(mail),
                .internet_message_id = mail.internet_message_id,
                .subject = text_member(mail.message, "subject"),
                .to = recipients(mail.message, "toRecipients"),
                .cc = recipients(mail.message, "ccRecipients"),
                .bcc = recipients(mail.message, "bccRecipients"),
                .attachments = mail.attachments,
                .body_type = {},
                .body = {},
                .mime = mail.mime};
  if (const json::value* body = mail.message.if_contains("body"); body != nullptr && body->is_object()) {
    sent.body_type = ascii_lower(text_member(body->get_object(), "contentType"));
    sent.body = text_member(body->get_object(), "content");
  }
  return sent;
}

void GraphMailbox::send(GraphMail& mail, std::chrono::milliseconds delay) {
  mail.sent = now();
  if (!mail.leaves_at) leaving_.push_back(&mail);
  mail.leaves_at = SteadyClock::now() + delay;
  settle();
}

void GraphMailbox::settle() {
  const auto time = SteadyClock::now();
  std::erase_if(leaving_, [&](GraphMail* mail) {
    if (*mail->leaves_at > time) return false;
    mail->leaves_at.reset();
    mail->is_draft = false;
    mail->folder = GraphFolder::sent_items;
    rename(*mail);
    return true;
  });
}

std::vector<const GraphMail*> GraphMailbox::folder(GraphFolder folder) const {
  std::vector<const GraphMail*> all;
  for (const GraphMail& mail : mails_)
    if (mail.folder == folder) all.push_back(&mail);
  return all;
}

json::object GraphMailbox::shown(const GraphMail& mail, const GraphRequest& request) const {
  json::object all = mail.message;
  all.erase("singleValueExtendedProperties");  // only when asked for
  if (!request.query.contains("$select")) all.erase("internetMessageHeaders");
  all["@odata.etag"] = "W/\"CQAAABYAAAC\"";
  all["id"] = mail.id_as(request.wants_immutable_ids());
  all["changeKey"] = "CQAAABYAAAC";
  all["createdDateTime"] = to_rfc3339(mail.created);
  all["receivedDateTime"] = to_rfc3339(mail.created);
  all["sentDateTime"] = to_rfc3339(mail.sent.value_or(mail.created));
  all["hasAttachments"] = !mail.attachments.empty();
  all["internetMessageId"] = mail.internet_message_id;
  all["isDraft"] = mail.is_draft;
  all["parentFolderId"] = fmt::format("AQMkAGFolder-{}", kFolderNames[static_cast<int>(mail.folder)]);
  if (const std::string id = expanded_property(request); !id.empty())
    if (const std::string value = extended_property(mail, id); !value.empty())
      all["singleValueExtendedProperties"].emplace_array().push_back(
          json::object{{"id", id}, {"value", value}});
  return selected(all, request);
}

}  // namespace eilbote::test
