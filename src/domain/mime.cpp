// Writes the message. Called once per mail, at acceptance. A pure function of mail and stamp: the same input
// gives the same bytes, today and after a restart.
//
// The mail has passed check_mail; even if it had not, nothing in it could add a header or a part, because
// every text goes through mime_header (encoded when it holds anything but printable ASCII) or mime_body
// (always encoded).
#include "domain/mime.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "domain/html_text.h"
#include "domain/mail_syntax.h"
#include "domain/mime_body.h"
#include "domain/mime_header.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

void append_headers(std::string& out, const Mail& mail, const MimeStamp& stamp) {
  mime::append_mailbox_header(out, "From", std::span(&mail.from, 1));
  if (!mime::append_mailbox_header(out, "To", mail.to)) out += "To: undisclosed-recipients:;\r\n";
  mime::append_mailbox_header(out, "Cc", mail.cc);
  mime::append_mailbox_header(out, "Reply-To", mail.reply_to);
  mime::append_text_header(out, "Subject", mail.subject);
  out.append("Date: ").append(to_internet_date(stamp.date)).append(" +0000\r\nMessage-ID: ");
  out.append(message_id(stamp)).append("\r\nMIME-Version: 1.0\r\n");
  for (const auto& [name, value] : mail.headers) {
    if (!is_header_name(name) || is_engine_header(name)) continue;
    if (!is_verbatim_header(name))
      mime::append_text_header(out, name, value);
    else if (is_printable_ascii(value) && longest_stretch(value) <= kStretchMax)
      mime::append_verbatim_header(out, name, value);
  }
}

const std::string kUnknownType = "application/octet-stream";

// Writes the parts. Boundaries need no search in the content: they hold "=_", which neither quoted-printable
// nor base64 can produce, and every body is one of the two.
class PartWriter {
 public:
  PartWriter(std::string& out, const Mail& mail, const MimeStamp& stamp)
      : out_(out), mail_(mail), id_(to_text(stamp.id)) {
    if (mail.text.empty()) derived_ = mime::text_of_html(mail.html);
    for (const Attachment& file : mail.attachments)
      (file.is_inline && !mail.html.empty() ? related_ : mixed_).push_back(&file);
  }

  void write() {
    if (mixed_.empty()) return related();
    const std::string boundary = open("mixed", "");
    related();
    for (const Attachment* file : mixed_)
      attachment(boundary, *file);
    close(boundary);
  }

 private:
  std::string_view text() const { return mail_.text.empty() ? derived_ : mail_.text; }
  bool has_alternative() const { return !mail_.html.empty() && !text().empty(); }

  void related() {
    if (related_.empty()) return alternative();
    const std::string boundary =
        open("related", has_alternative() ? "; type=\"multipart/alternative\"" : "; type=\"text/html\"");
    alternative();
    for (const Attachment* file : related_)
      attachment(boundary, *file);
    close(boundary);
  }
  void alternative() {
    if (!has_alternative())
      return mail_.html.empty() ? text_part("plain", text()) : text_part("html", mail_.html);
    const std::string boundary = open("alternative", "");
    text_part("plain", text());
    delimiter(boundary);
    text_part("html", mail_.html);
    close(boundary);
  }
  void text_part(std::string_view subtype, std::string_view body) {
    out_.append("Content-Type: text/").append(subtype).append("; charset=utf-8\r\n");
    mime::append_text_body(out_, body);
  }
  void attachment(const std::string& boundary, const Attachment& file) {
    delimiter(boundary);
    const std::string& type = is_content_type(file.content_type) ? file.content_type : kUnknownType;
    mime::append_verbatim_header(out_, "Content-Type", type);
    out_.resize(out_.size() - 2);  // the parameter goes before the line's end
    if (ascii_lower(type).find("name=") == std::string::npos) mime::append_fallback_name(out_, file.name);
    out_ += "\r\n";
    out_ += "Content-Transfer-Encoding: base64\r\n";
    if (is_content_id(file.content_id))
      fmt::format_to(std::back_inserter(out_), "Content-ID: <{}>\r\n", file.content_id);
    out_ += file.is_inline ? "Content-Disposition: inline" : "Content-Disposition: attachment";
    mime::append_filename(out_, file.name);
    out_ += "\r\n\r\n";
    mime::append_base64_lines(out_, file.content);
  }

  // The header of a multipart and its first delimiter.
  std::string open(std::string_view subtype, std::string_view parameters) {
    std::string boundary = fmt::format("=_{}_{}", id_, subtype);
    fmt::format_to(std::back_inserter(out_),
                   "Content-Type: multipart/{}{};\r\n boundary=\"{}\"\r\n\r\n--{}\r\n", subtype, parameters,
                   boundary, boundary);
    return boundary;
  }
  void delimiter(const std::string& boundary) {
    fmt::format_to(std::back_inserter(out_), "\r\n--{}\r\n", boundary);
  }
  void close(const std::string& boundary) {
    fmt::format_to(std::back_inserter(out_), "\r\n--{}--\r\n", boundary);
  }

  std::string& out_;
  const Mail& mail_;
  const std::string id_;
  std::string derived_;
  std::vector<const Attachment*> related_, mixed_;
};

}  // namespace

std::string message_id(const MimeStamp& stamp) {
  const std::string_view domain =
      stamp.message_id_domain.empty() ? std::string_view("localhost") : stamp.message_id_domain;
  return std::string("<").append(to_text(stamp.id)).append("@").append(domain).append(">");
}

std::string write_mime(const Mail& mail, const MimeStamp& stamp) {
  std::string out;
  std::size_t size = 1024 + mail.text.size() * 5 / 4 + mail.html.size() * 3 / 2;
  for (const Attachment& file : mail.attachments)
    size += file.content.size() * 7 / 5 + 512;
  out.reserve(size);
  append_headers(out, mail, stamp);
  PartWriter(out, mail, stamp).write();
  return out;
}

}  // namespace eilbote
