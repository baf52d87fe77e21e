// Random mails that check_mail accepts: texts of many scripts and of signs that mean something in a header, bodies with
// every kind of line, parts in every arrangement.
#include <fmt/format.h>

#include <array>
#include <random>

#include "base/utf8.h"
#include "domain/html_text.h"
#include "support/mime_cases.h"

namespace eilbote::test {
namespace {

void append_code_point(std::string& out, char32_t c) {
  const auto byte = [&](char32_t bits) { out += static_cast<char>(bits); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | c >> 6), byte(0x80 | (c & 63));
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63));
  } else {
    byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 63)), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63));
  }
}

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  Mail mail() {
    Mail mail;
    mail.from = mailbox();
    mail.to = mailboxes(1 + upto(4));
    mail.cc = mailboxes(one_in(3) ? upto(4) : 0);
    mail.bcc = mailboxes(one_in(4) ? upto(3) : 0);
    mail.reply_to = mailboxes(one_in(4) ? upto(2) : 0);
    mail.subject = line(1, one_in(5) ? 900 : 90);
    if (!one_in(5)) mail.text = body();
    if (mail.text.empty() || one_in(2)) mail.html = "<p>" + body() + "</p>" + (one_in(2) ? "\n" : "");
    for (std::size_t i = one_in(2) ? upto(5) : 0; i > 0; --i)
      mail.headers.push_back(header(i));
    for (std::size_t i = one_in(2) ? upto(5) : 0; i > 0; --i)
      mail.attachments.push_back(attachment(i));
    return mail;
  }

 private:
  // 0 to `max`.
  std::size_t upto(std::size_t max) { return std::uniform_int_distribution<std::size_t>(0, max)(random_); }
  bool one_in(std::size_t n) { return upto(n - 1) == 0; }
  template <class List>
  auto pick(const List& list) {
    return list[upto(std::size(list) - 1)];
  }
  char32_t between(char32_t first, char32_t last) {
    return static_cast<char32_t>(first + upto(last - first));
  }
  // Any character but controls, surrogates and those that are none.
  char32_t any_character() {
    while (true) {
      const char32_t c = one_in(2) ? between(0xA0, 0xFFFD) : between(0x10000, 0x10FFFF);
      const bool is_separator = c == 0x2028 || c == 0x2029;
      const bool is_character =
          (c < 0xD800 || c > 0xDFFF) && (c < 0xFDD0 || c > 0xFDEF) && (c & 0xFFFE) != 0xFFFE;
      if (is_character && !is_separator) return c;
    }
  }

  // A few characters of one kind.
  std::string piece() {
    constexpr std::array kSigns{"\"", "\\", "(",  ")",  "<",          ">",          ",",  ";",    ":", "@",
                                "=",  "?",  "=?", "?=", "=?UTF-8?Q?", "=?utf-8?B?", "_",  ".",    "'", "%",
                                "*",  "&",  "#",  "[",  "]",          "~",          "--", "=20=", "`", "{|}"};
    constexpr std::array kPictures{"😀",      "👩‍👩‍👧", "🇩🇪",          "👍🏽",
                                   "❤️", "\xE2\x80\x8D",       "\xEF\xBB\xBF"};
    std::string out;
    switch (upto(9)) {
      case 0:
        return std::string(1 + (one_in(4) ? upto(6) : 0), ' ');
      case 1:
        return pick(kSigns);
      case 2:
        return pick(kPictures);
      case 3:
        return std::string(upto(one_in(6) ? 120 : 12), 'x');
      case 4:  // Latin with combining marks
        append_code_point(out, between('a', 'z'));
        for (std::size_t i = upto(3); i > 0; --i)
          append_code_point(out, between(0x300, 0x36F));
        return out;
      case 5:
        for (std::size_t i = upto(20); i > 0; --i)
          append_code_point(out, between(0x4E00, 0x9FFF));
        return out;
      case 6:  // Hebrew and Arabic
        for (std::size_t i = upto(8); i > 0; --i)
          append_code_point(out, one_in(2) ? between(0x5D0, 0x5EA) : between(0x627, 0x64A));
        return out;
      case 7:
        append_code_point(out, any_character());
        return out;
      default:
        for (std::size_t i = upto(10); i > 0; --i)
          append_code_point(out, one_in(8) ? between(0xC0, 0xFF) : between('!', '~'));
        return out;
    }
  }

  // Between `min` and `max` characters on one line.
  std::string line(std::size_t min, std::size_t max) {
    const std::size_t length = min + upto(max - min);
    std::string out;
    while (utf8_length(out) < min || out.size() < length) {
      std::string next = out + piece();
      if (utf8_length(next) > max) break;
      out = std::move(next);
    }
    return out.empty() && min > 0 ? "x" : out;
  }

  // In many scripts or in one of ASCII: otherwise hardly any text would be short enough to stay as it is.
  std::string words(std::size_t max) {
    std::string out = "word";
    while (out.size() < max)
      out += fmt::format("{}{}", one_in(6) ? "  " : " ", std::string(1 + upto(12), 'w'));
    return out;
  }
  std::string text(std::size_t max) { return one_in(3) ? words(upto(max)).substr(0, max) : line(0, max); }

  std::string body() {
    constexpr std::array kLines{".", "..", ".x", "From here", "--", "--=_0000000000016_mixed--",
                                "",  " ",  "\t", "="};
    constexpr std::array kEnds{"\n", "\r\n", "\r"};
    std::string out;
    for (std::size_t i = 1 + upto(12); i > 0; --i) {
      out += one_in(3) ? pick(kLines) : text(one_in(10) ? 2000 : 100);
      if (one_in(8)) out += "\t ";
      if (i > 1 || one_in(2)) out += pick(kEnds);
    }
    return out;
  }

  std::string local_part() {
    constexpr std::array kLocals{"a",       "first.last", "x+tag",           "o'neil",    "0",
                                 "{|}~!#$", "\"a b\"",    "\"q\\\"<x>@,;\"", "\"a..b.\"", "_=-"};
    if (one_in(60)) return "jürgen.漢字";
    return one_in(2) ? pick(kLocals) : "user" + std::to_string(upto(100'000));
  }
  std::string address() {
    constexpr std::array kDomains{"example.org",  "a.b.example.com",  "müller.de",          "例え.テスト",
                                  "[192.0.2.17]", "xn--mller-kva.de", "[IPv6:2001:db8::1]", "EXAMPLE.net"};
    return local_part() + "@" + pick(kDomains);
  }
  Mailbox mailbox() { return {address(), one_in(3) ? "" : text(one_in(8) ? 200 : 30)}; }
  std::vector<Mailbox> mailboxes(std::size_t count) {
    std::vector<Mailbox> out;
    while (out.size() < count)
      out.push_back(mailbox());
    return out;
  }

  std::pair<std::string, std::string> header(std::size_t number) {
    if (one_in(5)) return {fmt::format("List-X{}", number), words(upto(300))};
    return {fmt::format("X-{}{}", std::string(one_in(5) ? 60 : 3, 'n'), number),
            text(one_in(4) ? 1500 : 120)};
  }

  std::string file_name() {
    std::string name;
    for (const char c : text(one_in(5) ? 200 : 40))
      if (c != '/' && c != '\\') name += c;
    return name.empty() || name == "." || name == ".." ? "x" : name;
  }
  std::string bytes(std::size_t max) {
    std::string out(upto(max), '\0');
    for (char& c : out)
      c = static_cast<char>(upto(255));
    return out;
  }
  Attachment attachment(std::size_t number) {
    constexpr std::array kTypes{"application/pdf", "text/csv; charset=utf-8; header=present", "text/plain",
                                "application/vnd.oasis.opendocument.text", "image/svg+xml; x=\"a; \\\"b\""};
    if (one_in(3)) {
      const std::string id = fmt::format("p{}{}", number, one_in(2) ? "@example.org" : "");
      return {file_name(), "image/png", bytes(300), id, true};
    }
    return {file_name(), pick(kTypes), bytes(2000), "", false};
  }

  std::mt19937_64 random_;
};

std::string wrap(const std::string& kind, const std::string& first, const std::vector<std::string>& rest) {
  if (rest.empty()) return first;
  std::string out = kind + "(" + first;
  for (const std::string& one : rest)
    out += ", " + one;
  return out + ")";
}

// mixed(related(alternative(text, html), inline), attachments), without levels of one child.
std::string shape_of(const Mail& mail) {
  std::vector<std::string> related, mixed;
  for (const Attachment& file : mail.attachments)
    (file.is_inline && !mail.html.empty() ? related : mixed)
        .push_back(file.content_type.substr(0, file.content_type.find(';')));
  const bool has_text = !mail.text.empty() || !mime::text_of_html(mail.html).empty();
  const std::string body = mail.html.empty() ? "text/plain"
                           : has_text        ? "alternative(text/plain, text/html)"
                                             : "text/html";
  return wrap("mixed", wrap("related", body, related), mixed);
}

}  // namespace

MimeCase random_mail(std::uint64_t seed) {
  MimeCase one{fmt::format("seed-{}", seed), Maker(seed).mail(), ""};
  one.shape = shape_of(one.mail);
  return one;
}

}  // namespace eilbote::test
