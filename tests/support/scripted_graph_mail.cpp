// Drafts, attachments, upload sessions, send and sendMail of the scripted tenant. All under its lock.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <regex>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/url_escape.h"
#include "support/private_texts.h"
#include "support/scripted_graph.h"

namespace eilbote::test {
namespace {

namespace json = boost::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMegabyte = 1024 * 1024;
constexpr std::size_t kUploadMin = 3 * kMegabyte, kUploadMax = 150 * kMegabyte, kChunkMax = 4 * kMegabyte;
constexpr std::size_t kRecipientsMax = 500, kHeadersMax = 5;
constexpr std::chrono::minutes kSendWindow{1};
// The client counts when a request leaves, the tenant when it comes: a minute of the one may be a little less for the other.
constexpr std::chrono::milliseconds kOnTheWay{500};

const json::array* array_member(const json::object& object, const char* name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_array() ? &found->get_array() : nullptr;
}

std::optional<GraphAttachment> read_attachment(const json::object& said) {
  if (text_member(said, "@odata.type") != "#microsoft.graph.fileAttachment") return std::nullopt;
  auto bytes = base64_decode(text_member(said, "contentBytes"));
  if (!bytes || text_member(said, "name").empty()) return std::nullopt;
  const json::value* is_inline = said.if_contains("isInline");
  return GraphAttachment{.id = {},
                         .name = text_member(said, "name"),
                         .type = text_member(said, "contentType"),
                         .content_id = text_member(said, "contentId"),
                         .is_inline = is_inline != nullptr && *is_inline == json::value(true),
                         .bytes = std::move(*bytes)};
}

json::object shown(const GraphAttachment& attachment) {
  return {{"@odata.type", "#microsoft.graph.fileAttachment"},
          {"id", attachment.id},
          {"name", attachment.name},
          {"contentType", attachment.type},
          {"size", attachment.bytes.size()},
          {"isInline", attachment.is_inline}};
}

// What Graph refuses of a message in JSON; nothing: it is taken.
std::optional<GraphReply> refusal(const json::object& message) {
  std::size_t recipients = 0;
  for (const char* member : {"toRecipients", "ccRecipients", "bccRecipients"})
    if (const json::array* all = array_member(message, member)) recipients += all->size();
  if (recipients > kRecipientsMax) return graph_error(400, "ErrorInvalidRecipients", "Too many recipients.");
  const json::array* headers = array_member(message, "internetMessageHeaders");
  if (headers == nullptr) return std::nullopt;
  if (headers->size() > kHeadersMax)
    return graph_error(400, "InvalidInternetMessageHeaderCollection",
                       "Maximum number of headers in one message should be less than or equal to 5.");
  for (const json::value& one : *headers)
    if (!one.is_object() || !ascii_lower(text_member(one.get_object(), "name")).starts_with("x-"))
      return graph_error(400, "InvalidInternetMessageHeader", "The name of a header should start with x-.");
  return std::nullopt;
}

// The text of a MIME request: base64, which may be in lines.
std::optional<std::string> mime_in(const GraphRequest& request) {
  std::string text = request.body;
  std::erase_if(text, [](char c) { return c == '\r' || c == '\n'; });
  auto mime = base64_decode(text);
  return mime && !mime->empty() ? mime : std::nullopt;
}

bool is_mime(const GraphRequest& request) {
  return ascii_lower(request.header("content-type")).starts_with("text/plain");
}

// False when one of them is none.
bool take_attachments(GraphMail& mail, const json::object& message) {
  const json::array* all = array_member(message, "attachments");
  if (all == nullptr) return true;
  for (const json::value& one : *all) {
    auto attachment = one.is_object() ? read_attachment(one.get_object()) : std::nullopt;
    if (!attachment) return false;
    attachment->id = fmt::format("{}-att-{}", mail.immutable_id, mail.attachments.size());
    mail.attachments.push_back(std::move(*attachment));
  }
  return true;
}

}  // namespace

GraphReply ScriptedGraph::users(const GraphRequest& request) {
  const auto found = mailboxes_.find(request.mailbox());
  if (found == mailboxes_.end())
    return graph_error(404, "ErrorInvalidUser", "The requested user is invalid.");
  GraphMailbox& box = found->second;
  const auto& path = request.path;
  const std::string what = path.size() > 2 ? path[2] : "";
  if (what == "sendMail" && request.method == "POST") return send_mail(box, request);
  if (what == "messages") return messages(box, request);
  if (what == "mailFolders" && path.size() == 4 && request.method == "GET" && graph_folder(path[3]))
    return graph_answer(200, {{"id", "AQMkAGFolder-" + ascii_lower(path[3])}});
  if (what == "mailFolders" && path.size() > 4 && path[4] == "messages" && request.method == "GET") {
    const auto folder = graph_folder(path[3]);
    if (!folder) return graph_error(404, "ErrorItemNotFound", "There is no such folder.");
    return path.back() == "delta" ? delta(box, request) : search(box, folder, request);
  }
  violations_.push_back("nobody knows " + request.method + " " + request.target);
  return graph_error(400, "BadRequest", "Resource not found for the segment.");
}

GraphReply ScriptedGraph::messages(GraphMailbox& box, const GraphRequest& request) {
  if (request.path.size() == 3) {
    if (request.method == "POST") return create(box, request);
    if (request.method == "GET") return search(box, std::nullopt, request);
    return graph_error(405, "BadRequest");
  }
  const std::string& id = request.path[3];
  if (!request.wants_immutable_ids() && box.find(id, true) != box.find(id, false))
    violations_.push_back("an immutable id in a request that does not prefer them: " + request.target);
  GraphMail* mail = box.find(id, request.wants_immutable_ids());
  if (mail == nullptr)
    return graph_error(404, "ErrorItemNotFound", "The specified object was not found in the store.");
  return message(box, *mail, request);
}

GraphReply ScriptedGraph::message(GraphMailbox& box, GraphMail& mail, const GraphRequest& request) {
  const std::string what = request.path.size() > 4 ? request.path[4] : "";
  if (what == "send" && request.method == "POST") return send(box, mail);
  if (what == "attachments") return attachments(box, mail, request);
  // Microsoft's OpenAPI says octets; the service itself says text.
  if (what == "$value") return {.status = 200, .type = "application/octet-stream", .body = mail.mime};
  if (request.method == "GET") return graph_answer(200, box.shown(mail, request));
  if (request.method == "DELETE") {
    box.remove(mail);
    return graph_nothing(204);
  }
  const auto changes = json_object(request.body);
  if (request.method != "PATCH" || !changes) return graph_error(400, "RequestBodyRead");
  if (!mail.is_draft && changes->contains("internetMessageId"))
    return graph_error(400, "ErrorInvalidPropertySet", "It was sent already.");
  change(mail, *changes);
  return graph_answer(200, box.shown(mail, request));
}

GraphReply ScriptedGraph::create(GraphMailbox& box, const GraphRequest& request) {
  if (is_mime(request)) {
    const auto mime = mime_in(request);
    if (!mime) return graph_error(400, "ErrorMimeContentInvalidBase64String");
    return graph_answer(201, box.shown(box.add_mime_draft(*mime, options_.own_message_ids), request));
  }
  const auto message = json_object(request.body);
  if (!message || message->contains("message")) return graph_error(400, "RequestBodyRead");
  if (auto refused = refusal(*message)) return *refused;
  GraphMail& mail = box.add_draft(*message, options_.own_message_ids);
  if (!take_attachments(mail, *message)) {
    box.remove(mail);
    return graph_error(400, "RequestBodyRead", "An attachment cannot be read.");
  }
  return graph_answer(201, box.shown(mail, request));
}

GraphReply ScriptedGraph::search(GraphMailbox& box, std::optional<GraphFolder> folder,
                                 const GraphRequest& request) {
  const auto text = request.query.find("$filter");
  const auto filter = text == request.query.end() ? std::nullopt : read_graph_filter(text->second);
  if (!filter) {
    violations_.push_back("a list without a filter that can be read: " + request.target);
    return graph_error(400, "ErrorInvalidUrlQueryFilter",
                       "The query filter contains one or more invalid nodes.");
  }
  json::array found;
  for (const GraphMail* mail : box.search(folder, *filter))
    found.push_back(box.shown(*mail, request));
  return graph_answer(200, {{"@odata.context", "$metadata#messages"}, {"value", std::move(found)}});
}

std::optional<GraphReply> ScriptedGraph::count_send(const std::string& mailbox) {
  const auto now = SteadyClock::now();
  auto& times = sends_[mailbox];
  while (!times.empty() && times.front() <= now - kSendWindow + kOnTheWay)
    times.pop_front();
  times.push_back(now);
  const int sends = static_cast<int>(times.size());
  most_sends_[mailbox] = std::max(most_sends_[mailbox], sends);
  if (sends <= options_.sends_per_minute) return std::nullopt;
  violations_.push_back(fmt::format("{} sends {} mails within a minute", mailbox, sends));
  GraphReply reply = graph_error(429, "ErrorExceededMessageLimit", "The message limit was exceeded.");
  reply.headers.emplace_back("Retry-After", "1");
  return reply;
}

GraphReply ScriptedGraph::send(GraphMailbox& box, GraphMail& mail) {
  // Of a mail that is in Sent Items already there is no draft any more.
  if (!mail.is_draft)
    return graph_error(404, "ErrorItemNotFound", "The specified object was not found in the store.");
  if (auto refused = count_send(box.address())) return *refused;
  SentMail sent = box.as_sent(mail);
  if (sent.to.empty() && sent.cc.empty() && sent.bcc.empty())
    return graph_error(400, "ErrorInvalidRecipients", "At least one recipient is not valid.");
  if (mail.leaves_at)
    violations_.push_back("a draft that is just leaving is sent again: " + mail.immutable_id);
  box.send(mail, options_.leaves_after);
  sent_.push_back(std::move(sent));
  return graph_nothing(202);
}

GraphReply ScriptedGraph::send_mail(GraphMailbox& box, const GraphRequest& request) {
  GraphMail* mail = nullptr;
  bool keep = true;
  if (is_mime(request)) {
    const auto mime = mime_in(request);
    if (!mime) return graph_error(400, "ErrorMimeContentInvalidBase64String");
    mail = &box.add_mime_draft(*mime, options_.own_message_ids);
  } else {
    const auto body = json_object(request.body);
    const json::value* message = body ? body->if_contains("message") : nullptr;
    if (message == nullptr || !message->is_object()) return graph_error(400, "RequestBodyRead");
    if (auto refused = refusal(message->get_object())) return *refused;
    const json::value* saved = body->if_contains("saveToSentItems");
    keep = saved == nullptr || *saved != json::value(false);
    mail = &box.add_draft(message->get_object(), options_.own_message_ids);
    if (!take_attachments(*mail, message->get_object())) {
      box.remove(*mail);
      return graph_error(400, "RequestBodyRead", "An attachment cannot be read.");
    }
  }
  if (auto refused = count_send(box.address())) {
    box.remove(*mail);
    return *refused;
  }
  SentMail sent = box.as_sent(*mail);
  box.send(*mail, options_.leaves_after);
  sent.one_phase = true;
  sent_.push_back(std::move(sent));
  if (!keep) box.remove(*mail);
  return graph_nothing(202);
}

GraphReply ScriptedGraph::attachments(GraphMailbox& box, GraphMail& mail, const GraphRequest& request) {
  if (request.path.back() == "createUploadSession" && request.method == "POST")
    return open_upload(box, mail, request);
  if (request.path.size() == 6 && request.method == "DELETE") {
    const auto gone = std::erase_if(mail.attachments,
                                    [&](const GraphAttachment& one) { return one.id == request.path[5]; });
    return gone > 0 ? graph_nothing(204) : graph_error(404, "ErrorItemNotFound");
  }
  if (request.method == "GET") {
    json::array all;
    for (const GraphAttachment& one : mail.attachments)
      all.push_back(selected(shown(one), request));
    return graph_answer(200, {{"value", std::move(all)}});
  }
  const auto said = json_object(request.body);
  auto attachment = said ? read_attachment(*said) : std::nullopt;
  if (!attachment) return graph_error(400, "RequestBodyRead", "The attachment cannot be read.");
  if (attachment->bytes.size() >= kUploadMin) return graph_error(413, "RequestEntityTooLarge");
  attachment->id = fmt::format("{}-att-{}", mail.immutable_id, mail.attachments.size());
  mail.attachments.push_back(std::move(*attachment));
  return graph_answer(201, shown(mail.attachments.back()));
}

GraphReply ScriptedGraph::open_upload(GraphMailbox& box, GraphMail& mail, const GraphRequest& request) {
  const auto body = json_object(request.body);
  const json::value* said = body ? body->if_contains("AttachmentItem") : nullptr;
  const json::object* item = said != nullptr ? said->if_object() : nullptr;
  const json::value* size = item != nullptr ? item->if_contains("size") : nullptr;
  if (size == nullptr || !size->is_number() || text_member(*item, "attachmentType") != "file" ||
      text_member(*item, "name").empty())
    return graph_error(400, "RequestBodyRead", "AttachmentItem has an attachmentType, a name and a size.");
  const auto bytes = size->to_number<std::size_t>();
  if (bytes < kUploadMin) return graph_error(400, "ErrorAttachmentSizeShouldNotBeLessThanMinimumSize");
  if (bytes > kUploadMax) return graph_error(413, "ErrorAttachmentSizeLimitExceeded");
  const json::value* is_inline = item->if_contains("isInline");
  const std::string token = fmt::format("upload-session-secret-{}", ++uploads_made_);
  uploads_[token] = {.mailbox = box.address(),
                     .message_id = mail.immutable_id,
                     .attachment = {.id = {},
                                    .name = text_member(*item, "name"),
                                    .type = text_member(*item, "contentType"),
                                    .content_id = text_member(*item, "contentId"),
                                    .is_inline = is_inline != nullptr && *is_inline == json::value(true),
                                    .bytes = {}},
                     .size = bytes};
  return graph_answer(
      201, {{"uploadUrl", fmt::format("http://127.0.0.1:{}/outlook/api/v2.0/Users('{}')/Messages('{}')/"
                                      "AttachmentSessions('{}')?authtoken={}",
                                      http_.port(), url_escaped(box.address()),
                                      url_escaped(mail.immutable_id), uploads_made_, token)},
            {"expirationDateTime", "2099-01-01T00:00:00Z"},
            {"nextExpectedRanges", json::array{"0-"}}});
}

GraphReply ScriptedGraph::upload(const GraphRequest& request) {
  if (!request.header("authorization").empty()) {
    violations_.push_back("an upload URL was given a token of the tenant");
    return graph_error(401, "InvalidAuthenticationToken");
  }
  const auto token = request.query.find("authtoken");
  if (token == request.query.end() || !uploads_.contains(token->second))
    return graph_error(404, "ErrorItemNotFound", "The upload session was not found.");
  if (request.method == "DELETE") {
    uploads_.erase(token->second);
    return graph_nothing(204);
  }
  if (request.method == "PUT") return take_chunk(token->second, request);
  const Upload& open = uploads_.at(token->second);
  return graph_answer(200,
                      {{"expirationDateTime", "2099-01-01T00:00:00Z"},
                       {"nextExpectedRanges", json::array{std::to_string(open.attachment.bytes.size())}}});
}

GraphReply ScriptedGraph::take_chunk(const std::string& token, const GraphRequest& request) {
  static const std::regex kRange(R"(^bytes (\d+)-(\d+)/(\d+)$)");
  PrivateTexts::of_this_test().note_secret(
      token);  // not before: the answer that hands it out is searched, too
  Upload& open = uploads_.at(token);
  std::smatch range;
  const std::string said = request.header("content-range");
  if (!std::regex_match(said, range, kRange)) {
    violations_.push_back("a chunk without a Content-Range: " + said);
    return graph_error(400, "ErrorInvalidContentRange");
  }
  const std::size_t from = std::stoul(range[1]), to = std::stoul(range[2]), total = std::stoul(range[3]);
  if (to < from || to - from + 1 != request.body.size() || total != open.size ||
      request.body.size() >= kChunkMax) {
    violations_.push_back("a chunk that is not what its Content-Range says, or too large: " + said);
    return graph_error(400, "ErrorInvalidContentRange");
  }
  std::string& bytes = open.attachment.bytes;
  if (from != bytes.size())
    return graph_error(416, "ErrorUploadRangeNotExpected", fmt::format("Expected from {}.", bytes.size()));
  bytes += request.body;
  // For Outlook "a single value {start}", not a range.
  if (bytes.size() < open.size)
    return graph_answer(200, {{"expirationDateTime", "2099-01-01T00:00:00Z"},
                              {"nextExpectedRanges", json::array{std::to_string(bytes.size())}}});
  GraphMail* mail = mailboxes_.at(open.mailbox).find(open.message_id, true);
  if (mail == nullptr) return graph_error(404, "ErrorItemNotFound");
  open.attachment.id = fmt::format("{}-att-{}", mail->immutable_id, mail->attachments.size());
  const std::string location =
      fmt::format("{}/users/{}/messages/{}/attachments/{}", base_url(), url_escaped(open.mailbox),
                  url_escaped(open.message_id), url_escaped(open.attachment.id));
  mail->attachments.push_back(std::move(open.attachment));
  uploads_.erase(token);
  GraphReply reply = graph_nothing(201);
  reply.headers.emplace_back("Location", location);
  return reply;
}

}  // namespace eilbote::test
