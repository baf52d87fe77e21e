#include "support/gmime_reader.h"

#include <fmt/format.h>
#include <gmime/gmime.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace eilbote::test {
namespace {

namespace json = boost::json;

struct Unref {
  void operator()(void* object) const { g_object_unref(object); }
};
struct Free {
  void operator()(void* memory) const { g_free(memory); }
};
struct FreeOptions {
  void operator()(GMimeParserOptions* options) const { g_mime_parser_options_free(options); }
};
template <class T>
using Ref = std::unique_ptr<T, Unref>;
using Text = std::unique_ptr<char, Free>;

std::string text_of(const char* text) {
  return text == nullptr ? "" : text;
}

// GMime 3.2 leaves the folds of a long phrase in the name, where it takes them out of every other header.
std::string unfolded(std::string name) {
  for (std::size_t at = name.find("\r\n "); at != std::string::npos; at = name.find("\r\n ", at))
    name.erase(at, 2);
  return name;
}

json::array boxes(InternetAddressList* list) {
  json::array out;
  for (int i = 0; list != nullptr && i < internet_address_list_length(list); ++i) {
    InternetAddress* one = internet_address_list_get_address(list, i);
    const char* address =
        INTERNET_ADDRESS_IS_MAILBOX(one)
            ? internet_address_mailbox_get_idn_addr(reinterpret_cast<InternetAddressMailbox*>(one))
            : "a group";
    out.push_back(json::array{unfolded(text_of(internet_address_get_name(one))), text_of(address)});
  }
  return out;
}

std::string type_of(GMimeObject* part) {
  const Text type(g_mime_content_type_get_mime_type(g_mime_object_get_content_type(part)));
  return type.get();
}

std::string content_of(GMimeObject* part) {
  const Ref<GMimeStream> memory(g_mime_stream_mem_new());
  g_mime_data_wrapper_write_to_stream(g_mime_part_get_content(reinterpret_cast<GMimePart*>(part)),
                                      memory.get());
  const GByteArray* bytes = g_mime_stream_mem_get_byte_array(reinterpret_cast<GMimeStreamMem*>(memory.get()));
  return {reinterpret_cast<const char*>(bytes->data), bytes->len};
}

// The shape of a part; its leaves are added to `leaves`.
std::string shape_of(GMimeObject* part, std::vector<GMimeObject*>& leaves) {
  if (!GMIME_IS_MULTIPART(part)) {
    leaves.push_back(part);
    return type_of(part);
  }
  auto* multipart = reinterpret_cast<GMimeMultipart*>(part);
  std::string shape = type_of(part).substr(std::string_view("multipart/").size()) + "(";
  for (int i = 0; i < g_mime_multipart_get_count(multipart); ++i)
    shape += (i == 0 ? "" : ", ") + shape_of(g_mime_multipart_get_part(multipart, i), leaves);
  return shape + ")";
}

std::string hex(const std::string& bytes) {
  std::string out;
  for (const char c : bytes)
    out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

json::object attachment(GMimeObject* part) {
  return {{"name", text_of(g_mime_part_get_filename(reinterpret_cast<GMimePart*>(part)))},
          {"type", type_of(part)},
          {"content", hex(content_of(part))},
          {"contentId", text_of(g_mime_object_get_content_id(part))},
          {"inline", std::string_view(g_mime_object_get_disposition(part)) == "inline"}};
}

// Bodies are those without a disposition. Lines end with LF, whatever the machine.
void sort_leaves(const std::vector<GMimeObject*>& leaves, json::object& found) {
  json::array attachments;
  found["text"] = found["html"] = nullptr;
  for (GMimeObject* leaf : leaves) {
    if (g_mime_object_get_disposition(leaf) != nullptr) {
      attachments.push_back(attachment(leaf));
      continue;
    }
    std::string body = content_of(leaf);
    for (std::size_t at = body.find("\r\n"); at != std::string::npos; at = body.find("\r\n", at))
      body.erase(at, 1);
    found[type_of(leaf) == "text/html" ? "html" : "text"] = body;
  }
  found["attachments"] = std::move(attachments);
}

// Every header a client may have asked for: all but those that are read above.
json::object other_headers(GMimeMessage* message) {
  const std::vector<std::string> known{"From",    "To",   "Cc",         "Reply-To",
                                       "Subject", "Date", "Message-ID", "MIME-Version"};
  json::object out;
  GMimeHeaderList* list = g_mime_object_get_header_list(reinterpret_cast<GMimeObject*>(message));
  for (int i = 0; i < g_mime_header_list_get_count(list); ++i) {
    GMimeHeader* header = g_mime_header_list_get_header_at(list, i);
    const std::string name = g_mime_header_get_name(header);
    if (std::find(known.begin(), known.end(), name) == known.end())
      out[name] = text_of(g_mime_header_get_value(header));
  }
  return out;
}

void note_warning(gint64 offset, GMimeParserWarning code, const gchar* item, gpointer warnings) {
  static_cast<json::array*>(warnings)->push_back(
      json::string(fmt::format("{} at {}: {}", static_cast<int>(code), offset, text_of(item))));
}

}  // namespace

json::object read_with_gmime(const std::string& message) {
  static const bool ready = (g_mime_init(), true);
  static_cast<void>(ready);
  json::array warnings;
  const std::unique_ptr<GMimeParserOptions, FreeOptions> options(g_mime_parser_options_new());
  g_mime_parser_options_set_warning_callback(options.get(), note_warning, &warnings);
  const Ref<GMimeStream> stream(g_mime_stream_mem_new_with_buffer(message.data(), message.size()));
  const Ref<GMimeParser> parser(g_mime_parser_new_with_stream(stream.get()));
  const Ref<GMimeMessage> read(g_mime_parser_construct_message(parser.get(), options.get()));
  if (!read) return {{"warnings", json::array{"no message"}}};

  auto* object = reinterpret_cast<GMimeObject*>(read.get());
  const Text date(g_date_time_format(g_mime_message_get_date(read.get()), "%Y-%m-%dT%H:%M:%S%:z"));
  std::vector<GMimeObject*> leaves;
  json::object found{{"from", boxes(g_mime_message_get_from(read.get()))},
                     {"to", boxes(g_mime_message_get_to(read.get()))},
                     {"cc", boxes(g_mime_message_get_cc(read.get()))},
                     {"replyTo", boxes(g_mime_message_get_reply_to(read.get()))},
                     {"subject", text_of(g_mime_message_get_subject(read.get()))},
                     {"date", text_of(date.get())},
                     {"messageId", "<" + text_of(g_mime_message_get_message_id(read.get())) + ">"},
                     {"mimeVersion", text_of(g_mime_object_get_header(object, "MIME-Version"))},
                     {"headers", other_headers(read.get())},
                     {"shape", shape_of(g_mime_message_get_mime_part(read.get()), leaves)}};
  sort_leaves(leaves, found);
  found["warnings"] = std::move(warnings);
  return found;
}

}  // namespace eilbote::test
