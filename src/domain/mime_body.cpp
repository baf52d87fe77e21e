#include "domain/mime_body.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/hex.h"

namespace eilbote::mime {
namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kBodyLineMax = 76;

// What quoted-printable leaves as it is inside a line. A blank is safe unless it ends the line.
constexpr std::array<bool, 256> kQpSafe = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x20; c < 0x7F; ++c)
    table[c] = c != '=';
  table['\t'] = true;
  return table;
}();

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Whether none of these eight bytes is a control character (tabs included), an equals sign, DEL or beyond ASCII. The usual tricks
// with whole words; a borrow from a lower byte can only make it say no once too often.
bool eight_plain(const char* bytes) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101U, kHighs = kOnes * 0x80;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  const auto has_zero = [](std::uint64_t w) { return (w - kOnes) & ~w; };
  const std::uint64_t bad =
      word | (word - kOnes * 0x20) | has_zero(word ^ (kOnes * '=')) | has_zero(word ^ (kOnes * 0x7F));
  return (bad & kHighs) == 0;
}

// How many bytes from the front are safe in quoted-printable. Called for every byte of every mail, hence eight at a time.
std::size_t safe_run(std::string_view text) {
  std::size_t run = 0;
  while (run + 8 <= text.size() && eight_plain(text.data() + run))
    run += 8;
  while (run < text.size() && kQpSafe[static_cast<unsigned char>(text[run])])
    ++run;
  return run;
}

// How many bytes quoted-printable would have to escape, line ends and blanks before them apart.
std::size_t count_unsafe(std::string_view text) {
  std::size_t unsafe = 0;
  while (!text.empty()) {
    text.remove_prefix(safe_run(text));
    for (; !text.empty() && !kQpSafe[static_cast<unsigned char>(text.front())]; text.remove_prefix(1))
      unsafe += text.front() != '\n' && text.front() != '\r';
  }
  return unsafe;
}

// One line, `text` without its line end. Soft breaks keep it at 76 characters; a blank at the very end is
// escaped, because relays strip it there.
void append_qp_line(std::string& out, std::string_view text) {
  std::size_t column = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    // Copies the longest safe stretch that fits at once; nearly all text goes this way.
    std::size_t run = i + safe_run(text.substr(i, kBodyLineMax - 1 - column));
    if (run == text.size() && run > i && is_blank(text[run - 1])) --run;
    out.append(text, i, run - i);
    column += run - i;
    i = run;
    if (i == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool last = i + 1 == text.size();
    const bool escape = !kQpSafe[byte] || (last && is_blank(text[i]));
    const std::size_t width = escape ? 3 : 1;
    if (column + width + (last ? 0 : 1) > kBodyLineMax) {
      out += "=\r\n";
      column = 0;
      continue;
    }
    if (escape)
      append_hex_escape(out, '=', byte);
    else
      out += text[i];
    column += width;
    ++i;
  }
  out += "\r\n";
}

// Calls `line` for each line of `text`, whatever ends it: CRLF, LF or CR.
template <class Function>
void each_line(std::string_view text, Function line) {
  while (!text.empty()) {
    // Two searches over the same line are far cheaper than one find_first_of.
    const std::size_t feed = std::min(text.find('\n'), text.size());
    const std::size_t end = std::min(text.substr(0, feed).find('\r'), feed);
    line(text.substr(0, end));
    if (end == text.size()) return;
    const bool pair = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
    text.remove_prefix(end + (pair ? 2 : 1));
  }
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  const auto at = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
  };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t bits = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    const char four[4] = {kBase64[bits >> 18], kBase64[bits >> 12 & 63], kBase64[bits >> 6 & 63],
                          kBase64[bits & 63]};
    out.append(four, 4);
  }
  if (i == bytes.size()) return;
  const bool two = i + 2 == bytes.size();
  const std::uint32_t bits = at(i) << 16 | (two ? at(i + 1) << 8 : 0);
  out += kBase64[bits >> 18];
  out += kBase64[bits >> 12 & 63];
  out += two ? kBase64[bits >> 6 & 63] : '=';
  out += '=';
}

void append_base64_lines(std::string& out, std::string_view bytes) {
  constexpr std::size_t kBytesPerLine = kBodyLineMax / 4 * 3;
  out.reserve(out.size() + bytes.size() / 3 * 4 + bytes.size() / kBytesPerLine * 2 + 8);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kBytesPerLine))) {
    append_base64(out, bytes.substr(0, kBytesPerLine));
    out += "\r\n";
  }
}

void append_text_body(std::string& out, std::string_view text) {
  // Each unsafe byte costs two more in quoted-printable; base64 costs a third of everything.
  if (count_unsafe(text) * 2 <= text.size() / 3 + 2) {
    out += "Content-Transfer-Encoding: quoted-printable\r\n\r\n";
    each_line(text, [&](std::string_view line) { append_qp_line(out, line); });
    return;
  }
  out += "Content-Transfer-Encoding: base64\r\n\r\n";
  std::string lines;
  lines.reserve(text.size() + text.size() / 32);
  each_line(text, [&](std::string_view line) {
    lines += line;
    lines += "\r\n";
  });
  append_base64_lines(out, lines);
}

}  // namespace eilbote::mime
