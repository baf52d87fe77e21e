#include "domain/mime_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.h"
#include "base/hex.h"
#include "domain/address.h"
#include "domain/mail_syntax.h"
#include "domain/mime_body.h"

namespace eilbote::mime {
namespace {

// RFC 2047 §2 for lines with an encoded word; RFC 5322 §2.1.1 would allow 78 for the others.
constexpr std::size_t kLineMax = 76;
constexpr std::size_t kEncodedWordMax = 75;
constexpr std::string_view kQStart = "=?UTF-8?Q?";
constexpr std::string_view kBStart = "=?UTF-8?B?";
constexpr std::size_t kWordFrame = 12;       // =?UTF-8?Q? and ?=
constexpr std::size_t kWordWorthwhile = 28;  // less room than this: start a new line instead

// What RFC 2047 §5(3) leaves as it is, even in a phrase.
constexpr std::array<bool, 256> kQSafe = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = '0'; c <= '9'; ++c)
    table[c] = true;
  for (std::size_t c = 'a'; c <= 'z'; ++c)
    table[c] = table[c - 32] = true;
  for (const char c : std::string_view("!*+-/"))
    table[static_cast<unsigned char>(c)] = true;
  return table;
}();

// Writes one header and knows the column, so that lines are folded where a blank stands anyway.
class Line {
 public:
  Line(std::string& out, std::string_view name) : out_(out), start_(out.size()) {
    out_ += name;
    out_ += ':';
  }
  void end() { out_ += "\r\n"; }
  std::size_t column() const { return out_.size() - start_; }
  void fold() {
    out_ += "\r\n";
    start_ = out_.size();
  }
  // A word after one blank, on a new line when this one is full. The first word stays beside the name.
  void word(std::string_view text, std::string_view blanks = " ") {
    if (!first_ && column() + blanks.size() + text.size() > kLineMax) fold();
    first_ = false;
    out_ += blanks;
    out_ += text;
  }
  void encoded(std::string_view text);

 private:
  std::string& out_;
  std::size_t start_;
  bool first_ = true;
};

std::size_t code_point_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t n = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(n, text.size());
}

void append_q(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ')
      out += '_';
    else if (kQSafe[byte])
      out += c;
    else
      append_hex_escape(out, '=', byte);
  }
}

std::size_t q_length(std::string_view text) {
  std::size_t n = 0;
  for (const char c : text)
    n += c == ' ' || kQSafe[static_cast<unsigned char>(c)] ? 1 : 3;
  return n;
}

// As many whole code points from the front of `text` as fit into `room` characters of a Q word.
std::size_t fitting_q(std::string_view text, std::size_t room) {
  std::size_t taken = 0;
  std::size_t used = 0;
  while (taken < text.size()) {
    const std::size_t n = code_point_length(text.substr(taken));
    used += q_length(text.substr(taken, n));
    if (used > room && taken > 0) break;
    taken += n;
  }
  return taken;
}

// The same for a B word, but only the last one may end in padding: some readers (GMime 3.2.13 is one) take words
// that follow each other for one piece of base64, which then ends at the first padding. 0 when no such cut fits.
std::size_t fitting_b(std::string_view text, std::size_t room) {
  std::size_t taken = 0;
  std::size_t unpadded = 0;
  while (taken < text.size()) {
    taken += code_point_length(text.substr(taken));
    if ((taken + 2) / 3 * 4 > room) return unpadded;
    if (taken % 3 == 0) unpadded = taken;
  }
  return taken;
}

// The text as encoded words, each at most 75 characters, each of whole code points; readers drop the blanks
// between.
void Line::encoded(std::string_view text) {
  const bool prefers_q = q_length(text) <= (text.size() + 2) / 3 * 4;
  while (!text.empty()) {
    if (column() + 1 + kWordWorthwhile > kLineMax) fold();
    const std::size_t room = std::min(kEncodedWordMax, kLineMax - column() - 1) - kWordFrame;
    std::size_t taken = prefers_q ? 0 : fitting_b(text, room);
    const bool q = taken == 0;
    if (q) taken = fitting_q(text, room);
    out_ += ' ';
    out_ += q ? kQStart : kBStart;
    if (q)
      append_q(out_, text.substr(0, taken));
    else
      append_base64(out_, text.substr(0, taken));
    out_ += "?=";
    text.remove_prefix(taken);
  }
  first_ = false;
}

