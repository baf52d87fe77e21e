#include "api/mail_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/json_fields.h"
#include "base/base64url.h"
#include "base/duration.h"
#include "domain/idempotency.h"
#include "domain/mail_limits.h"

namespace eilbote {
namespace {

namespace json = boost::json;
using std::chrono::seconds;

constexpr std::size_t kMailListMax = 10'000;  // bounds the work; the rules of mail are stricter
constexpr std::int64_t kSecondsMax = 365 * 86'400;

// What one body is read into.
struct MailDraft {
  explicit MailDraft(const ApiSettings& s) : settings(s) {}

  const ApiSettings& settings;
  Mail mail;
  std::optional<std::string> callback_url;  // short for a callback without an account
  std::string idempotency_key;
  std::vector<Fault> too_large;
  std::size_t attachment_bytes = 0;
  bool unknown_pool = false;
};

void put(std::optional<std::string> text, std::string& into) {
  if (text) into = std::move(*text);
}

// ---- mailboxes ----

constexpr FieldRow<Mailbox> kMailboxFields[] = {
    {"email", [](Mailbox& m, const json::value& v, const Place& p) { put(read_text(v, p), m.address); }},
    {"name", [](Mailbox& m, const json::value& v, const Place& p) { put(read_text(v, p), m.name); }},
};

std::optional<Mailbox> read_mailbox(const json::value& value, const Place& place) {
  Mailbox box;
  if (value.is_string()) {
    put(read_text(value, place), box.address);
    return box;
  }
  if (!value.is_object()) {
    place.fault("must be an address or an object with email and name");
    return std::nullopt;
  }
  read_fields(value, place, kMailboxFields, box);
  if (!value.get_object().contains("email")) Place(place, "email").fault("is required");
  return box;
}

void read_mailboxes(std::vector<Mailbox>& boxes, const json::value& value, const Place& place) {
  const json::array* array = read_array(value, place, kMailListMax);
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->size(); ++i)
    boxes.push_back(read_mailbox((*array)[i], Place(place, i)).value_or(Mailbox{}));
}

// ---- content ----

constexpr FieldRow<MailDraft> kBodyFields[] = {
    {"text", [](MailDraft& d, const json::value& v, const Place& p) { put(read_text(v, p), d.mail.text); }},
    {"html", [](MailDraft& d, const json::value& v, const Place& p) { put(read_text(v, p), d.mail.html); }},
};

constexpr FieldRow<Attachment> kAttachmentFields[] = {
    {"name", [](Attachment& a, const json::value& v, const Place& p) { put(read_text(v, p), a.name); }},
    {"contentType",
     [](Attachment& a, const json::value& v, const Place& p) { put(read_text(v, p), a.content_type); }},
    {"content",
     [](Attachment& a, const json::value& v, const Place& p) {
       const json::string* text = v.if_string();
       if (text == nullptr) return p.fault("must be a string of Base64URL");
       auto bytes = decode_base64url({text->data(), text->size()});
       if (!bytes) return p.fault(bytes.error().message);
       a.content = std::move(*bytes);
     }},
    {"contentId",
     [](Attachment& a, const json::value& v, const Place& p) { put(read_text(v, p), a.content_id); }},
    {"inline", [](Attachment& a, const json::value& v,
                  const Place& p) { a.is_inline = read_flag(v, p).value_or(false); }},
};

void read_attachment(MailDraft& draft, const json::value& value, const Place& place) {
  Attachment attachment;
  if (!read_fields(value, place, kAttachmentFields, attachment)) return;
  for (const std::string_view name : {"name", "contentType", "content"})
    if (!value.get_object().contains(name)) Place(place, name).fault("is required");
  const MailLimits& limits = draft.settings.mail_limits;
  const std::string pointer = place.pointer();
  if (attachment.content.size() > limits.attachment_bytes_max)
    draft.too_large.push_back({pointer + "/content", fmt::format("must be at most {} bytes after decoding",
                                                                 limits.attachment_bytes_max)});
  draft.attachment_bytes += attachment.content.size();
  draft.mail.attachments.push_back(std::move(attachment));
}

void read_attachments(MailDraft& draft, const json::value& value, const Place& place) {
  const json::array* array = read_array(value, place, draft.settings.mail_limits.attachments_max);
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->size(); ++i)
    read_attachment(draft, (*array)[i], Place(place, i));
  if (draft.attachment_bytes > draft.settings.mail_limits.attachments_bytes_max)
    draft.too_large.push_back(
        {place.pointer(), fmt::format("must be at most {} bytes together after decoding",
                                      draft.settings.mail_limits.attachments_bytes_max)});
}

void read_headers(MailDraft& draft, const json::value& value, const Place& place) {
  const json::object* object = read_object(value, place);
  if (object == nullptr) return;
  for (const auto& member : *object) {
    const std::string_view name(member.key().data(), member.key().size());
    if (auto text = read_text(member.value(), Place(place, name)))
      draft.mail.headers.emplace_back(std::string(name), std::move(*text));
  }
}

