#include "api/job_resource.h"

#include <fmt/format.h>

#include "api/message_json.h"
#include "api/webhook_json.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

// Only what failed or came back is sent again.
std::string settle_mail_state(ListQuery& query) {
  if (!query.state) query.state = MailState::FAILED;
  const bool can = query.state == MailState::FAILED || query.state == MailState::BOUNCED;
  return can ? "" : "must be FAILED or BOUNCED: only those are sent again";
}

// Only what failed for good is delivered again.
std::string settle_job_state(ListQuery& query) {
  const bool can = !query.webhook.state || query.webhook.state == WebhookState::ERROR;
  query.webhook.state = WebhookState::ERROR;
  query.webhook.dead = true;
  return can ? "" : "must be ERROR: only what failed is delivered again";
}

}  // namespace

constinit const JobResource kMessages{
    .channel = ChannelKind::mail,
    .one = "message",
    .filters = mail_filters,
    .write = [](const JobRecord& record, const WebhookView&) { return message_json(record); },
    .write_attempt = attempt_json,
    .settle_state = settle_mail_state,
};
constinit const JobResource kDispatchJobs{
    .channel = ChannelKind::webhook,
    .one = "dispatch job",
    .filters = job_filters,
    .write = dispatch_job_json,
    .write_attempt = dispatch_attempt_json,
    .settle_state = settle_job_state,
};

bool JobResource::holds(const JobRecord& record) const {
  return channel == ChannelKind::mail ? record.job.channel == channel : record.webhook.has_value();
}

Problem JobResource::missing() const {
  return {ProblemKind::not_found, fmt::format("there is no {} with this id", one), {}};
}

std::optional<JobId> id_or_404(Call& call, const JobResource& jobs) {
  const auto id = parse_job_id(call.params.at(0));
  if (!id) call.reply(jobs.missing());
  return id;
}

}  // namespace eilbote
