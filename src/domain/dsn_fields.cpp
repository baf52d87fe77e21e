#include "domain/dsn_fields.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/ascii.h"
#include "base/utf8.h"
#include "domain/delivery.h"
#include "domain/dsn.h"
#include "domain/smtp_reply.h"

namespace eilbote::bounce {
namespace {

constexpr std::size_t kFieldBytesMax = 8192;
constexpr std::size_t kFieldsPerGroupMax = 300;
constexpr std::size_t kMessageIdBytesMax = 998;  // no line of a header may be longer
constexpr std::size_t kAddressBytesMax = 1016;   // what parse_address looks at

// The next line without its end, taken off the front.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_field_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_printable(c) && c != ' '; });
}

void append_folded(std::string& value, std::string_view line) {
  if (value.size() >= kFieldBytesMax) return;
  if (!value.empty()) value += ' ';
  value += line.substr(0, kFieldBytesMax - value.size());
}

class GroupReader {
 public:
  explicit GroupReader(std::size_t groups_max) : groups_max_(groups_max) {}

  // False: no more groups are wanted.
  bool read(std::string_view line) {
    const std::string_view words = trimmed(line);
    if (words.empty())
      end_group();
    else if (line.front() != ' ' && line.front() != '\t')
      begin_field(line);
    else if (in_field_)
      append_folded(group_.back().value, words);
    return groups_.size() < groups_max_;
  }
  std::vector<Fields> take() {
    end_group();
    return std::move(groups_);
  }

 private:
  void begin_field(std::string_view line) {
    const std::size_t colon = line.find(':');
    const std::string_view name = trimmed(line.substr(0, colon));
    in_field_ = colon != std::string_view::npos && is_field_name(name) && group_.size() < kFieldsPerGroupMax;
    if (in_field_)
      group_.push_back(
          {ascii_lower(name), std::string(trimmed(line.substr(colon + 1)).substr(0, kFieldBytesMax))});
  }
  void end_group() {
    in_field_ = false;
    if (group_.empty() || groups_.size() >= groups_max_) return;
    groups_.push_back(std::move(group_));
    group_.clear();
  }

  const std::size_t groups_max_;
  std::vector<Fields> groups_;
  Fields group_;
  bool in_field_ = false;  // a folded line belongs to the last field
};

// The Message-ID between these brackets; empty when it is none.
std::string sound_message_id(std::string_view inner) {
  const std::size_t at = inner.rfind('@');
  if (at == std::string_view::npos || at == 0 || at + 1 == inner.size()) return {};
  if (inner.size() + 2 > kMessageIdBytesMax || !is_utf8(inner) || has_control(inner) ||
      inner.find_first_of(" <>") != std::string_view::npos)
    return {};
  return "<" + std::string(inner) + ">";
}

// ---- addresses ----

std::optional<std::uint32_t> hex_number(std::string_view digits) {
  std::uint32_t number = 0;
  if (digits.empty() || digits.size() > 6) return std::nullopt;
  for (const char c : digits) {
    const char lower = ascii_lower(c);
    if (c >= '0' && c <= '9')
      number = number * 16 + static_cast<std::uint32_t>(c - '0');
    else if (lower >= 'a' && lower <= 'f')
      number = number * 16 + static_cast<std::uint32_t>(lower - 'a' + 10);
    else
      return std::nullopt;
  }
  return number;
}

// A number that is no character becomes bytes that are no UTF-8, and the address is refused for it.
void append_character(std::string& out, std::uint32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0 | ((code >> 18) & 0x0F));
    tail(12), tail(6), tail(0);
  }
}

// RFC 6533: "\x{E4}" stands for a character, in an address of the type utf-8.
std::string without_unicode_escapes(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.starts_with("\\x{") ? text.find('}') : std::string_view::npos;
    const auto code = end == std::string_view::npos ? std::nullopt : hex_number(text.substr(3, end - 3));
    if (code)
      append_character(out, *code);
    else
      out += text.front();
    text.remove_prefix(code ? end + 1 : 1);
  }
  return out;
}

