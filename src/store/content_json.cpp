#include "store/content_json.h"

#include <boost/json.hpp>

#include "base/ascii.h"
#include "base/json_escape.h"
#include "base/sha256.h"
#include "domain/json_members.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// The word in a facet's hash; never changes, or what is on record is no longer found.
std::string_view facet_name(FacetKind kind) {
  switch (kind) {
    case FacetKind::recipient:
      return "recipient";
    case FacetKind::tag:
      return "tag";
    case FacetKind::campaign:
      return "campaign";
    case FacetKind::external_id:
      return "externalId";
    case FacetKind::subject:
      return "subject";
    case FacetKind::event_id:
      return "eventId";
    case FacetKind::correlation_id:
      return "correlationId";
    case FacetKind::subscription_id:
      return "subscriptionId";
    case FacetKind::group:
      return "messageGroup";
    case FacetKind::metadata:
      return "metadata";
  }
  return "";
}

}  // namespace

std::string recipients_to_json(const std::vector<Recipient>& recipients) {
  std::string out = "[";
  for (const Recipient& recipient : recipients) {
    if (out.size() > 1) out += ',';
    out += "[\"";
    out += kRecipientKindNames.text(recipient.kind);
    out += "\",";
    append_json_string(out, recipient.address);
    out += ']';
  }
  out += ']';
  return out;
}

std::vector<Recipient> recipients_from_json(std::string_view text) {
  std::vector<Recipient> recipients;
  const json::value value = parse_json(text);
  if (!value.is_array()) return recipients;
  for (const json::value& entry : value.get_array()) {
    if (!entry.is_array() || entry.get_array().size() != 2) return {};
    Recipient recipient;
    recipient.kind = kRecipientKindNames.parse(as_text(entry.get_array()[0])).value_or(RecipientKind::to);
    recipient.address = as_text(entry.get_array()[1]);
    recipients.push_back(std::move(recipient));
  }
  return recipients;
}

std::string retry_to_json(const RetryPolicy& policy) {
  json::array schedule;
  for (const std::chrono::seconds wait : policy.schedule)
    schedule.emplace_back(static_cast<std::int64_t>(wait.count()));
  const std::string_view strategy = kRetryStrategyNames.text(policy.strategy);
  json::object object;
  object["strategy"] = json::string_view(strategy.data(), strategy.size());
  object["maxAttempts"] = static_cast<std::int64_t>(policy.attempts_max);
  object["baseSeconds"] = static_cast<std::int64_t>(policy.base.count());
  object["maxSeconds"] = static_cast<std::int64_t>(policy.max.count());
  object["jitter"] = policy.jitter;
  object["schedule"] = std::move(schedule);
  object["delaySeconds"] = static_cast<std::int64_t>(policy.delay.count());
  return json::serialize(object);
}

std::optional<RetryPolicy> retry_from_json(std::string_view text) {
  const json::value value = parse_json(text);
  if (!value.is_object()) return std::nullopt;
  const json::object& object = value.get_object();
  RetryPolicy policy;
  if (const json::value* strategy = object.if_contains("strategy"))
    policy.strategy = kRetryStrategyNames.parse(as_text(*strategy)).value_or(policy.strategy);
  policy.attempts_max = static_cast<int>(number_in(object, "maxAttempts").value_or(policy.attempts_max));
  policy.base = std::chrono::seconds{number_in(object, "baseSeconds").value_or(policy.base.count())};
  policy.max = std::chrono::seconds{number_in(object, "maxSeconds").value_or(policy.max.count())};
  policy.delay = std::chrono::seconds{number_in(object, "delaySeconds").value_or(policy.delay.count())};
  if (const json::value* jitter = object.if_contains("jitter"); jitter != nullptr && jitter->is_number())
    policy.jitter = jitter->to_number<double>();
  if (const json::value* schedule = object.if_contains("schedule");
      schedule != nullptr && schedule->is_array())
    for (const json::value& wait : schedule->get_array())
      if (wait.is_int64()) policy.schedule.emplace_back(wait.get_int64());
  return policy;
}

std::int64_t facet_hash(const ClientName& client, FacetKind kind, std::string_view value) {
  if (kind == FacetKind::recipient) return hash64({client.value(), facet_name(kind), ascii_lower(value)});
  return hash64({client.value(), facet_name(kind), value});
}

std::string metadata_facet(std::string_view key, std::string_view value) {
  // Neither part can hold a control character.
  return std::string(key).append(1, '\x01').append(value);
}

std::vector<std::int64_t> facets_of(const ClientName& client, const std::vector<Recipient>& recipients,
                                    const std::vector<std::string>& tags, const std::string& campaign_id,
                                    const std::map<std::string, std::string>& metadata) {
  std::vector<std::int64_t> hashes;
  hashes.reserve(recipients.size() + tags.size() + 1 + metadata.size());
  for (const Recipient& recipient : recipients)
    hashes.push_back(facet_hash(client, FacetKind::recipient, recipient.address));
  for (const std::string& tag : tags)
    hashes.push_back(facet_hash(client, FacetKind::tag, tag));
  if (!campaign_id.empty()) hashes.push_back(facet_hash(client, FacetKind::campaign, campaign_id));
  for (const auto& [key, value] : metadata)
    hashes.push_back(facet_hash(client, FacetKind::metadata, metadata_facet(key, value)));
  return hashes;
}

std::vector<std::int64_t> facets_of(const ClientName& client, const Webhook& webhook) {
  std::vector<std::int64_t> hashes;
  const std::pair<FacetKind, const std::string&> texts[] = {
      {FacetKind::external_id, webhook.external_id},
      {FacetKind::subject, webhook.subject},
      {FacetKind::event_id, webhook.event_id},
      {FacetKind::correlation_id, webhook.correlation_id},
      {FacetKind::subscription_id, webhook.subscription_id},
      {FacetKind::group, webhook.message_group},
  };
  for (const auto& [kind, text] : texts)
    if (!text.empty()) hashes.push_back(facet_hash(client, kind, text));
  for (const auto& [key, value] : webhook.metadata)
    hashes.push_back(facet_hash(client, FacetKind::metadata, metadata_facet(key, value)));
  return hashes;
}

std::vector<std::int64_t> facets_of(const NewJob& job) {
  if (job.channel == ChannelKind::webhook) return facets_of(job.client, job.webhook);
  return facets_of(job.client, job.mail.recipients, job.mail.tags, job.mail.campaign_id, job.mail.metadata);
}

std::optional<std::int64_t> group_number(const NewJob& job) {
  if (job.group.empty() || job.group_mode == GroupMode::IMMEDIATE) return std::nullopt;
  return hash64({job.client.value(), kChannelNames.text(job.channel), job.group});
}

std::string_view first_state(const NewJob& job, bool broker) {
  if (job.channel == ChannelKind::mail) return kMailStateNames.text(MailState::QUEUED);
  return kWebhookStateNames.text(broker || job.scheduled_for ? WebhookState::PENDING : WebhookState::QUEUED);
}

}  // namespace eilbote
