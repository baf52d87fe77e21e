#include "store/list_plan.h"

#include <algorithm>

#include "base/ascii.h"
#include "domain/mail_meta.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

ListPlan metadata_plan(const ListQuery& query) {
  const auto& [key, value] = query.metadata.front();
  return {ListSource::facet, FacetKind::metadata, metadata_facet(key, value)};
}

std::optional<ListPlan> facet_plan(const ListQuery& query) {
  const WebhookFilter& webhook = query.webhook;
  // Of a mail it says which order it is about; tags and campaigns are those of thousands.
  if (query.channel == ChannelKind::mail && query.recipient.empty() && !query.metadata.empty())
    return metadata_plan(query);
  const std::pair<FacetKind, const std::string&> texts[] = {
      {FacetKind::recipient, query.recipient},
      {FacetKind::campaign, query.campaign_id},
      {FacetKind::tag, query.tag},
      {FacetKind::external_id, webhook.external_id},
      {FacetKind::event_id, webhook.event_id},
      {FacetKind::correlation_id, webhook.correlation_id},
      {FacetKind::group, webhook.group},
      {FacetKind::subject, webhook.subject},
  };
  for (const auto& [kind, text] : texts)
    if (!text.empty()) return ListPlan{ListSource::facet, kind, text};
  if (!query.metadata.empty()) return metadata_plan(query);
  if (!webhook.subscription_id.empty())
    return ListPlan{ListSource::facet, FacetKind::subscription_id, webhook.subscription_id};
  return std::nullopt;
}

ListPlan of(ListSource source, std::string_view value = "") {
  return {source, FacetKind::recipient, std::string(value)};
}

ListPlan webhook_plan(const WebhookFilter& filter) {
  if (filter.retryable) return of(ListSource::retrying);
  if (filter.dead) return of(ListSource::ended, kJobStatusNames.text(JobStatus::failed));
  if (filter.state == WebhookState::ERROR) return of(ListSource::errors);
  return of(ListSource::all_webhooks);
}

ListPlan mail_plan(const ListQuery& query) {
  if (query.state == MailState::CANCELLED)
    return of(ListSource::ended, kJobStatusNames.text(JobStatus::cancelled));
  if (query.state == MailState::DELIVERED)
    return of(ListSource::reported, kReportNames.text(Report::delivered));
  if (query.state == MailState::BOUNCED) return of(ListSource::reported, kReportNames.text(Report::bounced));
  if (query.state == MailState::RETRY_PENDING) return of(ListSource::retrying);
  return of(ListSource::all_mails);
}

bool has_recipient(const JobRecord& record, const std::string& folded) {
  return std::ranges::any_of(record.recipients,
                             [&](const Recipient& r) { return ascii_lower(r.address) == folded; });
}

bool mail_matches(const JobRecord& record, const ListQuery& query) {
  if (query.state && mail_state(record.job) != *query.state) return false;
  if (!query.recipient.empty() && !has_recipient(record, ascii_lower(query.recipient))) return false;
  if (query.tag.empty() && query.campaign_id.empty() && query.metadata.empty()) return true;
  const MailMeta meta = mail_meta_from_json(record.meta);
  if (!query.campaign_id.empty() && meta.campaign_id != query.campaign_id) return false;
  if (!query.tag.empty() && std::ranges::find(meta.tags, query.tag) == meta.tags.end()) return false;
  return std::ranges::all_of(query.metadata, [&](const auto& wanted) {
    const auto found = meta.metadata.find(wanted.first);
    return found != meta.metadata.end() && found->second == wanted.second;
  });
}

bool same_texts(const Webhook& webhook, const WebhookFilter& filter) {
  const std::pair<const std::string&, const std::string&> texts[] = {
      {filter.external_id, webhook.external_id},
      {filter.source, webhook.source},
      {filter.code, webhook.code},
      {filter.subject, webhook.subject},
      {filter.event_id, webhook.event_id},
      {filter.correlation_id, webhook.correlation_id},
      {filter.subscription_id, webhook.subscription_id},
      {filter.group, webhook.message_group},
      {filter.service_account_id, webhook.service_account_id},
  };
  return std::ranges::all_of(
      texts, [](const auto& pair) { return pair.first.empty() || pair.first == pair.second; });
}

// Not under way: in line, or in the broker, or on its way there.
bool waits(JobStatus status) {
  return status == JobStatus::queued || status == JobStatus::blocked || status == JobStatus::publishing ||
         status == JobStatus::published;
}

bool webhook_matches(const JobRecord& record, const ListQuery& query, const WebhookView& view) {
  const Job& job = record.job;
  const WebhookFilter& filter = query.webhook;
  if (!record.webhook || !same_texts(*record.webhook, filter)) return false;
  const Webhook& webhook = *record.webhook;
  if (filter.state && webhook_state(job, view) != *filter.state) return false;
  if (filter.kind && webhook.kind != *filter.kind) return false;
  if (filter.mode && webhook.mode != *filter.mode) return false;
  if (filter.dead && job.status != JobStatus::failed) return false;
  if (filter.due && (!waits(job.status) || job.next_attempt_at > view.now)) return false;
  if (filter.retryable && (!waits(job.status) || job.retry_count == 0 || job.retry_count >= job.attempts_max))
    return false;
  return std::ranges::all_of(query.metadata, [&](const auto& wanted) {
    return std::ranges::find(webhook.metadata, wanted) != webhook.metadata.end();
  });
}

}  // namespace

ListPlan plan_list(const ListQuery& query) {
  if (auto plan = facet_plan(query)) return std::move(*plan);
  if (query.dead_reason || query.state == MailState::FAILED)
    return of(ListSource::ended, kJobStatusNames.text(JobStatus::failed));
  return query.channel == ChannelKind::webhook ? webhook_plan(query.webhook) : mail_plan(query);
}

bool matches(const JobRecord& record, const ListQuery& query, const WebhookView& view) {
  const Job& job = record.job;
  if (job.channel != query.channel) return false;
  if (query.client && job.client != *query.client) return false;
  if (query.dead_reason && (job.status != JobStatus::failed || job.dead_reason != query.dead_reason))
    return false;
  if (!query.pool.empty() && job.pool != query.pool) return false;
  if (query.created_from && job.id < tsid_floor(*query.created_from)) return false;
  if (query.created_to && job.id >= tsid_floor(*query.created_to)) return false;
  return query.channel == ChannelKind::webhook ? webhook_matches(record, query, view)
                                               : mail_matches(record, query);
}

}  // namespace eilbote