void read_metadata(MailDraft& draft, const json::value& value, const Place& place) {
  const json::object* object = read_object(value, place);
  if (object == nullptr) return;
  for (const auto& member : *object) {
    const std::string_view name(member.key().data(), member.key().size());
    if (auto text = read_text(member.value(), Place(place, name)))
      draft.mail.metadata.emplace(std::string(name), std::move(*text));
  }
}

void read_tags(MailDraft& draft, const json::value& value, const Place& place) {
  const json::array* array = read_array(value, place, kMailListMax);
  if (array == nullptr) return;
  for (std::size_t i = 0; i < array->size(); ++i)
    draft.mail.tags.push_back(read_text((*array)[i], Place(place, i)).value_or("?"));
}

// ---- retry ----

struct RetryDraft {
  RetryPolicy policy;
  bool has_attempts = false;
  bool has_schedule = false;
};

std::optional<seconds> read_seconds(const json::value& value, const Place& place) {
  const auto count = read_integer(value, place, 0, kSecondsMax);
  return count ? std::optional(seconds{*count}) : std::nullopt;
}

// Seconds or texts like "5m" in an array; or the whole list as one text, "1m,5m,1h" or "default".
void read_schedule(RetryDraft& draft, const json::value& value, const Place& place) {
  draft.has_schedule = true;
  draft.policy.schedule.clear();
  if (value.is_string()) {
    auto schedule = parse_schedule(*read_text(value, place));
    if (!schedule) return place.fault(schedule.error().message);
    draft.policy.schedule = std::move(*schedule);
    return;
  }
  const json::array* array = read_array(value, place, 100);
  if (array == nullptr) return;
  if (array->empty()) return place.fault("must have at least one wait");
  for (std::size_t i = 0; i < array->size(); ++i) {
    const Place at(place, i);
    if ((*array)[i].is_string()) {
      const auto wait = parse_duration(*read_text((*array)[i], at));
      if (!wait) at.fault(wait.error().message);
      draft.policy.schedule.push_back(wait ? std::chrono::duration_cast<seconds>(*wait) : seconds{1});
    } else {
      draft.policy.schedule.push_back(read_seconds((*array)[i], at).value_or(seconds{1}));
    }
  }
}

constexpr FieldRow<RetryDraft> kRetryFields[] = {
    {"strategy",
     [](RetryDraft& r, const json::value& v, const Place& p) {
       if (const auto s = read_enum(v, p, kRetryStrategyNames)) r.policy.strategy = *s;
     }},
    {"maxAttempts",
     [](RetryDraft& r, const json::value& v, const Place& p) {
       r.has_attempts = true;
       if (const auto n = read_integer(v, p, 1, kRetryAttemptsMax))
         r.policy.attempts_max = static_cast<int>(*n);
     }},
    {"baseSeconds",
     [](RetryDraft& r, const json::value& v, const Place& p) {
       if (const auto s = read_seconds(v, p)) r.policy.base = *s;
     }},
    {"maxSeconds",
     [](RetryDraft& r, const json::value& v, const Place& p) {
       if (const auto s = read_seconds(v, p)) r.policy.max = *s;
     }},
    {"jitter",
     [](RetryDraft& r, const json::value& v, const Place& p) {
       if (const auto j = read_number(v, p, 0, 1)) r.policy.jitter = *j;
     }},
    {"schedule", read_schedule},
    {"delaySeconds",
     [](RetryDraft& r, const json::value& v, const Place& p) {
       if (const auto s = read_seconds(v, p)) r.policy.delay = *s;
     }},
};

void read_retry(MailDraft& draft, const json::value& value, const Place& place) {
  RetryDraft retry{draft.settings.mail_retry};
  if (!read_fields(value, place, kRetryFields, retry)) return;
  if (retry.policy.strategy == RetryStrategy::schedule && !retry.has_schedule &&
      retry.policy.schedule.empty())
    retry.policy.schedule = default_schedule();
  // A schedule that is chosen for one mail brings as many attempts as the default one has waits.
  const bool schedule_by_choice = retry.policy.strategy == RetryStrategy::schedule &&
                                  draft.settings.mail_retry.strategy != RetryStrategy::schedule;
  if (schedule_by_choice && !retry.has_attempts) retry.policy.attempts_max = kDefaultScheduleAttempts;
  draft.mail.retry = std::move(retry.policy);
}

// ---- the callback ----

constexpr FieldRow<Callback> kCallbackFields[] = {
    {"url", [](Callback& c, const json::value& v, const Place& p) { put(read_text(v, p), c.url); }},
    {"serviceAccountId",
     [](Callback& c, const json::value& v, const Place& p) { put(read_text(v, p), c.service_account_id); }},
};

// ---- the mail ----

