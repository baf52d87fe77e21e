// How a mail's content lies in the database as JSON, and what jobs are found by; the same in both stores.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/ids.h"
#include "domain/job.h"
#include "domain/retry_policy.h"
#include "domain/webhook.h"
#include "ports/outbox.h"

namespace eilbote {

// [["to","a@example.org"],["cc","b@example.org"]] in envelope order. Statuses lie in `recipients`.
std::string recipients_to_json(const std::vector<Recipient>& recipients);
// All waiting. Empty for a text that is not what recipients_to_json writes.
std::vector<Recipient> recipients_from_json(std::string_view json);

std::string retry_to_json(const RetryPolicy& policy);
std::optional<RetryPolicy> retry_from_json(std::string_view json);

// What a facet is about; addresses are compared without regard to ASCII case.
enum class FacetKind {
  recipient,
  tag,
  campaign,
  external_id,
  subject,
  event_id,
  correlation_id,
  subscription_id,
  group,
  metadata,  // the value is metadata_facet(key, value)
};
std::int64_t facet_hash(const ClientName& client, FacetKind kind, std::string_view value);
std::string metadata_facet(std::string_view key, std::string_view value);
// All facets of a mail; a value named twice comes twice.
std::vector<std::int64_t> facets_of(const ClientName& client, const std::vector<Recipient>& recipients,
                                    const std::vector<std::string>& tags, const std::string& campaign_id,
                                    const std::map<std::string, std::string>& metadata);
// All facets of a webhook job.
std::vector<std::int64_t> facets_of(const ClientName& client, const Webhook& webhook);
std::vector<std::int64_t> facets_of(const NewJob& job);
// The number of the group whose order the job keeps: the same name of another client, or of the other channel, is another
// group. None when it goes whenever it is due. Never changes, or what waits loses its place.
std::optional<std::int64_t> group_number(const NewJob& job);
// The public state a job begins in. `broker`: one is configured, and nothing is in it yet.
std::string_view first_state(const NewJob& job, bool broker);

}  // namespace eilbote
