// Aims at what a person can read (paragraphs, list items, the address of a link), not at layout.
#include "domain/html_text.h"

#include <array>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/hex.h"

namespace eilbote::mime {
namespace {

constexpr auto kEntities = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"amp", "&"},    {"lt", "<"},     {"gt", ">"},     {"quot", "\""},  {"apos", "'"},   {"nbsp", " "},
    {"copy", "©"},   {"reg", "®"},    {"trade", "™"},  {"hellip", "…"}, {"mdash", "—"},  {"ndash", "–"},
    {"lsquo", "‘"},  {"rsquo", "’"},  {"sbquo", "‚"},  {"ldquo", "“"},  {"rdquo", "”"},  {"bdquo", "„"},
    {"laquo", "«"},  {"raquo", "»"},  {"bull", "•"},   {"middot", "·"}, {"euro", "€"},   {"pound", "£"},
    {"yen", "¥"},    {"cent", "¢"},   {"sect", "§"},   {"deg", "°"},    {"times", "×"},  {"plusmn", "±"},
    {"auml", "ä"},   {"ouml", "ö"},   {"uuml", "ü"},   {"Auml", "Ä"},   {"Ouml", "Ö"},   {"Uuml", "Ü"},
    {"szlig", "ß"},  {"aacute", "á"}, {"eacute", "é"}, {"iacute", "í"}, {"oacute", "ó"}, {"uacute", "ú"},
    {"agrave", "à"}, {"egrave", "è"}, {"ugrave", "ù"}, {"acirc", "â"},  {"ecirc", "ê"},  {"icirc", "î"},
    {"ocirc", "ô"},  {"ucirc", "û"},  {"ccedil", "ç"}, {"ntilde", "ñ"}, {"aring", "å"},  {"oslash", "ø"},
    {"aelig", "æ"},  {"shy", ""},     {"zwnj", ""},    {"zwj", ""},     {"rarr", "→"},   {"larr", "←"},
});

void append_code_point(std::string& out, std::uint32_t code) {
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = 0xFFFD;
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::array<int, 4> kLead{0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(static_cast<std::uint32_t>(kLead[static_cast<std::size_t>(more)]) |
                           code >> (6 * more));
  for (int i = more - 1; i >= 0; --i)
    out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
}

// "#8364" or "#x20AC"; nullopt when it is no number. Too large ones come out as U+FFFD.
std::optional<std::uint32_t> numeric(std::string_view name) {
  name.remove_prefix(1);
  const bool hex = name.starts_with('x') || name.starts_with('X');
  if (hex) name.remove_prefix(1);
  if (name.empty()) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : name) {
    const int digit = hex_value(c);
    if (digit < 0 || digit >= (hex ? 16 : 10)) return std::nullopt;
    value = value > 0x10FFFF ? value : value * (hex ? 16U : 10U) + static_cast<std::uint32_t>(digit);
  }
  return value;
}

// Decodes the entity at the start of `html` ('&'); returns how much it took, 0 when it is none.
std::size_t append_entity(std::string& out, std::string_view html) {
  const std::size_t end = html.substr(0, 12).find(';');
  if (end == std::string_view::npos || end < 2) return 0;
  const std::string_view name = html.substr(1, end - 1);
  if (name.front() == '#') {
    const auto code = numeric(name);
    if (!code) return 0;
    append_code_point(out, *code);
    return end + 1;
  }
  for (const auto& [known, text] : kEntities) {
    if (known != name) continue;
    out += text;
    return end + 1;
  }
  return 0;
}

std::string decode_entities(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t taken = text[i] == '&' ? append_entity(out, text.substr(i)) : 0;
    if (taken == 0) out += text[i];
    i += taken == 0 ? 1 : taken;
  }
  return out;
}

struct Tag {
  std::string name;  // lower case, without the slash
  bool closing = false;
  std::string_view attributes;
};

// The tag whose '<' is at the start of `html`, and its length; a quoted '>' does not end it.
std::pair<Tag, std::size_t> read_tag(std::string_view html) {
  char quote = 0;
  std::size_t end = 1;
  for (; end < html.size(); ++end) {
    const char c = html[end];
    if (quote != 0)
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '>')
      break;
  }
  std::string_view inner = html.substr(1, end - 1);
  Tag tag;
  tag.closing = inner.starts_with('/');
  if (tag.closing) inner.remove_prefix(1);
  const std::size_t name = inner.find_first_of(" \t\r\n/");
  tag.name = ascii_lower(inner.substr(0, name));
  if (name != std::string_view::npos) tag.attributes = inner.substr(name);
  return {std::move(tag), std::min(end + 1, html.size())};
}

