// Reads of single jobs: content for delivery, the record, its history, and the lanes with work.
#include "store/row_readers.h"
#include "store/sqlite/operations.h"
#include "store/suppressed_recipients.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

// find_many: after a record's columns come the names of its lane.
enum LaneColumn : int { kClientName = kJobColumns + 5, kPoolCode, kRoute };

// Lays the results so far over recipients that all wait.
void add_results(Database& database, JobId job, std::vector<Recipient>& recipients) {
  Run run = database.run(q::load_recipients);
  for (run.with(job); run.row();)
    read_recipient(run, recipients);
}

// Looks up what is wanted of the suppression lists; mostly nothing.
void find_suppressed(Database& database, SuppressedRecipients& suppressed) {
  if (suppressed.wanted().empty()) return;
  GivenRows wanted;
  for (const auto& [client, address] : suppressed.wanted())
    wanted.add(client, address);
  Run run = database.run(q::find_suppressed);
  for (run.with(wanted); run.row();)
    suppressed.found(run.int4(0), run.text(1), run.time(2), run.text(3));
}

}  // namespace

std::vector<MailContent> load_mails(Reading& reading, std::span<const JobId> ids) {
  std::vector<MailContent> mails;
  mails.reserve(ids.size());
  SuppressedRecipients suppressed;
  for (const JobId id : ids) {
    MailContent mail;
    std::optional<std::int32_t> suppressing_client;
    {
      Run run = reading.database.run(q::load_mails);
      if (!run.with(id).row()) continue;
      mail = read_mail(run);
      suppressing_client = read_suppressing_client(run);
    }
    add_results(reading.database, id, mail.recipients);
    if (suppressing_client) suppressed.ask(*suppressing_client, mail);
    mails.push_back(std::move(mail));
  }
  find_suppressed(reading.database, suppressed);
  for (MailContent& mail : mails)
    suppressed.mark(mail);
  return mails;
}

std::vector<WebhookContent> load_webhooks(Reading& reading, std::span<const JobId> ids) {
  std::vector<WebhookContent> webhooks;
  webhooks.reserve(ids.size());
  for (const JobId id : ids) {
    Run run = reading.database.run(q::load_webhooks);
    if (run.with(id).row()) webhooks.push_back(read_webhook(run));
  }
  return webhooks;
}

ActiveLanes active_lanes(Reading& reading) {
  ActiveLanes answer;
  answer.now = reading.now;
  for (Run run = reading.database.run(q::active_lanes); run.row();) {
    ActiveLane lane;
    lane.lane = LaneId{run.int4(0)};
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
    Job& job = records.emplace_back(read_record(run)).job;
    job.client = ClientName{std::string(run.text(kClientName))};
    job.pool = run.text(kPoolCode);
    job.route = run.text(kRoute);
  }
  return records;
}

void complete_record(Reading& reading, JobRecord& record) {
  add_results(reading.database, record.job.id, record.recipients);
  Run failure = reading.database.run(q::last_failure);
  if (failure.with(record.job.id).row()) record.last_failure = read_attempt(failure);
  Run provider = reading.database.run(q::provider_ids);
  if (provider.with(record.job.id).row()) record.provider_message_id = provider.text(1);
}

std::optional<JobRecord> find(Reading& reading, JobId id, const std::optional<ClientName>& client) {
  std::vector<JobRecord> found = find_rows(reading, std::span(&id, 1));
  if (found.empty() || (client && found.front().job.client != *client)) return std::nullopt;
  JobRecord& record = found.front();
  complete_record(reading, record);
  if (record.webhook) {
    Run content = reading.database.run(q::load_webhooks);
    if (content.with(id).row()) record.webhook->payload = content.text(3);
  }
  return std::move(record);
}

JobHistory history(Reading& reading, JobId id) {
  JobHistory history;
  {
    Run run = reading.database.run(q::find_attempts_of);
    for (run.with(id); run.row();)
      history.attempts.push_back(read_attempt(run));
  }
  Run run = reading.database.run(q::find_events_of);
  for (run.with(id); run.row();)
    history.events.push_back(read_event(run));
  return history;
}

}  // namespace eilbote::sqlite
