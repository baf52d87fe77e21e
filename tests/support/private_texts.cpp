#include "support/private_texts.h"

#include <gtest/gtest.h>

#include <bitset>
#include <boost/json.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/base64.h"
#include "base/json_escape.h"

namespace eilbote::test {
namespace {

namespace json = boost::json;

constexpr std::size_t kLeast = 8, kPiece = 16, kNotedMax = 4096, kStarts = 1 << 20;
const std::string kSecret = "secret", kAddress = "address or name", kUrl = "path or query of a URL";

// A member's kind is that of all texts below it; an empty one: public, wherever it is.
const std::map<std::string, std::string, std::less<>> kKindsByMember{{"from", kAddress},
                                                                     {"to", kAddress},
                                                                     {"cc", kAddress},
                                                                     {"bcc", kAddress},
                                                                     {"replyTo", kAddress},
                                                                     {"subject", "subject"},
                                                                     {"recipient", kAddress},
                                                                     {"address", kAddress},
                                                                     {"raw", "report"},
                                                                     {"body", "body"},
                                                                     {"text", "body"},
                                                                     {"html", "body"},
                                                                     {"attachments", "attachment"},
                                                                     {"contentType", ""},
                                                                     {"headers", "value of a header"},
                                                                     {"payload", "payload"},
                                                                     {"metadata", "metadata"},
                                                                     {"targetUrl", kUrl},
                                                                     {"callback", ""},
                                                                     {"url", kUrl}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto begin = text.find_first_not_of(kBlank);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool says_something(std::string_view text) {
  std::bitset<256> seen;
  for (const char byte : text)
    seen.set(static_cast<unsigned char>(byte));
  return text.size() >= kLeast && seen.count() >= 4;
}

// Everything after the host.
std::string_view after_host(std::string_view url) {
  const auto scheme = url.find("://");
  const auto path =
      scheme == std::string_view::npos ? scheme : url.find_first_of("/?", scheme + std::strlen("://"));
  return path == std::string_view::npos ? std::string_view() : url.substr(path);
}

void walk(const json::value& value, const std::string& kind, PrivateTexts& into) {
  if (const auto* object = value.if_object())
    for (const auto& [name, member] : *object) {
      const auto found = kKindsByMember.find(std::string_view(name));
      walk(member, found == kKindsByMember.end() ? kind : found->second, into);
    }
  if (const auto* array = value.if_array())
    for (const json::value& one : *array)
      walk(one, kind, into);
  if (const auto* text = value.if_string(); text != nullptr && !kind.empty())
    into.note(kind, kind == kUrl ? after_host(*text) : std::string_view(*text));
}

void walk_for_secrets(const json::value& value, PrivateTexts& into) {
  if (const auto* object = value.if_object())
    for (const auto& [name, member] : *object) {
      if ((name == "authToken" || name == "signingSecret") && member.is_string())
        into.note_secret(member.get_string());
      walk_for_secrets(member, into);
    }
}

json::value parsed(const std::string& body) {
  boost::system::error_code broken;
  json::value value = json::parse(body, broken);
  return broken ? json::value() : value;
}

std::uint64_t start_of(const char* text) {
  std::uint64_t start = 0;
  std::memcpy(&start, text, sizeof start);
  return start;
}
std::size_t place_of(std::uint64_t start) {
  return static_cast<std::size_t>((start * 0x9E3779B97F4A7C15U) >> 44U);
}
static_assert(kLeast == sizeof(std::uint64_t) && kStarts == 1U << (64 - 44));

std::string content_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::string line_around(std::string_view text, std::size_t at) {
  const auto before = text.rfind('\n', at);
  const auto begin = before == std::string_view::npos ? 0 : before + 1;
  return std::string(text.substr(begin, text.find('\n', at) - begin));
}

}  // namespace

PrivateTexts& PrivateTexts::of_this_test() {
  static PrivateTexts texts;
  const void* running = testing::UnitTest::GetInstance()->current_test_info();
  const std::lock_guard lock(texts.mutex_);
  if (texts.test_ != running) {
    texts.kinds_.clear();
    texts.sizes_by_start_.clear();
    texts.may_start_.clear();
    texts.noted_.clear();
    texts.has_secrets_ = false;
    texts.told_.clear();
    texts.test_ = running;
  }
  return texts;
}

void PrivateTexts::note(const std::string& kind, std::string_view text) {
  text = trimmed(text.substr(0, kNotedMax));
  if (!is_new(kind + ": " + std::string(text))) return;
  if (kind == kAddress) return note_address(text);
  // The rest goes with the last piece; no piece ends within a code point.
  while (text.size() >= kPiece + kLeast) {
    std::size_t end = kPiece;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
      ++end;
    note_piece(kind, text.substr(0, end));
    text.remove_prefix(end);
  }
  note_piece(kind, text);
}

void PrivateTexts::note_address(std::string_view text) {
  const auto open = text.find('<');
  note_piece(kAddress, text.substr(0, open));
  if (open != std::string_view::npos) note_piece(kAddress, text.substr(open + 1, text.find('>') - open - 1));
}

bool PrivateTexts::is_new(const std::string& text) {
  const std::lock_guard lock(mutex_);
  return noted_.insert(std::hash<std::string>{}(text)).second;
}

void PrivateTexts::note_secret(std::string_view text) {
  note(kSecret, text);
  text = trimmed(text);
  for (std::size_t before = 0; before < 3 && text.size() >= kLeast; ++before) {
    // Without the characters that depend on what stands around it.
    const std::string coded = base64_encode(std::string(before, '\0').append(text));
    const std::size_t begin = before == 0 ? 0 : before + 1;
    note(kSecret, std::string_view(coded).substr(begin, (before + text.size()) * 8 / 6 - begin));
  }
}

void PrivateTexts::note_piece(const std::string& kind, std::string_view piece) {
  piece = trimmed(piece);
  if (!says_something(piece)) return;
  note_form(kind, std::string(piece));
  std::string escaped;
  append_json_string(escaped, piece);
  note_form(kind, escaped.substr(1, escaped.size() - 2));
}

void PrivateTexts::note_form(const std::string& kind, std::string form) {
  const std::lock_guard lock(mutex_);
  has_secrets_ = has_secrets_ || kind == kSecret;
  may_start_.resize(kStarts);
  const std::uint64_t start = start_of(form.data());
  may_start_[place_of(start)] = 1;
  sizes_by_start_[start].insert(form.size());
  kinds_.emplace(std::move(form), kind);
}

void PrivateTexts::note_request(const std::string& body) {
  if (!body.empty() && is_new(body)) walk(parsed(body), "", *this);
}

void PrivateTexts::note_shown_secrets(const std::string& body) {
  if (body.find("authToken") != std::string::npos || body.find("signingSecret") != std::string::npos)
    walk_for_secrets(parsed(body), *this);
}

void PrivateTexts::note_environment(const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) {
    const bool is_option = name.starts_with("EILBOTE_") || name.starts_with("DISPATCH_");
    if (!is_option || name == "EILBOTE_TOKEN") note_secret(value);
    if (name.ends_with("_REF") && value.starts_with("file://"))
      note_secret(content_of(value.substr(std::strlen("file://"))));
    const auto user = value.find("://"), host = value.find('@');
    if (!is_option || user == std::string::npos || host == std::string::npos) continue;
    if (const auto password = value.find(':', user + 3); password < host)
      note_secret(std::string_view(value).substr(password + 1, host - password - 1));
  }
}

void PrivateTexts::note_command(const std::vector<std::string>& command,
                                const std::map<std::string, std::string>& environment) {
  note_environment(environment);
  if (command.size() < 2 || command[1] != "send") return;  // elsewhere --to is a time
  for (std::size_t i = 2; i + 1 < command.size(); ++i) {
    if (!command[i].starts_with("--")) continue;
    const auto found = kKindsByMember.find(command[i].substr(2));
    if (found != kKindsByMember.end()) note(found->second, command[i + 1]);
  }
}

std::vector<PrivateTexts::Finding> PrivateTexts::search(std::string_view text) const {
  return search_kinds(text, false);
}
std::vector<PrivateTexts::Finding> PrivateTexts::search_secrets(std::string_view text) const {
  return search_kinds(text, true);
}

// One pass over the text, however many texts are noted: logs of a load are long, and so is the list of its addresses.
std::vector<PrivateTexts::Finding> PrivateTexts::search_kinds(std::string_view text,
                                                              bool secrets_only) const {
  const std::lock_guard lock(mutex_);
  std::vector<Finding> findings;
  std::set<std::string> seen;
  if (kinds_.empty() || text.size() < kLeast || (secrets_only && !has_secrets_)) return findings;
  const char* const starts = may_start_.data();
  for (std::size_t at = 0; at <= text.size() - kLeast; ++at) {
    const std::uint64_t start = start_of(text.data() + at);
    if (starts[place_of(start)] == 0) continue;
    const auto sizes = sizes_by_start_.find(start);
    if (sizes == sizes_by_start_.end()) continue;
    for (const std::size_t size : sizes->second) {
      const auto found = kinds_.find(std::string(text.substr(at, size)));
      if (found == kinds_.end() || (secrets_only && found->second != kSecret)) continue;
      if (seen.insert(found->first).second)
        findings.push_back({found->second, found->first, line_around(text, at)});
    }
  }
  return findings;
}

void PrivateTexts::expect_none(const std::vector<Finding>& findings, const std::string& where) {
  for (const Finding& one : findings) {
    const std::lock_guard lock(mutex_);
    if (told_.insert(where + one.kind + one.line).second)
      ADD_FAILURE() << "private: a " << one.kind << ", '" << one.text << "', is in " << where << ": "
                    << one.line.substr(0, 2000);
  }
}

std::vector<std::string> problems_in_batch(const std::string& answer) {
  std::vector<std::string> problems;
  if (answer.find(R"("problem":)") == std::string::npos) return problems;
  const json::value all = parsed(answer);
  boost::system::error_code none;
  const json::value* items = all.find_pointer("/results", none);
  if (items == nullptr || !items->is_array()) return problems;
  for (const json::value& item : items->get_array())
    if (const json::value* problem = item.find_pointer("/problem", none))
      problems.push_back(json::serialize(*problem));
  return problems;
}

void expect_nothing_private_in_log(const std::string& file) {
  if (!std::filesystem::exists(file)) ADD_FAILURE() << "there is no log to search: " << file;
  PrivateTexts& texts = PrivateTexts::of_this_test();
  texts.expect_none(texts.search(content_of(file)), "the log");
}

}  // namespace eilbote::test
