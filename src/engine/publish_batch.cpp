#include "engine/publish_batch.h"

#include "base/log.h"
#include "domain/tsid.h"
#include "metrics/metrics.h"

namespace eilbote {

CarrierQueue queue_of(const PublishClaim& claim, bool retries_apart) {
  if (claim.channel == ChannelKind::webhook) return CarrierQueue::webhook_send;
  return retries_apart && claim.retry_count > 0 ? CarrierQueue::mail_retry : CarrierQueue::mail_send;
}

std::vector<Parcel> parcels_of(const std::vector<PublishClaim>& claims, bool retries_apart) {
  std::vector<Parcel> parcels;
  parcels.reserve(claims.size());
  for (const PublishClaim& claim : claims)
    parcels.push_back({queue_of(claim, retries_apart),
                       to_text(claim.id) + "-" + std::to_string(claim.attempt), claim.group,
                       carried_job_text({claim.id, claim.key, claim.attempt})});
  return parcels;
}

void report_marked(const AnsweredClaim& answered, TimePoint now, Metrics& metrics) {
  const PublishClaim& claim = answered.claim;
  const bool published = answered.carriage == Carriage::confirmed;
  if (published && claim.retry_count > 0) metrics.add(Metric::requeued, 1, {"published"});
  if (!log::enabled(log::Level::info)) return;
  const std::string_view id_name = id_field(claim.channel);
  if (published)
    return log::info("job published", {{id_name, to_text(claim.id)},
                                       {"AttemptCount", claim.retry_count},
                                       {"NextAttemptAt", to_rfc3339(claim.next_attempt_at)},
                                       {"decision", "Published"},
                                       {"queue", kCarrierQueueNames.text(answered.queue)}});
  log::info("job not published",
            {{id_name, to_text(claim.id)},
             {"AttemptCount", claim.retry_count},
             {"NextAttemptAt", to_rfc3339(now + answered.delay)},
             {"decision", "Skipped"},
             {"reason", answered.carriage == Carriage::refused ? "the broker did not take it"
                                                               : "the broker's confirmation was lost"},
             {"queue", kCarrierQueueNames.text(answered.queue)}});
}

}  // namespace eilbote
