#include "domain/graph_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "base/ascii.h"
#include "base/base64.h"
#include "domain/address.h"
#include "domain/dsn.h"
#include "domain/frozen_mail.h"
#include "domain/html_text.h"
#include "domain/mime.h"
#include "domain/mime_body.h"
#include "domain/mime_header.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// What an attachment costs beside its bytes: names, quotes, headers.
constexpr std::size_t kPerAttachment = 1024;

// "" for what is no address.
std::string wire_address(std::string_view address) {
  const auto parsed = parse_address(address);
  return parsed ? parsed->wire() : "";
}

// Whom the mail still goes to, by kind, with the names that its header gives them.
struct Addressees {
  std::vector<Mailbox> to, cc, bcc;
  bool all_wait = true;
};

std::optional<Addressees> addressees_of(const GraphSource& source, const Mail& mail) {
  std::map<std::string, std::string> names;
  for (const auto* boxes : {&mail.to, &mail.cc})
    for (const Mailbox& box : *boxes)
      names.emplace(ascii_lower(wire_address(box.address)), box.name);
  Addressees all;
  for (const Recipient& recipient : source.recipients) {
    if (recipient.status != RecipientStatus::waiting) {
      all.all_wait = false;
      continue;
    }
    const std::string address = wire_address(recipient.address);
    if (address.empty()) return std::nullopt;
    const auto name = names.find(ascii_lower(address));
    auto& list = recipient.kind == RecipientKind::to   ? all.to
                 : recipient.kind == RecipientKind::cc ? all.cc
                                                       : all.bcc;
    list.push_back({address, name == names.end() ? "" : name->second});
  }
  return all;
}

std::vector<std::string> sorted_addresses(const Addressees& whom) {
  std::vector<std::string> all;
  for (const auto* boxes : {&whom.to, &whom.cc, &whom.bcc})
    for (const Mailbox& box : *boxes)
      all.push_back(ascii_lower(box.address));
  std::sort(all.begin(), all.end());
  return all;
}

// ---- which form ----

