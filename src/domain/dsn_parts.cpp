#include "domain/dsn_parts.h"

#include <algorithm>
#include <array>
#include <memory>

#include "base/ascii.h"
#include "domain/dsn.h"
#include "domain/gmime_objects.h"

namespace eilbote::bounce {
namespace {

constexpr int kDepthMax = 20;  // a report has three levels
constexpr std::size_t kPartsMax = 200;
constexpr std::size_t kHeaderBytesMax = 64 * 1024;     // of one value, or of a header that is searched
constexpr std::size_t kSearchedBytesMax = 256 * 1024;  // of the words for people

// What dsn.cpp asks for, of either header.
constexpr std::array<const char*, 12> kWanted{
    "message-id",    "in-reply-to",          "references",    "auto-submitted",  "precedence",
    "content-class", "x-autoreply",          "x-autorespond", "x-auto-response", "x-auto-response-suppress",
    kJobIdHeader,    "x-original-message-id"};

// Lines that could be a boundary. GMime compares each with every boundary that is open, up to a thousand of them, and makes a
// part of each that fits: 8 MiB of nothing else would keep it busy for many seconds.
constexpr std::size_t kDashLinesMax = 2000;

// In front of a message that comes through a pipe is often the envelope's line of an mbox.
std::string_view without_envelope(std::string_view message) {
  const auto skip = [&message](std::size_t at) { message.remove_prefix(std::min(at, message.size())); };
  skip(message.find_first_not_of("\r\n"));
  if (message.starts_with("From ")) skip(message.find('\n'));
  skip(message.find_first_not_of("\r\n"));
  return message;
}

// Up to the line that is one too many; the part that counts stands far before it.
std::string_view within_dash_lines(std::string_view message) {
  std::size_t at = message.find("\n--");
  for (std::size_t lines = 0; lines < kDashLinesMax && at != std::string_view::npos; ++lines)
    at = message.find("\n--", at + 1);
  return message.substr(0, at);
}

std::string type_of(GMimeObject* part) {
  GMimeContentType* type = g_mime_object_get_content_type(part);
  if (type == nullptr) return {};
  const GText text(g_mime_content_type_get_mime_type(type));
  return text ? ascii_lower(std::string_view(text.get())) : std::string();
}

void add_wanted(GMimeObject* from, Fields& into) {
  for (const char* name : kWanted) {
    const char* value = g_mime_object_get_header(from, name);
    if (value == nullptr || !value_of(into, name).empty()) continue;
    into.push_back({name, std::string(std::string_view(value).substr(0, kHeaderBytesMax))});
  }
}

std::string content_of(GMimeObject* part) {
  GMimeDataWrapper* content = g_mime_part_get_content(reinterpret_cast<GMimePart*>(part));
  if (content == nullptr) return {};
  const GRef<GMimeStream> memory(g_mime_stream_mem_new());
  g_mime_data_wrapper_write_to_stream(content, memory.get());
  const GByteArray* bytes = g_mime_stream_mem_get_byte_array(reinterpret_cast<GMimeStreamMem*>(memory.get()));
  return bytes == nullptr || bytes->data == nullptr
             ? std::string()
             : std::string(reinterpret_cast<const char*>(bytes->data), bytes->len);
}

class PartWalk {
 public:
  explicit PartWalk(Parts& into) : into_(into) {}

  void walk(GMimeObject* part, int depth) {
    if (part == nullptr || depth > kDepthMax || ++seen_ > kPartsMax) return;
    if (GMIME_IS_MULTIPART(part)) {
      auto* multipart = reinterpret_cast<GMimeMultipart*>(part);
      const int count = g_mime_multipart_get_count(multipart);
      for (int i = 0; i < count && seen_ <= kPartsMax; ++i)
        walk(g_mime_multipart_get_part(multipart, i), depth + 1);
    } else if (GMIME_IS_MESSAGE_PART(part)) {
      GMimeMessage* inside = g_mime_message_part_get_message(reinterpret_cast<GMimeMessagePart*>(part));
      if (inside != nullptr && into_.original.empty())
        add_wanted(reinterpret_cast<GMimeObject*>(inside), into_.original);
    } else if (GMIME_IS_PART(part)) {
      read_leaf(part);
    }
  }

  // After all parts: what is only taken where the right part is missing.
  void finish() {
    if (into_.delivery_status.empty() && into_.is_report && mislabelled_)
      into_.delivery_status.push_back(std::move(*mislabelled_));
    if (into_.original.empty())
      if (auto quoted = quoted_header(std::string_view(words_).substr(0, kSearchedBytesMax)))
        into_.original = std::move(*quoted);
  }

 private:
  void read_leaf(GMimeObject* part) {
    const std::string type = type_of(part);
    const auto is = [&type](std::string_view a, std::string_view b) { return type == a || type == b; };
    if (is("message/delivery-status", "message/global-delivery-status")) {
      into_.delivery_status.push_back(content_of(part));
    } else if (is("message/disposition-notification", "message/global-disposition-notification")) {
      if (!into_.disposition) into_.disposition = content_of(part);
    } else if (is("text/rfc822-headers", "message/global-headers") ||
               is("message/rfc822", "message/global")) {
      // A mail that is encoded against the rules comes as a leaf, too.
      auto header = read_groups(std::string_view(content_of(part)).substr(0, kHeaderBytesMax), 1);
      if (into_.original.empty() && !header.empty()) into_.original = std::move(header.front());
    } else if (type.starts_with("text/") || type.starts_with("message/") ||
               type == "application/octet-stream") {
      read_words(type, content_of(part));
    }
  }

  void read_words(const std::string& type, std::string content) {
    if (!mislabelled_ && is_delivery_status(content))
      mislabelled_ = std::move(content);
    else if (type == "text/plain" && words_.size() < kSearchedBytesMax)
      words_ += content + "\n\n";
  }

  Parts& into_;
  std::size_t seen_ = 0;
  std::optional<std::string> mislabelled_;  // a delivery status by its content alone
  std::string words_;                       // for people
};

}  // namespace

Parts read_parts(std::string_view message) {
  start_gmime();
  Parts parts;
  message = within_dash_lines(without_envelope(message));
  const GRef<GMimeStream> stream(g_mime_stream_mem_new_with_buffer(message.data(), message.size()));
  const GRef<GMimeParser> parser(g_mime_parser_new_with_stream(stream.get()));
  const GRef<GMimeMessage> read(g_mime_parser_construct_message(parser.get(), nullptr));
  if (!read) return parts;
  add_wanted(reinterpret_cast<GMimeObject*>(read.get()), parts.header);
  GMimeObject* body = g_mime_message_get_mime_part(read.get());
  if (body == nullptr) return parts;
  add_wanted(body, parts.header);  // GMime keeps fields that begin with Content- there
  parts.is_report = type_of(body) == "multipart/report";
  PartWalk walk(parts);
  walk.walk(body, 0);
  walk.finish();
  return parts;
}

}  // namespace eilbote::bounce
