// GET /messages/{id}/content: what a mail says, for those who must know. It is put on the audit record before it is shown; where
// that cannot be done, nothing is shown.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/audit.h"
#include "api/handlers.h"
#include "api/job_resource.h"
#include "domain/frozen_mail.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

std::string mailbox_text(const Mailbox& box) {
  return box.name.empty() ? box.address : box.name + " <" + box.address + ">";
}

json::object content_json(const Mail& mail) {
  json::array reply_to, attachments;
  for (const Mailbox& box : mail.reply_to)
    reply_to.emplace_back(mailbox_text(box));
  for (const Attachment& file : mail.attachments)
    attachments.push_back(json::object{{"name", file.name},
                                       {"contentType", file.content_type},
                                       {"bytes", file.content.size()},
                                       {"inline", file.is_inline}});
  json::object headers;
  for (const auto& [name, value] : mail.headers)
    headers[name] = value;
  return {{"from", mailbox_text(mail.from)},
          {"replyTo", std::move(reply_to)},
          {"subject", mail.subject},
          {"text", mail.text},
          {"html", mail.html},
          {"headers", std::move(headers)},
          {"attachments", std::move(attachments)}};
}

// What the stored bytes say; nothing after having answered why there is none.
std::optional<Mail> content_or_answer(Call& call, JobId id) {
  const auto contents = call.context.outbox.load_contents({&id, 1}, {});
  if (!contents) {
    call.reply(to_problem(contents.error()));
    return std::nullopt;
  }
  if (contents->mails.empty()) {
    call.reply(Problem{ProblemKind::gone, "the content of this message is no longer kept", {}});
    return std::nullopt;
  }
  auto frozen = read_frozen_mail(contents->mails.front().mime);
  if (frozen) return std::move(frozen->mail);
  call.reply(Problem{ProblemKind::internal,
                     kFailedInside,
                     {},
                     Error{ErrorKind::internal, "the stored content of a mail cannot be read"}});
  return std::nullopt;
}

void reply_content(Call& call, JobId id) {
  const auto record = call.context.outbox.find(id, std::nullopt);
  if (!record) return call.reply(to_problem(record.error()));
  if (!*record || !kMessages.holds(**record)) return call.reply(kMessages.missing());
  const auto mail = content_or_answer(call, id);
  if (!mail) return;
  AuditEntry entry = audit_entry(call, "message.read_content", "", {}, {});
  entry.job = id;
  if (const auto written = call.context.registry.add_audit(entry); !written)
    return call.reply(
        Problem{ProblemKind::unavailable,
                "the content is not shown: that it was read could not be put on the audit record",
                {},
                written.error()});
  call.reply_json(200, json::serialize(content_json(*mail)));
}

}  // namespace

void get_message_content(const CallPtr& call) {
  const auto id = id_or_404(*call, kMessages);
  if (!id) return;
  call->on_worker([call, id = *id] { reply_content(*call, id); });
}

}  // namespace eilbote
