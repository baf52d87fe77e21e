#include "cli/mail_draft.h"

#include <fmt/format.h>

#include <array>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace eilbote::cli {
namespace {

Result<std::string> read_all(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream in(path, std::ios::binary);
  std::error_code error;
  if (!in || std::filesystem::is_directory(path, error))
    return fail(ErrorKind::invalid,
                fmt::format("cannot read {}; is it a file, and may this user read it?", path));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// "@notes.txt" is the content of that file, "@-" standard input; anything else is the text itself.
Result<std::string> text_or_file(const std::string& value) {
  return value.starts_with('@') ? read_all(value.substr(1)) : Result<std::string>(value);
}

boost::json::array addresses(const std::vector<std::string>& list) {
  boost::json::array all;
  for (const auto& text : list)
    all.push_back(address_json(text));
  return all;
}

Result<boost::json::object> start_from(const std::string& path) {
  if (path.empty()) return boost::json::object{};
  const auto text = read_all(path);
  if (!text) return fail(text.error());
  boost::system::error_code error;
  auto value = boost::json::parse(*text, error);
  if (error || !value.is_object())
    return fail(ErrorKind::invalid, fmt::format("{} does not hold a JSON object{}", path,
                                                error ? ": " + error.message() : std::string()));
  return std::move(value.get_object());
}

Result<void> set_body(boost::json::object& mail, const MailDraft& draft) {
  if (draft.text.empty() && draft.html.empty()) return {};
  boost::json::object body;
  const auto text = text_or_file(draft.text), html = text_or_file(draft.html);
  if (!text) return fail(text.error());
  if (!html) return fail(html.error());
  if (!draft.text.empty()) body["text"] = *text;
  if (!draft.html.empty()) body["html"] = *html;
  mail["body"] = std::move(body);
  return {};
}

Result<void> set_attachments(boost::json::object& mail, const MailDraft& draft) {
  if (draft.attachments.empty()) return {};
  boost::json::array all;
  for (const auto& path : draft.attachments) {
    const auto content = path == "-"
                             ? fail(ErrorKind::invalid, "--attach: must be a file, not standard input")
                             : read_all(path);
    if (!content) return fail(content.error());
    const std::string name = std::filesystem::path(path).filename().string();
    all.push_back(boost::json::object{
        {"name", name}, {"contentType", content_type_of(name)}, {"content", base64url(*content)}});
  }
  mail["attachments"] = std::move(all);
  return {};
}

}  // namespace

boost::json::value address_json(std::string_view text) {
  const auto open = text.rfind('<');
  if (open == std::string_view::npos || !text.ends_with('>')) return boost::json::string(text);
  std::string_view name = text.substr(0, open);
  while (!name.empty() && name.back() == ' ')
    name.remove_suffix(1);
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
  const std::string_view email = text.substr(open + 1, text.size() - open - 2);
  if (name.empty()) return boost::json::string(email);
  return boost::json::object{{"email", email}, {"name", name}};
}

std::string base64url(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  out.reserve(bytes.size() * 4 / 3 + 3);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k <= count; ++k)
      out += kAlphabet[group >> (18 - 6 * k) & 63];
  }
  return out;
}

std::string_view content_type_of(std::string_view file_name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kTypes{{
      {".txt", "text/plain"},
      {".csv", "text/csv"},
      {".html", "text/html"},
      {".ics", "text/calendar"},
      {".pdf", "application/pdf"},
      {".json", "application/json"},
      {".xml", "application/xml"},
      {".zip", "application/zip"},
      {".png", "image/png"},
      {".jpg", "image/jpeg"},
      {".jpeg", "image/jpeg"},
      {".gif", "image/gif"},
      {".svg", "image/svg+xml"},
      {".eml", "message/rfc822"},
  }};
  for (const auto& [ending, type] : kTypes)
    if (file_name.ends_with(ending)) return type;
  return "application/octet-stream";
}

Result<boost::json::object> build_mail(const MailDraft& draft) {
  auto mail = start_from(draft.file);
  if (!mail) return mail;
  const auto set_text = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) (*mail)[name] = value;
  };
  const auto set_addresses = [&](std::string_view name, const std::vector<std::string>& list) {
    if (!list.empty()) (*mail)[name] = addresses(list);
  };
  if (!draft.from.empty()) (*mail)["from"] = address_json(draft.from);
  set_addresses("to", draft.to);
  set_addresses("cc", draft.cc);
  set_addresses("bcc", draft.bcc);
  set_addresses("replyTo", draft.reply_to);
  set_text("subject", draft.subject);
  set_text("campaignId", draft.campaign_id);
  set_text("pool", draft.pool);
  set_text("group", draft.group);
  set_text("scheduledFor", draft.scheduled_for);
  if (!draft.tags.empty()) (*mail)["tags"] = boost::json::value_from(draft.tags);
  if (const auto done = set_body(*mail, draft); !done) return fail(done.error());
  if (const auto done = set_attachments(*mail, draft); !done) return fail(done.error());
  return mail;
}

}  // namespace eilbote::cli