// Plain ASCII that a reader gives back as it was: no edge blanks (they are stripped), nothing that looks
// encoded, no word and no run of blanks too long for a line.
bool survives_unencoded(std::string_view text) {
  return is_printable_ascii(text) && !text.starts_with(' ') && !text.ends_with(' ') &&
         text.find("=?") == std::string_view::npos && longest_stretch(text) <= kStretchMax;
}

// Splits at runs of blanks and writes each word with the blanks before it.
void append_words(Line& line, std::string_view text) {
  std::string_view blanks = " ";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    line.word(text.substr(0, end), blanks);
    text.remove_prefix(end);
    const std::size_t run = std::min(text.find_first_not_of(' '), text.size());
    blanks = text.substr(0, run);
    text.remove_prefix(run);
  }
}

bool is_atoms(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' ||
           std::string_view("!#$%&'*+-/^_`{|}~").find(c) != std::string_view::npos;
  });
}

void append_display_name(Line& line, std::string_view name) {
  if (!survives_unencoded(name) || name.find("  ") != std::string_view::npos) {
    line.encoded(name);
  } else if (is_atoms(name)) {
    append_words(line, name);
  } else {
    std::string quoted = "\"";
    for (const char c : name) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    append_words(line, quoted + '"');
  }
}

void append_mailbox(Line& line, const Mailbox& box, const Address& address, bool last) {
  std::string wire = address.wire();
  if (!box.name.empty()) {
    append_display_name(line, box.name);
    wire = "<" + wire + ">";
  }
  if (!last) wire += ',';
  line.word(wire);
}

void append_percent(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '-' || c == '_';
    if (plain)
      out += c;
    else
      append_hex_escape(out, '%', byte);
  }
}

// Printable ASCII that no reader takes for an encoded word.
bool is_plain_parameter(std::string_view text) {
  return is_printable_ascii(text) && text.find("=?") == std::string_view::npos;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t n = code_point_length(text);
    if (!is_printable_ascii(text.substr(0, n))) {
      out += '_';
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    text.remove_prefix(n);
  }
  out += '"';
}

// RFC 2231 §3 and §4: one parameter when it is short, numbered pieces of whole code points when it is not.
void append_extended_filename(std::string& out, std::string_view name) {
  constexpr std::size_t kPieceMax = 56;
  std::vector<std::string> pieces{""};
  while (!name.empty()) {
    const std::size_t n = code_point_length(name);
    std::string escaped;
    append_percent(escaped, name.substr(0, n));
    if (pieces.back().size() + escaped.size() > kPieceMax) pieces.emplace_back();
    pieces.back() += escaped;
    name.remove_prefix(n);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string number = pieces.size() == 1 ? "" : fmt::format("*{}", i);
    fmt::format_to(std::back_inserter(out), ";\r\n filename{}*={}{}", number, i == 0 ? "UTF-8''" : "",
                   pieces[i]);
  }
}

}  // namespace

void append_text_header(std::string& out, std::string_view name, std::string_view value) {
  Line line(out, name);
  if (survives_unencoded(value))
    append_words(line, value);
  else
    line.encoded(value);
  line.end();
}

void append_verbatim_header(std::string& out, std::string_view name, std::string_view value) {
  Line line(out, name);
  const std::size_t start = std::min(value.find_first_not_of(' '), value.size());
  const std::size_t end = value.find_last_not_of(' ') + 1;
  if (start < end) append_words(line, value.substr(start, end - start));
  line.end();
}

bool append_mailbox_header(std::string& out, std::string_view name, std::span<const Mailbox> boxes) {
  std::vector<std::pair<const Mailbox*, Address>> valid;
  valid.reserve(boxes.size());
  for (const Mailbox& box : boxes)
    if (auto address = parse_address(box.address)) valid.emplace_back(&box, std::move(*address));
  if (valid.empty()) return false;
  Line line(out, name);
  for (std::size_t i = 0; i < valid.size(); ++i)
    append_mailbox(line, *valid[i].first, valid[i].second, i + 1 == valid.size());
  line.end();
  return true;
}

void append_fallback_name(std::string& out, std::string_view name) {
  if (is_plain_parameter(name)) return;
  std::string ascii(name);
  std::replace(ascii.begin(), ascii.end(), '?', '_');
  out += ";\r\n name=";
  append_quoted(out, ascii);
}

void append_filename(std::string& out, std::string_view name) {
  if (!is_plain_parameter(name)) return append_extended_filename(out, name);
  out += ";\r\n filename=";
  append_quoted(out, name);
}

}  // namespace eilbote::mime
