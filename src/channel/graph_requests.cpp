#include "channel/graph_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

#include "base/ascii.h"
#include "base/url_escape.h"
#include "domain/json_members.h"
#include "domain/tsid.h"

namespace eilbote::graph {
namespace {

namespace json = boost::json;

constexpr std::size_t kBatchBodyMax = 64 * 1024;  // larger ones would slow the others of their batch
constexpr std::size_t kSearchBytesMax = 1024 * 1024;
constexpr const char* kJsonType = "application/json";

GraphCall call_of(const char* method, const std::string& mailbox, const std::string& below) {
  GraphCall call;
  call.method = method;
  call.path = "/users/" + url_escaped(mailbox) + below;
  call.mailbox = mailbox;
  return call;
}

void set_body(GraphCall& call, const char* type, std::string body) {
  call.headers.emplace_back("Content-Type", type);
  call.may_batch = type == kJsonType && body.size() <= kBatchBodyMax;
  call.body = std::move(body);
}

std::string message_path(const std::string& id) {
  return "/messages/" + url_escaped(id);
}

GraphCall search(const std::string& mailbox, std::string_view folder, const std::string& filter) {
  GraphCall call = call_of(
      "GET", mailbox,
      fmt::format(
          "/mailFolders/{}/messages?$filter={}&$top=20&$select=id,internetMessageId,isDraft,toRecipients,"
          "ccRecipients,bccRecipients",
          folder, url_escaped(filter)));
  call.may_batch = true;
  call.response_bytes_max = kSearchBytesMax;
  return call;
}

// A quote inside a text of OData is written twice.
std::string odata_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

void add_addresses(const json::object& object, std::string_view member, std::vector<std::string>& into) {
  const json::value* list = object.if_contains(member);
  if (list == nullptr || !list->is_array()) return;
  for (const json::value& one : list->get_array())
    into.push_back(ascii_lower(text_at(one, {"emailAddress", "address"})));
}

std::optional<Item> item_of(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  const json::object& object = value.get_object();
  Item item;
  item.id = text_in(object, "id");
  item.internet_message_id = text_in(object, "internetMessageId");
  const json::value* is_draft = object.if_contains("isDraft");
  if (is_draft != nullptr && is_draft->is_bool()) item.is_draft = is_draft->get_bool();
  for (const std::string_view member : {"toRecipients", "ccRecipients", "bccRecipients"})
    add_addresses(object, member, item.recipients);
  std::sort(item.recipients.begin(), item.recipients.end());
  if (item.id.empty()) return std::nullopt;
  return item;
}

}  // namespace

GraphFacts facts_of(const GraphAnswer& answer) {
  return {answer.fault,        answer.status,        answer.code,       answer.text,
          answer.token_failed, answer.configuration, answer.retry_after};
}

GraphCall create_draft(const std::string& mailbox, bool is_mime, std::string body) {
  GraphCall call = call_of("POST", mailbox, "/messages");
  set_body(call, is_mime ? "text/plain" : kJsonType, std::move(body));
  // The answer repeats the message: what is asked for is at its start, but a JSON text cannot be cut.
  call.response_bytes_max = 8 * 1024 * 1024;
  return call;
}

GraphCall mark_draft(const std::string& mailbox, const std::string& draft, JobId mail) {
  GraphCall call = call_of("PATCH", mailbox, message_path(draft));
  set_body(call, kJsonType, graph_mark_json(mail));
  call.response_bytes_max = kSearchBytesMax;
  return call;
}

GraphCall send_draft(const std::string& mailbox, const std::string& draft) {
  GraphCall call = call_of("POST", mailbox, message_path(draft) + "/send");
  call.may_batch = true;
  return call;
}

GraphCall remove_draft(const std::string& mailbox, const std::string& draft) {
  GraphCall call = call_of("DELETE", mailbox, message_path(draft));
  call.may_batch = true;
  return call;
}

GraphCall look_at(const std::string& mailbox, const std::string& draft) {
  GraphCall call =
      call_of("GET", mailbox, message_path(draft) + "?$select=id,isDraft,internetMessageId,parentFolderId");
  call.may_batch = true;
  return call;
}

GraphCall send_mail(const std::string& mailbox, std::string_view message_json) {
  GraphCall call = call_of("POST", mailbox, "/sendMail");
  set_body(call, kJsonType, graph_sendmail_json(message_json));
  return call;
}

GraphCall search_mark(const std::string& mailbox, std::string_view folder, JobId mail) {
  return search(mailbox, folder,
                fmt::format("singleValueExtendedProperties/Any(ep: ep/id eq {} and ep/value eq {})",
                            odata_text(kGraphMark), odata_text(to_text(mail))));
}

GraphCall search_message_id(const std::string& mailbox, std::string_view folder,
                            const std::string& internet_message_id) {
  return search(mailbox, folder, "internetMessageId eq " + odata_text(internet_message_id));
}

GraphCall attach(const std::string& mailbox, const std::string& draft, std::string attachment_json) {
  GraphCall call = call_of("POST", mailbox, message_path(draft) + "/attachments");
  set_body(call, kJsonType, std::move(attachment_json));
  call.response_bytes_max = 8 * 1024 * 1024;  // it repeats the attachment
  return call;
}

GraphCall open_upload(const std::string& mailbox, const std::string& draft, std::string upload_json) {
  GraphCall call = call_of("POST", mailbox, message_path(draft) + "/attachments/createUploadSession");
  set_body(call, kJsonType, std::move(upload_json));
  return call;
}

GraphCall upload_piece(const std::string& mailbox, const std::string& url, std::string_view piece,
                       std::size_t offset, std::size_t total) {
  GraphCall call;
  call.method = "PUT";
  call.path = url;
  call.mailbox = mailbox;
  call.with_token = false;  // its own is in the URL
  call.headers = {{"Content-Type", "application/octet-stream"},
                  {"Content-Range", fmt::format("bytes {}-{}/{}", offset, offset + piece.size() - 1, total)}};
  call.body = std::string(piece);
  return call;
}

GraphCall ask_upload(const std::string& mailbox, const std::string& url) {
  GraphCall call;
  call.path = url;
  call.mailbox = mailbox;
  call.with_token = false;
  return call;
}

GraphCall probe_mailbox(const std::string& mailbox) {
  return call_of("GET", mailbox, fmt::format("/mailFolders/{}?$select=id", kDrafts));
}

std::optional<Item> read_item(std::string_view body) {
  return item_of(parse_json(body));
}

std::optional<std::vector<Item>> read_items(std::string_view body) {
  const json::value answer = parse_json(body);
  std::vector<Item> items;
  const json::value* list = member_at(answer, {"value"});
  if (list == nullptr || !list->is_array()) return std::nullopt;
  if (list->get_array().empty() && member_at(answer, {"@odata.nextLink"}) != nullptr) return std::nullopt;
  for (const json::value& one : list->get_array())
    if (auto item = item_of(one)) items.push_back(std::move(*item));
  return items;
}

Upload read_upload(std::string_view body) {
  const json::value answer = parse_json(body);
  Upload upload;
  upload.url = text_at(answer, {"uploadUrl"});
  const json::value* ranges = member_at(answer, {"nextExpectedRanges"});
  if (ranges == nullptr || !ranges->is_array() || ranges->get_array().empty()) return upload;
  const std::string first = as_text(ranges->get_array().front());  // "327680-" or "327680-655359"
  std::size_t next = 0;
  const auto [end, trouble] = std::from_chars(first.data(), first.data() + first.size(), next);
  if (trouble == std::errc{} && end != first.data()) upload.next = next;
  return upload;
}

}  // namespace eilbote::graph
