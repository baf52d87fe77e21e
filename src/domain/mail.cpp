// The rules a mail must keep before it is accepted. Called by the API for every message, alone or in a batch.
// Finds all faults at once; a detail says what would be right and never repeats content (it ends up in
// answers).
#include "domain/mail.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "domain/address.h"
#include "domain/mail_limits.h"
#include "domain/mail_syntax.h"
#include "domain/pool.h"
#include "domain/webhook_url.h"

namespace eilbote {
namespace {

using std::chrono::seconds;

// Names too long to repeat stay out of the pointer.
std::string member(std::string_view parent, std::string_view name) {
  constexpr std::size_t kRepeatedMax = 128;
  std::string pointer(parent);
  if (name.size() <= kRepeatedMax) pointer.append("/").append(pointer_step(name, kRepeatedMax));
  return pointer;
}

void check_mailbox(Faults& check, const Mailbox& box, const std::string& pointer) {
  if (const auto address = parse_address(box.address); !address)
    check.fault(pointer, address.error().message);
  if (!box.name.empty()) check.line(box.name, pointer + "/name", kMailboxNameMax);
}

void check_mailboxes(Faults& check, const std::vector<Mailbox>& boxes, const char* pointer) {
  for (std::size_t i = 0; i < boxes.size(); ++i)
    check_mailbox(check, boxes[i], fmt::format("{}/{}", pointer, i));
}

void check_envelope(Faults& check, const Mail& mail, const MailLimits& limits) {
  check_mailbox(check, mail.from, "/from");
  if (mail.to.empty()) check.fault("/to", "must name at least one recipient");
  if (mail.to.size() + mail.cc.size() + mail.bcc.size() > limits.recipients_max) {
    check.fault("/to",
                fmt::format("to, cc and bcc together may name at most {} recipients", limits.recipients_max));
  } else {
    check_mailboxes(check, mail.to, "/to");
    check_mailboxes(check, mail.cc, "/cc");
    check_mailboxes(check, mail.bcc, "/bcc");
  }
  if (check.count(mail.reply_to.size(), kMailReplyToMax, "/replyTo"))
    check_mailboxes(check, mail.reply_to, "/replyTo");
}

void check_content(Faults& check, const Mail& mail) {
  if (mail.subject.empty())
    check.fault("/subject", "is required and must not be empty");
  else
    check.line(mail.subject, "/subject", kMailSubjectMax);
  if (mail.text.empty() && mail.html.empty())
    check.fault("/body", "must have a text or an html that is not empty");
  check.storable(mail.text, "/body/text");
  check.storable(mail.html, "/body/html");
}

void check_header(Faults& check, const std::string& name, const std::string& value,
                  std::set<std::string>& seen) {
  const std::string pointer = member("/headers", name);
  if (!is_header_name(name)) {
    check.fault(pointer,
                fmt::format("the name must be 1 to {} printable ASCII characters without blank and colon",
                            kHeaderNameMax));
    return;
  }
  if (is_engine_header(name))
    check.fault(pointer,
                fmt::format("{} is set by Eilbote or by the transport and cannot be given here", name));
  else if (!seen.insert(ascii_lower(name)).second)
    check.fault(pointer, "may be given only once (upper and lower case are the same)");
  if (!check.line(value, pointer, kMailHeaderValueMax) || !is_verbatim_header(name)) return;
  if (!is_printable_ascii(value))
    check.fault(pointer, "must be ASCII: this header is never encoded");
  else if (longest_stretch(value) > kStretchMax)
    check.fault(pointer,
                fmt::format("must have no word longer than {} characters, the blanks before it included",
                            kStretchMax));
}

void check_headers(Faults& check, const Mail& mail) {
  if (!check.count(mail.headers.size(), kMailHeadersMax, "/headers")) return;
  std::set<std::string> seen;
  for (const auto& [name, value] : mail.headers)
    check_header(check, name, value, seen);
}

void check_metadata(Faults& check, const Mail& mail) {
  if (!check.count(mail.metadata.size(), kMailMetadataMax, "/metadata")) return;
  for (const auto& [key, value] : mail.metadata) {
    const std::string pointer = member("/metadata", key);
    if (key.empty()) check.fault(pointer, "the key must not be empty");
    if (check.line(key, pointer, kMailMetadataKeyMax)) check.line(value, pointer, kMailMetadataValueMax);
  }
}

void check_tags(Faults& check, const Mail& mail) {
  if (!check.count(mail.tags.size(), kMailTagsMax, "/tags")) return;
  for (auto tag = mail.tags.begin(); tag != mail.tags.end(); ++tag) {
    const std::string pointer = fmt::format("/tags/{}", tag - mail.tags.begin());
    if (tag->empty())
      check.fault(pointer, "must not be empty");
    else if (check.line(*tag, pointer, kMailTagMax) && std::find(mail.tags.begin(), tag, *tag) != tag)
      check.fault(pointer, "is there twice");
  }
}

void check_labels(Faults& check, const Mail& mail) {
  check_metadata(check, mail);
  check_tags(check, mail);
  check.line(mail.campaign_id, "/campaignId", kMailCampaignMax);
  check.line(mail.group, "/group", kMailGroupMax);
  check.line(mail.pool, "/pool", kPoolCodeMax);
}

void check_times(Faults& check, const Mail& mail, TimePoint now) {
  if (mail.scheduled_for && *mail.scheduled_for > now + kScheduledForMax)
    check.fault("/scheduledFor", "must be at most one year ahead");
  if (!mail.expires_at) return;
  if (*mail.expires_at <= now)
    check.fault("/expiresAt", "must be in the future");
  else if (mail.scheduled_for && *mail.expires_at <= *mail.scheduled_for)
    check.fault("/expiresAt", "must be later than scheduledFor");
}

void check_callback(Faults& check, const Callback& callback) {
  if (const auto url = parse_webhook_url(callback.url); !url)
    check.fault("/callback/url", url.error().message);
  check.line(callback.service_account_id, "/callback/serviceAccountId", kCallbackAccountMax);
}

void check_wait(Faults& check, seconds value, const std::string& pointer) {
  if (value < kRetryWaitMin || value > kRetryWaitMax)
    check.fault(pointer, fmt::format("must be {} to {} seconds (7 days)", kRetryWaitMin.count(),
                                     kRetryWaitMax.count()));
}

// An empty schedule means the default one.
void check_retry(Faults& check, const RetryPolicy& policy) {
  if (policy.attempts_max < 1 || policy.attempts_max > kRetryAttemptsMax)
    check.fault("/retry/maxAttempts", fmt::format("must be 1 to {}", kRetryAttemptsMax));
  check_wait(check, policy.base, "/retry/baseSeconds");
  check_wait(check, policy.max, "/retry/maxSeconds");
  check_wait(check, policy.delay, "/retry/delaySeconds");
  if (!(policy.jitter >= 0.0 && policy.jitter <= 1.0)) check.fault("/retry/jitter", "must be 0.0 to 1.0");
  if (!check.count(policy.schedule.size(), kRetryScheduleMax, "/retry/schedule")) return;
  for (std::size_t i = 0; i < policy.schedule.size(); ++i)
    check_wait(check, policy.schedule[i], fmt::format("/retry/schedule/{}", i));
}

void check_attachment(Faults& check, const Attachment& file, const std::string& pointer,
                      const MailLimits& limits, std::set<std::string>& content_ids) {
  if (file.name.empty() || file.name == "." || file.name == "..")
    check.fault(pointer + "/name", "must be a file name");
  else if (check.line(file.name, pointer + "/name", kAttachmentNameMax) &&
           file.name.find_first_of("/\\") != std::string::npos)
    check.fault(pointer + "/name", "must be a file name without path separators");
  if (!is_content_type(file.content_type))
    check.fault(
        pointer + "/contentType",
        "must be type/subtype like application/pdf, optionally with parameters; not multipart or message "
        "(attach a mail as application/octet-stream)");
  if (file.content.size() > limits.attachment_bytes_max)
    check.fault(pointer + "/content",
                fmt::format("must be at most {} bytes after decoding", limits.attachment_bytes_max));
  if (file.content_id.empty()) {
    if (file.is_inline) check.fault(pointer + "/contentId", "is required when inline is true");
  } else if (!is_content_id(file.content_id)) {
    check.fault(
        pointer + "/contentId",
        fmt::format("must be 1 to {} ASCII characters without blanks and brackets, like logo@example.org",
                    kContentIdMax));
  } else if (!content_ids.insert(file.content_id).second) {
    check.fault(pointer + "/contentId", "is there twice");
  }
}

void check_attachments(Faults& check, const Mail& mail, const MailLimits& limits) {
  if (!check.count(mail.attachments.size(), limits.attachments_max, "/attachments")) return;
  std::size_t bytes = 0;
  std::set<std::string> content_ids;
  for (std::size_t i = 0; i < mail.attachments.size(); ++i) {
    bytes += mail.attachments[i].content.size();
    check_attachment(check, mail.attachments[i], fmt::format("/attachments/{}", i), limits, content_ids);
  }
  if (bytes > limits.attachments_bytes_max)
    check.fault("/attachments", fmt::format("may have at most {} bytes together after decoding",
                                            limits.attachments_bytes_max));
}

}  // namespace

std::vector<Fault> check_mail(const Mail& mail, const MailLimits& limits, TimePoint now) {
  Faults check;
  check_envelope(check, mail, limits);
  check_content(check, mail);
  check_headers(check, mail);
  check_labels(check, mail);
  check_times(check, mail, now);
  if (mail.callback) check_callback(check, *mail.callback);
  if (mail.retry) check_retry(check, *mail.retry);
  check_attachments(check, mail, limits);
  return check.take();
}

}  // namespace eilbote
