#include "domain/frozen_mail.h"

#include <algorithm>
#include <array>
#include <memory>

#include "base/ascii.h"
#include "domain/gmime_objects.h"

namespace eilbote {
namespace {

std::string text_or_nothing(const char* text) {
  return text == nullptr ? "" : text;
}

// GMime 3.2 leaves the folds of a long phrase in the name, where it takes them out of every other header.
std::string without_folds(std::string name) {
  for (std::size_t at = name.find("\r\n"); at != std::string::npos; at = name.find("\r\n", at))
    name.erase(at, 2);
  return name;
}

std::vector<Mailbox> mailboxes_of(InternetAddressList* list) {
  std::vector<Mailbox> boxes;
  for (int i = 0; list != nullptr && i < internet_address_list_length(list); ++i) {
    InternetAddress* one = internet_address_list_get_address(list, i);
    if (!INTERNET_ADDRESS_IS_MAILBOX(one)) continue;  // "undisclosed-recipients:;"
    boxes.push_back({text_or_nothing(internet_address_mailbox_get_idn_addr(
                         reinterpret_cast<InternetAddressMailbox*>(one))),
                     without_folds(text_or_nothing(internet_address_get_name(one)))});
  }
  return boxes;
}

std::string decoded_content(GMimeObject* part) {
  GMimeDataWrapper* content = g_mime_part_get_content(reinterpret_cast<GMimePart*>(part));
  if (content == nullptr) return {};
  const GRef<GMimeStream> memory(g_mime_stream_mem_new());
  g_mime_data_wrapper_write_to_stream(content, memory.get());
  const GByteArray* bytes = g_mime_stream_mem_get_byte_array(reinterpret_cast<GMimeStreamMem*>(memory.get()));
  return {reinterpret_cast<const char*>(bytes->data), bytes->len};
}

std::string mime_type(GMimeObject* part) {
  const GText type(g_mime_content_type_get_mime_type(g_mime_object_get_content_type(part)));
  return type ? ascii_lower(std::string_view(type.get())) : "";
}

// With its parameters, but for the file's name, which is said elsewhere.
std::string whole_content_type(GMimeObject* part) {
  std::string text = mime_type(part);
  GMimeParamList* parameters = g_mime_content_type_get_parameters(g_mime_object_get_content_type(part));
  for (int i = 0; i < g_mime_param_list_length(parameters); ++i) {
    GMimeParam* one = g_mime_param_list_get_parameter_at(parameters, i);
    const std::string name = text_or_nothing(g_mime_param_get_name(one));
    const std::string value = text_or_nothing(g_mime_param_get_value(one));
    const bool is_plain = is_printable_ascii(value) && value.find_first_of("\"\\") == std::string::npos;
    if (!same_but_for_case(name, "name") && is_plain) text += "; " + name + "=\"" + value + "\"";
  }
  return text;
}

void add_leaf(GMimeObject* part, Mail& mail) {
  const char* disposition = g_mime_object_get_disposition(part);
  if (disposition == nullptr) {
    std::string& body = mime_type(part) == "text/html" ? mail.html : mail.text;
    body = decoded_content(part);
    return;
  }
  Attachment file;
  file.name = text_or_nothing(g_mime_part_get_filename(reinterpret_cast<GMimePart*>(part)));
  file.content_type = whole_content_type(part);
  file.content = decoded_content(part);
  file.content_id = text_or_nothing(g_mime_object_get_content_id(part));
  file.is_inline = same_but_for_case(disposition, "inline");
  mail.attachments.push_back(std::move(file));
}

constexpr int kMimeDepthMax = 10;  // mime.cpp writes three levels

void add_parts(GMimeObject* part, Mail& mail, int depth) {
  if (part == nullptr || depth > kMimeDepthMax) return;
  if (GMIME_IS_PART(part)) return add_leaf(part, mail);
  if (!GMIME_IS_MULTIPART(part)) return;
  auto* multipart = reinterpret_cast<GMimeMultipart*>(part);
  for (int i = 0; i < g_mime_multipart_get_count(multipart); ++i)
    add_parts(g_mime_multipart_get_part(multipart, i), mail, depth + 1);
}

// Those that a client asked for: all but what mime.cpp writes of itself.
void add_other_headers(GMimeMessage* message, Mail& mail) {
  constexpr std::array<std::string_view, 8> kOwn{"from",    "to",   "cc",         "reply-to",
                                                 "subject", "date", "message-id", "mime-version"};
  GMimeHeaderList* list = g_mime_object_get_header_list(reinterpret_cast<GMimeObject*>(message));
  for (int i = 0; i < g_mime_header_list_get_count(list); ++i) {
    GMimeHeader* header = g_mime_header_list_get_header_at(list, i);
    const std::string name = text_or_nothing(g_mime_header_get_name(header));
    const std::string lower = ascii_lower(name);
    if (std::find(kOwn.begin(), kOwn.end(), lower) != kOwn.end() || lower.starts_with("content-")) continue;
    mail.headers.emplace_back(name, text_or_nothing(g_mime_header_get_value(header)));
  }
}

}  // namespace

std::optional<FrozenMail> read_frozen_mail(std::string_view mime) {
  start_gmime();
  const GRef<GMimeStream> stream(g_mime_stream_mem_new_with_buffer(mime.data(), mime.size()));
  const GRef<GMimeParser> parser(g_mime_parser_new_with_stream(stream.get()));
  const GRef<GMimeMessage> message(g_mime_parser_construct_message(parser.get(), nullptr));
  if (!message) return std::nullopt;
  FrozenMail frozen;
  const std::vector<Mailbox> from = mailboxes_of(g_mime_message_get_from(message.get()));
  if (from.empty()) return std::nullopt;
  frozen.mail.from = from.front();
  frozen.mail.to = mailboxes_of(g_mime_message_get_to(message.get()));
  frozen.mail.cc = mailboxes_of(g_mime_message_get_cc(message.get()));
  frozen.mail.reply_to = mailboxes_of(g_mime_message_get_reply_to(message.get()));
  frozen.mail.subject = text_or_nothing(g_mime_message_get_subject(message.get()));
  const std::string id = text_or_nothing(g_mime_message_get_message_id(message.get()));
  if (!id.empty()) frozen.message_id = "<" + id + ">";
  if (GDateTime* date = g_mime_message_get_date(message.get()))
    frozen.date = TimePoint{std::chrono::seconds{g_date_time_to_unix(date)}};
  add_other_headers(message.get(), frozen.mail);
  add_parts(g_mime_message_get_mime_part(message.get()), frozen.mail, 0);
  return frozen;
}

}  // namespace eilbote
