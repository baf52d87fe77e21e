#include "domain/mail_meta.h"

#include <boost/json/serialize.hpp>

#include "base/json_escape.h"
#include "domain/json_members.h"

namespace eilbote {
namespace {

namespace json = boost::json;

void append_metadata(std::string& out, const std::map<std::string, std::string>& metadata) {
  out += R"(,"metadata":{)";
  for (const auto& [key, value] : metadata) {
    if (out.back() != '{') out += ',';
    append_json_string(out, key);
    out += ':';
    append_json_string(out, value);
  }
  out += '}';
}

void append_tags(std::string& out, const std::vector<std::string>& tags) {
  out += R"(,"tags":[)";
  for (const std::string& tag : tags) {
    if (out.back() != '[') out += ',';
    append_json_string(out, tag);
  }
  out += ']';
}

std::map<std::string, std::string> read_metadata(const json::object& members) {
  std::map<std::string, std::string> metadata;
  for (const auto& member : members)
    metadata.emplace(member.key(), as_text(member.value()));
  return metadata;
}

}  // namespace

MailMeta meta_of(const Mail& mail) {
  return {mail.subject, mail.metadata, mail.tags, mail.campaign_id, mail.group, mail.callback};
}

std::string to_json(const MailMeta& meta) {
  std::string out = R"({"subject":)";
  append_json_string(out, meta.subject);
  if (!meta.metadata.empty()) append_metadata(out, meta.metadata);
  if (!meta.tags.empty()) append_tags(out, meta.tags);
  if (!meta.campaign_id.empty()) append_json_string(out += R"(,"campaignId":)", meta.campaign_id);
  if (!meta.group.empty()) append_json_string(out += R"(,"group":)", meta.group);
  if (meta.callback) {
    append_json_string(out += R"(,"callback":{"url":)", meta.callback->url);
    append_json_string(out += R"(,"serviceAccountId":)", meta.callback->service_account_id);
    out += '}';
  }
  return out += '}';
}

MailMeta mail_meta_from_json(std::string_view text) {
  MailMeta meta;
  const json::value value = parse_json(text);
  if (!value.is_object()) return meta;
  meta.subject = text_at(value, {"subject"});
  if (const json::value* metadata = member_at(value, {"metadata"}); metadata && metadata->is_object())
    meta.metadata = read_metadata(metadata->get_object());
  if (const json::value* tags = member_at(value, {"tags"}); tags && tags->is_array())
    for (const json::value& tag : tags->get_array())
      meta.tags.push_back(as_text(tag));
  meta.campaign_id = text_at(value, {"campaignId"});
  meta.group = text_at(value, {"group"});
  if (const json::value* callback = member_at(value, {"callback"}); callback && callback->is_object())
    meta.callback = Callback{text_at(*callback, {"url"}), text_at(*callback, {"serviceAccountId"})};
  return meta;
}

std::string with_subject(std::string text, const std::function<std::string(std::string_view)>& change) {
  json::value value = parse_json(text);
  if (!value.is_object()) return text;
  json::value* subject = value.get_object().if_contains("subject");
  if (subject == nullptr || !subject->is_string() || subject->get_string().empty()) return text;
  const std::string_view now(subject->get_string());
  const std::string then = change(now);
  if (then == now) return text;
  *subject = then;
  return json::serialize(value);
}

}  // namespace eilbote
