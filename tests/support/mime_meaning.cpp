// What a reader should find in a mail, from the mail alone: nothing here asks the writer, but for the text it derives from
// an html.
#include <fmt/format.h>

#include <algorithm>

#include "domain/address.h"
#include "domain/html_text.h"
#include "support/mime_cases.h"

namespace eilbote::test {
namespace {

namespace json = boost::json;

constexpr TimePoint kDate{std::chrono::sys_days{std::chrono::year{2026} / 7 / 9} + std::chrono::hours{8}};

json::array boxes(const std::vector<Mailbox>& list) {
  json::array out;
  for (const Mailbox& box : list)
    out.push_back(json::array{box.name, parse_address(box.address).value().wire()});
  return out;
}

// A text part as a reader sees it: LF at the end of every line, the last included.
json::value text_part(const std::string& text) {
  if (text.empty()) return nullptr;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i] == '\r' ? '\n' : text[i];
  }
  if (!out.ends_with('\n')) out += '\n';
  return json::string(out);
}

json::array attachments_of(const Mail& mail) {
  json::array inline_first, rest;
  for (const Attachment& a : mail.attachments) {
    std::string hex;
    for (const char c : a.content)
      hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    json::object one{{"name", a.name},
                     {"type", a.content_type.substr(0, a.content_type.find(';'))},
                     {"content", hex},
                     {"contentId", a.content_id},
                     {"inline", a.is_inline}};
    (a.is_inline && !mail.html.empty() ? inline_first : rest).push_back(std::move(one));
  }
  for (json::value& one : rest)
    inline_first.push_back(std::move(one));
  return inline_first;
}

// RFC 6532: some address in the headers has a local part that is not ASCII.
bool has_utf8_headers(const Mail& mail) {
  const auto is_utf8 = [](const Mailbox& box) { return parse_address(box.address).value().needs_smtputf8; };
  return is_utf8(mail.from) || std::any_of(mail.to.begin(), mail.to.end(), is_utf8) ||
         std::any_of(mail.cc.begin(), mail.cc.end(), is_utf8) ||
         std::any_of(mail.reply_to.begin(), mail.reply_to.end(), is_utf8);
}

}  // namespace

std::string written(const MimeCase& one) {
  return write_mime(one.mail, {JobId{38}, kDate, "mail.example.org"});
}

json::object meant(const MimeCase& one) {
  const Mail& mail = one.mail;
  json::object headers;
  for (const auto& [name, value] : mail.headers)
    headers[name] = value;
  const std::string text = mail.text.empty() ? mime::text_of_html(mail.html) : mail.text;
  return {{"utf8", has_utf8_headers(mail)},
          {"from", boxes({mail.from})},
          {"to", boxes(mail.to)},
          {"cc", boxes(mail.cc)},
          {"replyTo", boxes(mail.reply_to)},
          {"subject", mail.subject},
          {"date", "2026-07-09T08:00:00+00:00"},
          {"messageId", "<0000000000016@mail.example.org>"},
          {"mimeVersion", "1.0"},
          {"shape", one.shape},
          {"text", text_part(text)},
          {"html", text_part(mail.html)},
          {"headers", headers},
          {"attachments", attachments_of(mail)}};
}

}  // namespace eilbote::test