// RFC 3461: "+2B" stands for a byte. A server that did not decode what it was given as ORCPT is told from an address with
// a tag ("ada+41@example.org") by this: only what must be encoded is.
std::string without_xtext(std::string_view text) {
  const bool has_at = text.find('@') != std::string_view::npos;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '+') {
      out += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    const auto code = digits.size() == 2 ? hex_number(digits) : std::nullopt;
    const bool must_be_encoded =
        code && (*code == '+' || *code == '=' || *code >= 0x7F || (*code == '@' && !has_at));
    if (!must_be_encoded) return std::string(text);
    out += static_cast<char>(*code);
    i += 2;
  }
  return is_utf8(out) ? out : std::string(text);
}

// Without angle brackets, and without a comment behind it.
std::string_view bare_address(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('<')) return trimmed(text.substr(1, text.find('>') - 1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '\\' && quoted) ++i;
    if (!quoted && i < text.size() && (text[i] == ' ' || text[i] == '\t')) return text.substr(0, i);
  }
  return text;
}

// ---- recipients ----

// "smtp; 550 no such user": the words alone.
std::string_view without_type(std::string_view value) {
  const std::size_t semicolon = value.find(';');
  if (semicolon == std::string_view::npos || !is_field_name(trimmed(value.substr(0, semicolon))))
    return value;
  return trimmed(value.substr(semicolon + 1));
}

std::string status_code(std::string_view value) {
  const std::string_view code = enhanced_code_at(value);
  return code.starts_with('2') || code.starts_with('4') || code.starts_with('5') ? std::string(code)
                                                                                 : std::string();
}

constexpr std::string_view kFinal = "final-recipient";
constexpr std::string_view kOriginal = "original-recipient";
constexpr std::string_view kAction = "action";
constexpr std::string_view kMessageId = "message-id";

// One recipient of a group; false when the group is not about one.
bool read_recipient(const Fields& group, RecipientReport& into) {
  const auto action = recipient_action(value_of(group, kAction));
  const std::string final_address = recipient_address(value_of(group, kFinal));
  into.original_address = recipient_address(value_of(group, kOriginal));
  into.address = final_address.empty() ? into.original_address : final_address;
  if (!action || into.address.empty()) return false;
  into.action = *action;
  into.status = status_code(value_of(group, "status"));
  into.diagnostic = clean_peer_text(trimmed(without_type(value_of(group, "diagnostic-code"))), kErrorTextMax);
  return true;
}

// Some servers forget the empty line between two recipients: then a second Final-Recipient begins the next, or the
// Original-Recipient that stands right before it.
std::vector<Fields> recipients_apart(Fields group) {
  std::vector<Fields> parted(1);
  for (Field& field : group) {
    if (field.name == kFinal && !value_of(parted.back(), kFinal).empty()) {
      Fields next;
      if (parted.back().back().name == kOriginal) {
        next.push_back(std::move(parted.back().back()));
        parted.back().pop_back();
      }
      parted.push_back(std::move(next));
    }
    parted.back().push_back(std::move(field));
  }
  return parted;
}

}  // namespace

std::vector<Fields> read_groups(std::string_view text, std::size_t groups_max) {
  GroupReader reader(groups_max);
  while (!text.empty())
    if (!reader.read(take_line(text))) break;
  return reader.take();
}

std::string_view value_of(const Fields& fields, std::string_view name) {
  for (const Field& field : fields)
    if (field.name == name) return field.value;
  return {};
}

std::string first_message_id(std::string_view value) {
  for (std::size_t open = value.find('<'); open != std::string_view::npos; open = value.find('<', open + 1)) {
    const std::size_t close = value.find('>', open);
    if (close == std::string_view::npos) return {};
    if (std::string id = sound_message_id(value.substr(open + 1, close - open - 1)); !id.empty()) return id;
  }
  // Some programs forget the brackets.
  return sound_message_id(trimmed(value));
}

