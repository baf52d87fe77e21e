// Reads of single jobs: content for delivery, the record, its history, and the lanes with work.
#include "domain/tsid.h"
#include "store/content_json.h"
#include "store/sqlite/job_rows.h"
#include "store/sqlite/operations.h"
#include "store/webhook_json.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

// Columns of find_many after those of the job.
enum RecordColumn : int {
  kClientName = kAfterJob,
  kPoolCode,
  kRoute,
  kRecipients,
  kMeta,
  kTraceId,
  kMessageKey,
  kWebhook,
};

std::string key_or_id(std::string_view key, JobId id) {
  return key.empty() ? to_text(id) : std::string(key);
}

}  // namespace

std::vector<MailContent> load_mails(Reading& reading, std::span<const JobId> ids) {
  std::vector<MailContent> mails;
  mails.reserve(ids.size());
  for (const JobId id : ids) {
    MailContent mail;
    mail.id = id;
    {
      Run run = reading.database.run(q::load_mails);
      if (!run.with(id).row()) continue;
      mail.sender = run.text(0);
      mail.recipients = recipients_from_json(run.text(1));
      mail.mime = run.text(2);
      if (!run.is_null(3)) mail.retry = retry_from_json(run.text(3));
      mail.on_uncertain = kOnUncertainNames.parse(run.text(4)).value_or(OnUncertain::retry);
      mail.trace_id = run.text(5);
      mail.message_key = key_or_id(run.text(6), id);
    }
    add_results(reading.database, id, mail.recipients);
    mails.push_back(std::move(mail));
  }
  return mails;
}

std::vector<WebhookContent> load_webhooks(Reading& reading, std::span<const JobId> ids) {
  std::vector<WebhookContent> webhooks;
  webhooks.reserve(ids.size());
  for (const JobId id : ids) {
    Run run = reading.database.run(q::load_webhooks);
    if (!run.with(id).row()) continue;
    WebhookContent& content = webhooks.emplace_back();
    content.id = id;
    content.webhook = webhook_from_json(run.text(0));
    content.trace_id = run.text(1);
    content.webhook.payload = run.text(2);
  }
  return webhooks;
}

ActiveLanes active_lanes(Reading& reading) {
  ActiveLanes answer;
  answer.now = reading.now;
  for (Run run = reading.database.run(q::active_lanes); run.row();) {
    ActiveLane lane;
    lane.lane = LaneId{run.small(0)};
    lane.channel = kChannelNames.parse(run.text(1)).value_or(ChannelKind::mail);
    lane.client = ClientName{std::string(run.text(2))};
    lane.pool = run.text(3);
    lane.route = run.text(4);
    lane.next_due = run.time(5);
    answer.lanes.push_back(std::move(lane));
  }
  return answer;
}

std::vector<JobRecord> find_rows(Reading& reading, std::span<const JobId> ids) {
  GivenRows wanted;
  for (const JobId id : ids)
    wanted.add(id);
  std::vector<JobRecord> records;
  Run run = reading.database.run(q::find_many);
  for (run.with(wanted); run.row();) {
    JobRecord& record = records.emplace_back();
    record.job = job_of(run);
    record.job.client = ClientName{std::string(run.text(kClientName))};
    record.job.pool = run.text(kPoolCode);
    record.job.route = run.text(kRoute);
    record.recipients = recipients_from_json(run.text(kRecipients));
    record.meta = run.text(kMeta);
    record.trace_id = run.text(kTraceId);
    record.message_key = key_or_id(run.text(kMessageKey), record.job.id);
    if (!run.is_null(kWebhook)) record.webhook = webhook_from_json(run.text(kWebhook));
  }
  return records;
}

void complete_record(Reading& reading, JobRecord& record) {
  add_results(reading.database, record.job.id, record.recipients);
  Run failure = reading.database.run(q::last_failure);
  if (failure.with(record.job.id).row()) record.last_failure = attempt_of(failure);
  Run provider = reading.database.run(q::provider_ids);
  if (provider.with(record.job.id).row()) record.provider_message_id = provider.text(0);
}

std::optional<JobRecord> find(Reading& reading, JobId id, const std::optional<ClientName>& client) {
  std::vector<JobRecord> found = find_rows(reading, std::span(&id, 1));
  if (found.empty() || (client && found.front().job.client != *client)) return std::nullopt;
  JobRecord& record = found.front();
  complete_record(reading, record);
  if (record.webhook) {
    Run content = reading.database.run(q::load_webhooks);
    if (content.with(id).row()) record.webhook->payload = content.text(2);
  }
  return std::move(record);
}

JobHistory history(Reading& reading, JobId id) {
  JobHistory history;
  {
    Run run = reading.database.run(q::find_attempts_of);
    for (run.with(id); run.row();)
      history.attempts.push_back(attempt_of(run));
  }
  Run run = reading.database.run(q::find_events_of);
  for (run.with(id); run.row();)
    history.events.push_back({run.time(0), std::string(run.text(1)), std::string(run.text(2)),
                              std::string(run.text(3)), std::string(run.text(4)), std::string(run.text(5))});
  return history;
}

}  // namespace eilbote::sqlite