// The value of href, when it is a web or mail address.
std::string link_target(std::string_view attributes) {
  const std::size_t at = ascii_lower(attributes).find("href=");
  if (at == std::string::npos || at + 5 >= attributes.size()) return {};
  std::string_view value = attributes.substr(at + 5);
  const bool quoted = value.front() == '"' || value.front() == '\'';
  value = quoted ? value.substr(1, value.find(value.front(), 1) - 1)
                 : value.substr(0, value.find_first_of(" \t\r\n"));
  const std::string target = decode_entities(value);
  const bool web = target.starts_with("http://") || target.starts_with("https://");
  return web && target.find_first_of(" \r\n\t<>") == std::string::npos ? target : std::string();
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> list) {
  for (const std::string_view entry : list)
    if (entry == name) return true;
  return false;
}

// Gathers the text: runs of white space become one blank, empty lines at most one.
class Reader {
 public:
  void text(std::string_view piece) {
    for (const char c : piece) {
      if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\0') {
        blank_ = true;
        continue;
      }
      flush();
      out_ += c;
    }
  }
  void lines(int wanted) { breaks_ = std::max(breaks_, wanted); }
  void line_break() { breaks_ = std::min(breaks_ + 1, 2); }
  void tag(const Tag& tag) {
    if (tag.name == "br") return line_break();
    if (is_one_of(tag.name,
                  {"p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "table", "pre"}))
      return lines(2);
    if (is_one_of(tag.name, {"div", "tr", "section", "article", "header", "footer", "dl", "dt", "dd", "hr"}))
      return lines(1);
    if (is_one_of(tag.name, {"td", "th"})) blank_ = true;
    if (tag.name == "li") {
      lines(1);
      if (!tag.closing) text("-"), blank_ = true;
    }
    if (tag.name == "a") link(tag);
  }
  std::string take() { return std::move(out_); }

 private:
  void flush() {
    if (!out_.empty() && breaks_ > 0)
      out_.append(static_cast<std::size_t>(breaks_), '\n');
    else if (!out_.empty() && blank_)
      out_ += ' ';
    breaks_ = 0;
    blank_ = false;
  }
  void link(const Tag& tag) {
    if (!tag.closing) {
      target_ = link_target(tag.attributes);
      link_start_ = out_.size();
    } else if (!target_.empty()) {
      // The words of a link often are its address already.
      if (out_.find(target_, link_start_) == std::string::npos) text(" (" + target_ + ")");
      target_.clear();
    }
  }

  std::string out_;
  std::string target_;
  std::size_t link_start_ = 0;
  int breaks_ = 0;
  bool blank_ = false;
};

// Skips `<!-- ... -->` and the whole of elements whose content is not text; 0 when `html` starts with
// neither.
std::size_t skipped(std::string_view html, const Tag& tag) {
  if (html.starts_with("<!--")) {
    const std::size_t end = html.find("-->", 4);
    return end == std::string_view::npos ? html.size() : end + 3;
  }
  if (tag.closing || !is_one_of(tag.name, {"script", "style", "head", "title", "template"})) return 0;
  const std::string closing = "</" + tag.name;
  for (std::size_t at = html.find("</"); at != std::string_view::npos; at = html.find("</", at + 2))
    if (same_but_for_case(html.substr(at, closing.size()), closing)) return at;
  return html.size();
}

}  // namespace

std::string text_of_html(std::string_view html) {
  Reader reader;
  while (!html.empty()) {
    const std::size_t next = std::min(html.find('<'), html.size());
    if (next > 0) {
      reader.text(decode_entities(html.substr(0, next)));
      html.remove_prefix(next);
      continue;
    }
    // A '<' before anything but a letter, '/', '!' or '?' is text.
    const char after = html.size() > 1 ? html[1] : ' ';
    if (!(after == '/' || after == '!' || after == '?' || (after >= 'a' && after <= 'z') ||
          (after >= 'A' && after <= 'Z'))) {
      reader.text("<");
      html.remove_prefix(1);
      continue;
    }
    const auto [tag, length] = read_tag(html);
    const std::size_t skip = skipped(html, tag);
    if (skip == 0) reader.tag(tag);
    html.remove_prefix(skip > 0 ? skip : length);
  }
  return reader.take();
}

}  // namespace eilbote::mime