std::string last_message_id(std::string_view value) {
  const std::size_t close = value.rfind('>');
  const std::size_t open = close == std::string_view::npos ? close : value.rfind('<', close);
  if (open == std::string_view::npos) return sound_message_id(trimmed(value));
  return sound_message_id(value.substr(open + 1, close - open - 1));
}

std::string recipient_address(std::string_view value) {
  const std::size_t semicolon = value.find(';');
  const bool has_type = semicolon != std::string_view::npos;
  const std::string_view type = has_type ? trimmed(value.substr(0, semicolon)) : std::string_view();
  const std::string_view bare = bare_address(has_type ? value.substr(semicolon + 1) : value);
  std::string address =
      same_but_for_case(type, "utf-8") ? without_unicode_escapes(bare) : without_xtext(bare);
  // Cut, it would be somebody else's.
  const bool sound = address.size() <= kAddressBytesMax && is_utf8(address) && !has_control(address);
  return sound ? address : std::string();
}

std::optional<ReportAction> recipient_action(std::string_view value) {
  constexpr std::array kActions{ReportAction::delivered, ReportAction::failed, ReportAction::delayed,
                                ReportAction::relayed, ReportAction::expanded};
  const std::string word = ascii_lower(value.substr(0, value.find_first_of(" \t(;")));
  const auto action = kReportActionNames.parse(word);
  const bool known = action && std::find(kActions.begin(), kActions.end(), *action) != kActions.end();
  return known ? action : std::nullopt;
}

void read_delivery_status(std::string_view text, DeliveryStatus& into) {
  // One more group is about the message itself, and some servers write others that are about nobody.
  constexpr std::size_t kGroupsMax = 2 * kDsnRecipientsMax;
  for (Fields& group : read_groups(text, kGroupsMax)) {
    if (into.original_message_id.empty())
      into.original_message_id = first_message_id(value_of(group, "x-original-message-id"));
    for (const Fields& one : recipients_apart(std::move(group))) {
      if (into.recipients.size() >= kDsnRecipientsMax) return;
      RecipientReport recipient;
      if (read_recipient(one, recipient)) into.recipients.push_back(std::move(recipient));
    }
  }
}

bool is_delivery_status(std::string_view text) {
  constexpr std::array<std::string_view, 5> kOfMessage{"reporting-mta", "original-envelope-id", "dsn-gateway",
                                                       "received-from-mta", "arrival-date"};
  const std::string_view first_line = trimmed(text).substr(0, 100);
  const std::string name = ascii_lower(trimmed(first_line.substr(0, first_line.find(':'))));
  if (std::find(kOfMessage.begin(), kOfMessage.end(), name) == kOfMessage.end()) return false;
  const auto groups = read_groups(text, 1);
  return !groups.empty() && !value_of(groups.front(), kOfMessage.front()).empty();
}

bool says_displayed(const std::vector<Fields>& notification) {
  for (const Fields& group : notification) {
    const std::string_view disposition = value_of(group, "disposition");
    if (disposition.empty()) continue;
    const std::string type = ascii_lower(without_type(disposition));
    const std::string_view word = trimmed(std::string_view(type).substr(0, type.find_first_of("/,(")));
    return word != "deleted" && word != "denied" && word != "failed";
  }
  return true;
}

std::optional<Fields> quoted_header(std::string_view text) {
  constexpr std::array<std::string_view, 5> kOfMails{"from", "to", "subject", "date", "received"};
  constexpr std::size_t kGroupsMax = 1000;
  for (Fields& group : read_groups(text, kGroupsMax)) {
    const auto has = [&group](std::string_view name) { return !value_of(group, name).empty(); };
    if (has(kMessageId) && std::count_if(kOfMails.begin(), kOfMails.end(), has) >= 2) return std::move(group);
  }
  return std::nullopt;
}

}  // namespace eilbote::bounce
