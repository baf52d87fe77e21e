#include "domain/carried_job.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <charconv>
#include <limits>

#include "base/ascii.h"
#include "base/json_escape.h"
#include "domain/strict_json.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::string_view kIdField = "EmailId";
constexpr std::string_view kKeyField = "MessageKey";
constexpr std::string_view kAttemptField = "attempt";
constexpr int kAttemptMax = std::numeric_limits<int>::max();

tl::unexpected<Error> malformed(std::string what) {
  return fail(ErrorKind::invalid, std::move(what));
}

void append_text(std::string& out, std::string_view name, std::string_view value) {
  out += out.empty() ? '{' : ',';
  append_json_string(out, name);
  out += ':';
  append_json_string(out, value);
}
void append_number(std::string& out, std::string_view name, int value) {
  out += out.empty() ? '{' : ',';
  append_json_string(out, name);
  fmt::format_to(std::back_inserter(out), ":{}", value);
}

// The members a message is made of; null where it has none of that name. Null is also what JSON's null reads as.
struct Members {
  const json::value* id = nullptr;
  const json::value* key = nullptr;
  const json::value* attempt = nullptr;
};

Result<Members> members_of(const json::object& object) {
  Members found;
  for (const auto& member : object) {
    const std::string_view name(member.key().data(), member.key().size());
    for (const auto& [field, place] :
         {std::pair{kIdField, &found.id}, {kKeyField, &found.key}, {kAttemptField, &found.attempt}}) {
      if (!same_but_for_case(name, field)) continue;
      if (*place != nullptr) return malformed(fmt::format("{} is given twice", field));
      *place = &member.value();
    }
  }
  for (const json::value** place : {&found.id, &found.key, &found.attempt})
    if (*place != nullptr && (*place)->is_null()) *place = nullptr;
  return found;
}

std::optional<std::int64_t> whole_number(const json::value& value) {
  if (const auto* number = value.if_int64()) return *number;
  return std::nullopt;  // what Boost keeps as uint64 is above the range of an id
}

// Programs that read a BIGINT often get its digits as a text. Thirteen of them are the id's text, as all ids of that length.
std::optional<JobId> id_of_text(std::string_view text) {
  if (const auto id = parse_job_id(text)) return id;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return JobId{number};
}

std::optional<JobId> id_of(const json::value& value) {
  std::optional<JobId> id;
  if (const auto* text = value.if_string()) {
    id = id_of_text({text->data(), text->size()});
  } else if (const auto number = whole_number(value)) {
    id = JobId{*number};
  }
  return id && id->value() > 0 ? id : std::nullopt;
}

}  // namespace

std::string carried_job_text(const CarriedJob& job) {
  std::string text;
  append_text(text, kIdField, to_text(job.id));
  append_text(text, kKeyField, job.key);
  if (job.attempt) append_number(text, kAttemptField, *job.attempt);
  return text + "}";
}

Result<CarriedJob> parse_carried_job(std::string_view text) {
  if (text.size() > kCarriedBytesMax)
    return malformed(
        fmt::format("the message has {} bytes; at most {} are read", text.size(), kCarriedBytesMax));
  const auto document = parse_strict_json(text, {});
  // Where the faults are is not said: it would be told in names of the message's own.
  if (!document && document.error().broken.empty())
    return malformed("a member is given twice, or has U+0000");
  if (!document) return malformed("the message is not JSON: " + document.error().broken);
  const json::object* object = document->if_object();
  if (object == nullptr) return malformed(fmt::format("the message must be a JSON object with {}", kIdField));
  const auto members = members_of(*object);
  if (!members) return fail(members.error());

  if (members->id == nullptr) return malformed(fmt::format("{} is missing", kIdField));
  const auto id = id_of(*members->id);
  if (!id)
    return malformed(
        fmt::format("{} must be a job's id: its text of 13 characters, or its number", kIdField));
  CarriedJob job{*id, to_text(*id), std::nullopt};
  if (members->key != nullptr)
    if (const auto* key = members->key->if_string()) job.key.assign(key->data(), key->size());
  if (members->attempt == nullptr) return job;
  const auto attempt = whole_number(*members->attempt);
  if (!attempt || *attempt < 1 || *attempt > kAttemptMax)
    return malformed(fmt::format("{} must be a whole number from 1 to {}", kAttemptField, kAttemptMax));
  job.attempt = static_cast<int>(*attempt);
  return job;
}

std::string dead_letter_text(const DeadLetter& letter) {
  std::string text;
  append_text(text, kIdField, to_text(letter.id));
  append_text(text, kKeyField, letter.key);
  append_number(text, kAttemptField, letter.attempt);
  append_text(text, "deadReason", kDeadReasonNames.text(letter.reason));
  append_text(text, "lastError", letter.last_error);
  append_text(text, "failedAt", to_rfc3339(letter.failed_at));
  return text + "}";
}

}  // namespace eilbote