constexpr FieldRow<MailDraft> kMailFields[] = {
    {"from", [](MailDraft& d, const json::value& v,
                const Place& p) { d.mail.from = read_mailbox(v, p).value_or(Mailbox{}); }},
    {"to", [](MailDraft& d, const json::value& v, const Place& p) { read_mailboxes(d.mail.to, v, p); }},
    {"cc", [](MailDraft& d, const json::value& v, const Place& p) { read_mailboxes(d.mail.cc, v, p); }},
    {"bcc", [](MailDraft& d, const json::value& v, const Place& p) { read_mailboxes(d.mail.bcc, v, p); }},
    {"replyTo",
     [](MailDraft& d, const json::value& v, const Place& p) { read_mailboxes(d.mail.reply_to, v, p); }},
    {"subject",
     [](MailDraft& d, const json::value& v, const Place& p) { put(read_text(v, p), d.mail.subject); }},
    {"body", [](MailDraft& d, const json::value& v, const Place& p) { read_fields(v, p, kBodyFields, d); }},
    {"attachments", read_attachments},
    {"headers", read_headers},
    {"metadata", read_metadata},
    {"tags", read_tags},
    {"campaignId",
     [](MailDraft& d, const json::value& v, const Place& p) { put(read_text(v, p), d.mail.campaign_id); }},
    {"scheduledFor",
     [](MailDraft& d, const json::value& v, const Place& p) { d.mail.scheduled_for = read_time(v, p); }},
    {"expiresAt",
     [](MailDraft& d, const json::value& v, const Place& p) { d.mail.expires_at = read_time(v, p); }},
    {"group", [](MailDraft& d, const json::value& v, const Place& p) { put(read_text(v, p), d.mail.group); }},
    {"pool",
     [](MailDraft& d, const json::value& v, const Place& p) {
       put(read_text(v, p), d.mail.pool);
       d.unknown_pool = v.is_string() && !d.settings.has_pool(d.mail.pool);
     }},
    {"callback",
     [](MailDraft& d, const json::value& v, const Place& p) {
       read_fields(v, p, kCallbackFields, d.mail.callback.emplace());
       if (v.is_object() && !v.get_object().contains("url")) Place(p, "url").fault("is required");
     }},
    {"callbackUrl", [](MailDraft& d, const json::value& v,
                       const Place& p) { put(read_text(v, p), d.callback_url.emplace()); }},
    {"retry", read_retry},
    {"onUncertain",
     [](MailDraft& d, const json::value& v, const Place& p) {
       d.mail.on_uncertain = read_enum(v, p, kOnUncertainNames).value_or(OnUncertain::retry);
     }},
    // Of a batch item only; read_mail refuses it elsewhere.
    {"idempotencyKey",
     [](MailDraft& d, const json::value& v, const Place& p) {
       auto key = read_text(v, p);
       if (!key) return;
       const auto checked = check_idempotency_key(*key);
       if (!checked) return p.fault(checked.error().message);
       d.idempotency_key = std::move(*key);
     }},
};

std::optional<Problem> problem_of(MailDraft& draft, std::vector<Fault> faults, TimePoint now) {
  // Too large alone is 413; with anything else wrong it is one fault among others.
  const bool only_large = faults.empty() && !draft.too_large.empty();
  for (Fault& fault : draft.too_large)
    faults.push_back(std::move(fault));
  const std::size_t large = faults.size();
  std::vector<Fault> rules = check_mail(draft.mail, draft.settings.mail_limits, now);
  for (Fault& fault : rules)
    if (draft.callback_url && fault.pointer == "/callback/url") fault.pointer = "/callbackUrl";
  add_rules_faults(faults, std::move(rules));
  if (!faults.empty()) {
    Problem problem = invalid(std::move(faults));
    if (only_large && problem.errors.size() == large) problem.kind = ProblemKind::too_large;
    return problem;
  }
  if (draft.unknown_pool)
    return Problem{ProblemKind::unknown_pool,
                   "/pool: there is no pool of this name",
                   {{"/pool", "there is no pool of this name"}}};
  return std::nullopt;
}

}  // namespace

MailReading read_mail(const json::value& body, MailPart part, const ApiSettings& settings, TimePoint now) {
  std::vector<Fault> faults;
  MailDraft draft(settings);
  const Place root(faults);
  MailReading reading;
  if (!read_fields(body, root, kMailFields, draft)) {
    reading.problem = invalid(std::move(faults));
    return reading;
  }
  const json::object& object = body.get_object();
  if (part == MailPart::message && object.contains("idempotencyKey"))
    Place(root, "idempotencyKey")
        .fault("belongs into the header Idempotency-Key here; only items of a batch carry it");
  if (draft.callback_url && draft.mail.callback)
    Place(root, "callbackUrl").fault("is short for callback: give one of the two");
  if (draft.callback_url && !draft.mail.callback) draft.mail.callback = Callback{*draft.callback_url, ""};
  for (const std::string_view name : {"from", "to", "subject", "body"})
    if (!object.contains(name)) Place(root, name).fault("is required");
  reading.problem = problem_of(draft, std::move(faults), now);
  reading.mail = std::move(draft.mail);
  reading.idempotency_key = std::move(draft.idempotency_key);
  return reading;
}

}  // namespace eilbote
