// A mail's meta: what lists, searches and people look at, while the MIME bytes are for the wire. It lies as a JSON object in
// messages.meta; the API writes it, the stores and the callback desk read it, sealing and rekeying change its subject.
// The names of its members never change, or what is on record is no longer read (sql: blocked_groups knows `group`).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/mail.h"

namespace eilbote {

struct MailMeta {
  std::string subject;
  std::map<std::string, std::string> metadata;
  std::vector<std::string> tags;
  std::string campaign_id;
  std::string group;
  std::optional<Callback> callback;
};

MailMeta meta_of(const Mail& mail);

// The subject always, the others when there are any.
std::string to_json(const MailMeta& meta);
// What is missing, or no text, is empty; so is all of it when `json` is no object.
MailMeta mail_meta_from_json(std::string_view json);

// `json` with another subject: all its other members stay, those that are not known here too. Byte by byte as it was when
// it has no subject, or `change` answers the one it has.
std::string with_subject(std::string json, const std::function<std::string(std::string_view)>& change);

}  // namespace eilbote