// The text as it was before it was written as a part: without CR, and without the line end that every part gets.
std::string plain_lines(std::string text) {
  std::erase(text, '\r');
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

bool has_text_of_its_own(const Mail& mail) {
  if (mail.text.empty() || mail.html.empty()) return false;
  // The html lost its line ends on the way, too; deriving from what is left gives the same words.
  return plain_lines(mail.text) != plain_lines(mime::text_of_html(mail.html));
}

std::optional<std::string> importance_of(const std::pair<std::string, std::string>& header) {
  if (!same_but_for_case(header.first, "importance")) return std::nullopt;
  const std::string value = ascii_lower(trimmed(header.second));
  if (value == "high" || value == "low" || value == "normal") return value;
  return std::nullopt;
}

bool json_carries(const std::vector<std::pair<std::string, std::string>>& headers) {
  std::size_t count = 1;  // our own
  for (const auto& header : headers) {
    if (importance_of(header)) continue;
    if (!ascii_lower(header.first).starts_with("x-") || header.second.size() > kGraphHeaderValueMax)
      return false;
    ++count;
  }
  return count <= kGraphHeadersMax;
}

// ---- JSON ----

json::object recipient_json(const Mailbox& box) {
  json::object address{{"address", box.address}};
  if (!box.name.empty()) address["name"] = box.name;
  return {{"emailAddress", std::move(address)}};
}

void set_recipients(json::object& message, std::string_view member, const std::vector<Mailbox>& boxes) {
  if (boxes.empty()) return;
  json::array list;
  for (const Mailbox& box : boxes)
    list.push_back(recipient_json(box));
  message[member] = std::move(list);
}

json::array mark_of(JobId id) {
  return {json::object{{"id", kGraphMark}, {"value", to_text(id)}}};
}

json::object attachment_object(const Attachment& file) {
  json::object object{{"@odata.type", "#microsoft.graph.fileAttachment"},
                      {"name", file.name.empty() ? "attachment" : file.name},
                      {"contentBytes", base64_encode(file.content)}};
  if (!file.content_type.empty()) object["contentType"] = file.content_type;
  if (file.is_inline) object["isInline"] = true;
  if (!file.content_id.empty()) object["contentId"] = file.content_id;
  return object;
}

json::object message_object(const FrozenMail& frozen, const Addressees& whom, JobId id) {
  const Mail& mail = frozen.mail;
  json::object message;
  message["subject"] = mail.subject;
  const bool is_html = !mail.html.empty();
  message["body"] =
      json::object{{"contentType", is_html ? "html" : "text"}, {"content", is_html ? mail.html : mail.text}};
  message["from"] = recipient_json({wire_address(mail.from.address), mail.from.name});
  set_recipients(message, "toRecipients", whom.to);
  set_recipients(message, "ccRecipients", whom.cc);
  set_recipients(message, "bccRecipients", whom.bcc);
  set_recipients(message, "replyTo", mail.reply_to);
  if (!frozen.message_id.empty()) message["internetMessageId"] = frozen.message_id;
  json::array headers{json::object{{"name", kJobIdHeader}, {"value", to_text(id)}}};
  for (const auto& header : mail.headers) {
    if (const auto importance = importance_of(header))
      message["importance"] = *importance;
    else if (!same_but_for_case(header.first,
                                kJobIdHeader))  // a name may stand there once, and this one is ours
      headers.push_back(json::object{{"name", header.first}, {"value", header.second}});
  }
  message["internetMessageHeaders"] = std::move(headers);
  message["singleValueExtendedProperties"] = mark_of(id);
  return message;
}

std::size_t base64_size(std::size_t bytes) {
  return (bytes + 2) / 3 * 4;
}

void write_json(const GraphSource& source, FrozenMail& frozen, const Addressees& whom, GraphMessage& out) {
  json::object message = message_object(frozen, whom, source.id);
  std::size_t size = json::serialize(message).size();
  json::array inside;
  for (Attachment& file : frozen.mail.attachments) {
    const std::size_t cost = base64_size(file.content.size()) + kPerAttachment;
    if (size + cost > kGraphRequestBytesMax) {
      out.later.push_back(std::move(file));
      continue;
    }
    size += cost;
    inside.push_back(attachment_object(file));
    file.content.clear();
  }
  if (!inside.empty()) message["attachments"] = std::move(inside);
  out.body = json::serialize(message);
}

// ---- MIME ----

// Base64 of base64, and the line ends of the inner one.
std::size_t mime_cost(std::size_t bytes) {
  return base64_size(base64_size(bytes) * 78 / 76);
}

// Takes out of the mail what makes the request too large.
void move_attachments_out(Mail& mail, std::size_t mime_size, std::vector<Attachment>& later) {
  std::size_t size = base64_size(mime_size);
  std::vector<Attachment> kept;
  // From the last: what is first in the mail stays in it.
  while (!mail.attachments.empty()) {
    Attachment file = std::move(mail.attachments.back());
    mail.attachments.pop_back();
    if (size > kGraphRequestBytesMax) {
      size -= std::min(size, mime_cost(file.content.size()));
      later.push_back(std::move(file));
    } else {
      kept.push_back(std::move(file));
    }
  }
  std::reverse(kept.begin(), kept.end());
  std::reverse(later.begin(), later.end());
  mail.attachments = std::move(kept);
}

MimeStamp stamp_of(const FrozenMail& frozen, JobId id) {
  const std::size_t at = frozen.message_id.rfind('@');
  std::string domain;
  if (at != std::string::npos) domain = frozen.message_id.substr(at + 1, frozen.message_id.size() - at - 2);
  return {id, frozen.date, std::move(domain)};
}

void write_mime_form(const GraphSource& source, FrozenMail& frozen, const Addressees& whom,
                     GraphMessage& out) {
  std::string head;
  mime::append_mailbox_header(head, "Bcc", whom.bcc);
  mime::append_text_header(head, kJobIdHeader, to_text(source.id));
  const std::size_t size = head.size() + source.mime.size();
  out.is_mime = true;
  if (whom.all_wait && base64_size(size) <= kGraphRequestBytesMax) {
    out.body = base64_encode(head + std::string(source.mime));
    return;
  }
  frozen.mail.to = whom.to;
  frozen.mail.cc = whom.cc;
  move_attachments_out(frozen.mail, size, out.later);
  out.body = base64_encode(head + write_mime(frozen.mail, stamp_of(frozen, source.id)));
}

}  // namespace

std::optional<GraphMessage> make_graph_message(const GraphSource& source) {
  auto frozen = read_frozen_mail(source.mime);
  GraphMessage message;
  message.mailbox = wire_address(source.sender);
  if (!frozen || message.mailbox.empty()) return std::nullopt;
  const auto whom = addressees_of(source, frozen->mail);
  if (!whom) return std::nullopt;
  message.recipients = sorted_addresses(*whom);
  message.internet_message_id = frozen->message_id;
  if (has_text_of_its_own(frozen->mail) || !json_carries(frozen->mail.headers))
    write_mime_form(source, *frozen, *whom, message);
  else
    write_json(source, *frozen, *whom, message);
  return message;
}

std::string graph_sendmail_json(std::string_view message_json) {
  return fmt::format(R"({{"message":{},"saveToSentItems":true}})", message_json);
}

std::string graph_mark_json(JobId id) {
  return json::serialize(json::object{{"singleValueExtendedProperties", mark_of(id)}});
}

std::string graph_attachment_json(const Attachment& file) {
  return json::serialize(attachment_object(file));
}

std::string graph_upload_json(const Attachment& file) {
  json::object item{{"attachmentType", "file"},
                    {"name", file.name.empty() ? "attachment" : file.name},
                    {"size", file.content.size()}};
  if (!file.content_type.empty()) item["contentType"] = file.content_type;
  if (file.is_inline) item["isInline"] = true;
  if (!file.content_id.empty()) item["contentId"] = file.content_id;
  return json::serialize(json::object{{"AttachmentItem", std::move(item)}});
}

}  // namespace eilbote
