// Whatever a mail holds: if check_mail accepts it, the message has lines of at most 998 octets (76 in bodies) ended by
// CRLF, 7-bit bytes, and each header once. If it does not, even then nothing in the mail adds a header or a bare line end.
//
// The bytes are records, each begun by a line's first '%' and a letter that says what it is (see `set`); so the seeds
// are texts one can read. What is not set keeps a plain default.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/ascii.h"
#include "domain/address.h"
#include "domain/mail_syntax.h"
#include "domain/mime.h"
#include "fuzz/fuzz.h"

namespace eilbote::fuzz {
namespace {

constexpr TimePoint kDate{std::chrono::sys_days{std::chrono::year{2026} / 7 / 9} + std::chrono::hours{8}};

// ---- bytes to a mail ----

class MailReader {
 public:
  Mail read(std::string_view bytes) {
    mail_.from.address = "sender@example.org";
    mail_.subject = "Hello";
    mail_.text = "Hi there\n";
    while (!bytes.empty()) {
      const std::size_t end = std::min(bytes.find("\n%"), bytes.size());
      const std::string_view record = bytes.substr(0, end);
      if (record.size() >= 2 && record[0] == '%') set(record[1], std::string(record.substr(2)));
      bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    if (mail_.to.empty()) mail_.to = {{"to@example.com", ""}};
    return std::move(mail_);
  }

 private:
  void set(char what, std::string value) {
    switch (what) {
      case 'f':
        mail_.from.address = std::move(value);
        break;
      case 'F':
        mail_.from.name = std::move(value);
        break;
      case 't':
        mail_.to.push_back({std::move(value), ""});
        break;
      case 'T':
        last(mail_.to).name = std::move(value);
        break;
      case 'c':
        mail_.cc.push_back({std::move(value), ""});
        break;
      case 'C':
        last(mail_.cc).name = std::move(value);
        break;
      case 'b':
        mail_.bcc.push_back({std::move(value), ""});
        break;
      case 'r':
        mail_.reply_to.push_back({std::move(value), ""});
        break;
      case 'R':
        last(mail_.reply_to).name = std::move(value);
        break;
      case 's':
        mail_.subject = std::move(value);
        break;
      case 'x':
        mail_.text = std::move(value);
        break;
      case 'h':
        mail_.html = std::move(value);
        break;
      case 'H':
        mail_.headers.emplace_back(std::move(value), "");
        break;
      case 'V':
        last(mail_.headers).second = std::move(value);
        break;
      case 'a':
        mail_.attachments.push_back({std::move(value), "text/plain", "", "", false});
        break;
      case 'y':
        last(mail_.attachments).content_type = std::move(value);
        break;
      case 'd':
        last(mail_.attachments).content = std::move(value);
        break;
      case 'i':
        last(mail_.attachments).content_id = std::move(value);
        break;
      case 'I':
        last(mail_.attachments).is_inline = true;
        break;
      default:
        break;
    }
  }

  template <class T>
  static T& last(std::vector<T>& list) {
    if (list.empty()) list.emplace_back();
    return list.back();
  }

  Mail mail_;
};

// ---- the message, line by line ----

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\r\n"), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return lines;
}

std::string line_end_fault(std::string_view message) {
  if (!message.ends_with("\r\n")) return "does not end with CRLF";
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (message[i] == '\0') return "NUL";
    if (message[i] == '\n' && (i == 0 || message[i - 1] != '\r')) return "bare LF";
    if (message[i] == '\r' && (i + 1 == message.size() || message[i + 1] != '\n')) return "bare CR";
  }
  return {};
}

// How often each header is there, by its name in lower case.
std::map<std::string, int> count_headers(std::string_view head) {
  std::map<std::string, int> counts;
  for (const std::string_view line : split(head))
    if (!line.starts_with(' ')) ++counts[ascii_lower(line.substr(0, line.find(':')))];
  return counts;
}

// `accepted`: exactly the headers that belong there. Otherwise at least none twice, and none of the engine's own.
std::string header_fault(const Mail& mail, std::string_view head, bool accepted) {
  std::map<std::string, int> want{{"from", 1},       {"to", 1},           {"subject", 1},     {"date", 1},
                                  {"message-id", 1}, {"mime-version", 1}, {"content-type", 1}};
  if (!mail.cc.empty()) want["cc"] = 1;
  if (!mail.reply_to.empty()) want["reply-to"] = 1;
  std::map<std::string, int> got = count_headers(head);
  got.erase("content-transfer-encoding");  // a multipart has none
  for (const auto& [name, value] : mail.headers)
    if (is_header_name(name) && !is_engine_header(name)) ++want[ascii_lower(name)];
  if (accepted) return got == want ? "" : "headers that do not belong there, or too few";
  for (const auto& [name, count] : got)
    if (!want.contains(name) || count > want[name]) return "an unchecked mail adds a header";
  return {};
}

bool needs_utf8_headers(const Mail& mail) {
  const auto needs = [](const Mailbox& box) {
    const auto address = parse_address(box.address);
    return address && address->needs_smtputf8;
  };
  return needs(mail.from) || std::any_of(mail.to.begin(), mail.to.end(), needs) ||
         std::any_of(mail.cc.begin(), mail.cc.end(), needs) ||
         std::any_of(mail.reply_to.begin(), mail.reply_to.end(), needs);
}

bool is_seven_bit(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\r' || c == '\n' || c == '\t'; });
}

std::string line_fault(std::string_view head, std::string_view body) {
  for (const std::string_view line : split(head)) {
    if (line.size() > 998) return fmt::format("a header line of {} octets", line.size());
    if (line.find_first_not_of(' ') == std::string_view::npos) return "a header line of nothing but blanks";
  }
  bool part_header = false;
  for (const std::string_view line : split(body)) {
    // No body can begin a line like that: both encodings escape the '='.
    if (line.starts_with("--=_"))
      part_header = !line.ends_with("--");
    else if (line.empty())
      part_header = false;
    else if (line.size() > (part_header ? 998U : 76U))
      return fmt::format("a line of {} octets in a {}", line.size(), part_header ? "part's header" : "body");
  }
  return {};
}

// One delimiter line per part and one at the end, for each multipart.
std::string part_fault(const Mail& mail, std::string_view body) {
  std::size_t delimiters = 0;
  std::size_t ends = 0;
  std::size_t alternatives = 0;
  for (const std::string_view line : split(body)) {
    if (!line.starts_with("--=_")) continue;
    ++(line.ends_with("--") ? ends : delimiters);
    alternatives += line.ends_with("_alternative--") ? 1 : 0;
  }
  // Every attachment is one part; every multipart holds one more, which is a body or a multipart itself; an
  // alternative holds two.
  const std::size_t want = mail.attachments.size() + ends + alternatives;
  return delimiters == want ? "" : fmt::format("{} parts instead of {}", delimiters, want);
}

}  // namespace

std::string mime_writer_fuzz(std::string_view bytes) {
  const Mail mail = MailReader().read(bytes);
  const bool accepted = check_mail(mail, {}, kDate).empty();
  const MimeStamp stamp{JobId{38}, kDate, "mail.example.org"};
  const std::string message = write_mime(mail, stamp);
  if (std::string fault = line_end_fault(message); !fault.empty()) return fault;
  const std::size_t empty_line = message.find("\r\n\r\n");
  if (empty_line == std::string::npos) return "no end of the headers";
  const std::string_view head = std::string_view(message).substr(0, empty_line + 2);
  const std::string_view body = std::string_view(message).substr(empty_line + 4);
  if (std::string fault = header_fault(mail, head, accepted); !fault.empty()) return fault;
  if (std::string fault = part_fault(mail, body); !fault.empty()) return fault;
  if (!is_seven_bit(needs_utf8_headers(mail) ? body : std::string_view(message))) return "not 7-bit";
  if (!accepted) return {};
  return line_fault(head, body);
}

}  // namespace eilbote::fuzz
