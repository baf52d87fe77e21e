#include "metrics/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <compare>
#include <map>

#include "base/assert.h"
#include "base/shared_mutex.h"

namespace eilbote {
namespace {

using enum MetricKind;

// From a quarter of a millisecond to ten minutes, the longest wait of an SMTP session.
const prometheus::Histogram::BucketBoundaries kSecondsBuckets{
    0.00025, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 600};

// By their texts, whether strings or views: a lookup makes no strings.
struct ByTexts {
  using is_transparent = void;
  bool operator()(const auto& one, const auto& other) const {
    const auto by_text = [](std::string_view its, std::string_view others) { return its <=> others; };
    return std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(), other.end(),
                                                  by_text) < 0;
  }
};

template <class Instrument>
struct Cache {
  prometheus::Family<Instrument>* family = nullptr;
  mutable SharedMutex mutex;
  std::map<Metrics::LabelValues, Instrument*, ByTexts> made EILBOTE_GUARDED_BY(mutex);
};

const std::vector<MetricRow> kMetricTable{
    {Metric::build_info, gauge, "eilbote_build_info", "1, with the version of the program.", {"version"}},
    {Metric::instances,
     gauge,
     "eilbote_instances",
     "Instances on this database whose lease runs, this one included.",
     {}},
    {Metric::delivers,
     gauge,
     "eilbote_delivers",
     "1 while this instance may start deliveries: its role is all or worker, and its lease runs.",
     {}},
    {Metric::clock_skew,
     gauge,
     "eilbote_clock_skew_seconds",
     "How far this machine's clock is ahead of the database's, at least; below 0: behind.",
     {}},
    {Metric::data_disk_free,
     gauge,
     "eilbote_data_disk_free_bytes",
     "Free bytes, for this process, on the disk of EILBOTE_DATA_DIR.",
     {}},
    {Metric::data_disk_size,
     gauge,
     "eilbote_data_disk_size_bytes",
     "Size of the disk of EILBOTE_DATA_DIR.",
     {}},
    {Metric::credential_expires,
     gauge,
     "eilbote_credential_expires_timestamp_seconds",
     "When a credential that Eilbote cannot renew by itself expires, as Unix time: graph_certificate, or "
     "vault_token (the one of EILBOTE_VAULT_TOKEN_REF). +Inf: never, or it is renewed.",
     {"credential"}},
    {Metric::messages_accepted,
     counter,
     "eilbote_messages_accepted_total",
     "Mails committed and answered with 202.",
     {}},
    {Metric::messages_sent, counter, "eilbote_messages_sent_total", "Mails taken by a provider.", {}},
    {Metric::messages_delivered,
     counter,
     "eilbote_messages_delivered_total",
     "Mails reported delivered.",
     {}},
    {Metric::messages_bounced, counter, "eilbote_messages_bounced_total", "Mails reported bounced.", {}},
    {Metric::messages_failed, counter, "eilbote_messages_failed_total", "Mails that became FAILED.", {}},
    {Metric::messages_retry_pending,
     counter,
     "eilbote_messages_retry_pending_total",
     "Mails that became RETRY_PENDING.",
     {}},
    {Metric::delivery_reports,
     counter,
     "eilbote_delivery_reports_total",
     "Bounces, receipts and events of providers that came in, by source and by what became of them.",
     {"source", "outcome"}},
    {Metric::webhooks_accepted,
     counter,
     "eilbote_webhooks_accepted_total",
     "Webhook jobs committed and answered with 201.",
     {}},
    {Metric::webhooks_delivered,
     counter,
     "eilbote_webhooks_delivered_total",
     "Webhook jobs that their endpoint took.",
     {}},
    {Metric::webhook_attempts,
     counter,
     "eilbote_webhook_attempts_total",
     "Attempts to deliver webhooks, by what came of them.",
     {"pool", "outcome"}},
    {Metric::endpoint_gone,
     counter,
     "eilbote_endpoint_gone_total",
     "Webhooks whose endpoint said 410: it is gone for good.",
     {}},
    {Metric::intake_commits,
     counter,
     "eilbote_intake_commits_total",
     "Commits of the intake; accepted mails divided by this is the batch size.",
     {}},
    {Metric::intake_rejected,
     counter,
     "eilbote_intake_rejected_total",
     "Rows the database refused, found by bisection.",
     {}},
    {Metric::intake_commit_seconds,
     histogram,
     "eilbote_intake_commit_seconds",
     "Time of one intake commit.",
     {}},
    {Metric::idempotent_replays,
     counter,
     "eilbote_idempotent_replays_total",
     "Requests answered again from their Idempotency-Key.",
     {}},
    {Metric::idempotency_conflicts,
     counter,
     "eilbote_idempotency_conflicts_total",
     "Requests refused because their Idempotency-Key belongs to another body.",
     {}},
    {Metric::requeued, counter, "eilbote_requeued_total", "Jobs put back to the queue, by cause.", {"cause"}},
    {Metric::dead, counter, "eilbote_dead_total", "Jobs that died, by reason.", {"reason"}},
    {Metric::attempt_seconds,
     histogram,
     "eilbote_attempt_seconds",
     "Duration of delivery attempts.",
     {"route", "outcome"}},
    {Metric::exchange_seconds,
     histogram,
     "eilbote_exchange_seconds",
     "Time of one round of the ledger (settle and claim).",
     {}},
    {Metric::settle_stale,
     counter,
     "eilbote_settle_stale_total",
     "Settles refused because the lease token was not the row's any more.",
     {}},
    {Metric::lease_losses,
     counter,
     "eilbote_lease_losses_total",
     "Leases lost with their worker and rescued.",
     {}},
    {Metric::leases_freed,
     counter,
     "eilbote_leases_freed_total",
     "Leases of this instance that it did not know of (a lost answer), freed.",
     {}},
    {Metric::capture_duplicates,
     counter,
     "eilbote_capture_duplicates_total",
     "Mails captured more than once.",
     {}},
    {Metric::queue_depth, gauge, "eilbote_queue_depth", "Waiting jobs; exact to 10,000.", {"pool"}},
    {Metric::queue_oldest_seconds,
     gauge,
     "eilbote_queue_oldest_seconds",
     "How long the oldest due job has been waiting.",
     {"pool"}},
    {Metric::retries_due, gauge, "eilbote_retries_due", "Due jobs that failed before; exact to 10,000.", {}},
    {Metric::in_flight, gauge, "eilbote_in_flight", "Jobs leased to this instance.", {"pool"}},
    {Metric::breaker_open, gauge, "eilbote_breaker_open", "1 while the route's breaker is open.", {"route"}},
    {Metric::fallback_used,
     gauge,
     "eilbote_fallback_used",
     "1 while mails take the second route because this one is down.",
     {"route"}},
    {Metric::route_alarms,
     counter,
     "eilbote_route_alarms_total",
     "Answers of a relay that want a person: our sender, our address or our login is refused.",
     {"route"}},
    {Metric::smtp_connections, gauge, "eilbote_smtp_connections", "Open sessions with the relay.", {"route"}},
    {Metric::smtp_connects,
     counter,
     "eilbote_smtp_connects_total",
     "Sessions asked for, by what came of it.",
     {"route", "outcome"}},
    {Metric::smtp_connect_retries,
     counter,
     "eilbote_smtp_connect_retries_total",
     "Tries again within one attempt after a network fault.",
     {"route"}},
    {Metric::graph_requests,
     counter,
     "eilbote_graph_requests_total",
     "Requests to Microsoft Graph, each part of a $batch for itself, by what came of them: ok, throttled "
     "(429), client_error, server_error, fault (no answer), no_token, not_sent.",
     {"outcome"}},
    {Metric::graph_batches,
     counter,
     "eilbote_graph_batches_total",
     "Requests to Microsoft Graph that went together in one $batch, counted once for all.",
     {}},
    {Metric::graph_token_requests,
     counter,
     "eilbote_graph_token_requests_total",
     "Tokens asked for, by what came of it: ok, refused (the application, its secret or its scope; a person "
     "must act) or failed.",
     {"outcome"}},
    {Metric::secret_reads,
     counter,
     "eilbote_secret_reads_total",
     "Looks into secret stores on the network, by what came of it: read, failed, or stale (failed, and the "
     "last "
     "value is used on).",
     {"scheme", "outcome"}},
    {Metric::secrets_stale,
     gauge,
     "eilbote_secrets_stale",
     "Secrets in use that are older than EILBOTE_SECRET_TTL because their store cannot be read.",
     {"scheme"}},
    {Metric::store_errors, counter, "eilbote_store_errors_total", "Errors of the store, by kind.", {"kind"}},
    {Metric::outbound_refused,
     counter,
     "eilbote_outbound_refused_total",
     "Targets the outbound guard refused, when a job was created or when it was to be sent.",
     {"at", "rule"}},
    {Metric::tls_certificate_expires,
     gauge,
     "eilbote_tls_certificate_expires_timestamp_seconds",
     "When the certificate of the HTTP listener expires, as Unix time.",
     {}},
    {Metric::tls_handshakes_failed,
     counter,
     "eilbote_tls_handshakes_failed_total",
     "Connections to the HTTP listener whose TLS handshake failed: an old protocol, no TLS, or noise.",
     {}},
    {Metric::http_requests,
     counter,
     "eilbote_http_requests_total",
     "HTTP requests by route and status.",
     {"route", "status"}},
    {Metric::http_request_seconds,
     histogram,
     "eilbote_http_request_seconds",
     "Time from a whole request to its answer, by route.",
     {"route"}},
    {Metric::http_overload,
     counter,
     "eilbote_http_overload_total",
     "Requests refused with 429, by what was full.",
     {"cause"}},
    {Metric::http_bytes_reserved, gauge, "eilbote_http_bytes_reserved", "Request bytes held in memory.", {}},
    {Metric::auth_refused,
     counter,
     "eilbote_auth_refused_total",
     "Requests refused for want of a good token or scope, by reason.",
     {"reason"}},
    {Metric::auth_key_fetches,
     counter,
     "eilbote_auth_key_fetches_total",
     "Readings of the issuer's keys, by what came of them.",
     {"outcome"}},
    {Metric::graph_notifications,
     counter,
     "eilbote_graph_notifications_total",
     "Items that were posted to /webhooks/graph: `new` messages, `known` ones, `lifecycle` of a "
     "subscription; dropped: "
     "`refused` without the subscription's secret, and `unreadable`.",
     {"outcome"}},
    {Metric::graph_subscriptions,
     gauge,
     "eilbote_graph_subscriptions",
     "Mailboxes this instance watches with Graph's notifications: `active` with a subscription, `missing` "
     "while there is none.",
     {"state"}},
    {Metric::graph_inbox_messages,
     counter,
     "eilbote_graph_inbox_messages_total",
     "Messages in watched inboxes, by what came of them: report, other, gone, failed (tried again), "
     "given-up.",
     {"outcome"}},
    {Metric::broker_published,
     counter,
     "eilbote_broker_published_total",
     "Messages that the broker confirmed, by queue.",
     {"queue"}},
    {Metric::broker_publish_failed,
     counter,
     "eilbote_broker_publish_failed_total",
     "Messages that were not confirmed: refused (the broker has it not) or unknown (the answer was lost); "
     "their jobs "
     "wait in the database and are published again.",
     {"queue", "reason"}},
    {Metric::broker_republished,
     counter,
     "eilbote_broker_republished_total",
     "Messages published again for an attempt that had one: its confirm was lost, or it lay in the broker "
     "for too "
     "long.",
     {"queue"}},
    {Metric::broker_messages,
     counter,
     "eilbote_broker_messages_total",
     "Messages that came from the broker, by what they did: started, put-back (no room for it now), stale (a "
     "duplicate, or "
     "about an attempt that is over), malformed.",
     {"queue", "outcome"}},
    {Metric::broker_connected,
     gauge,
     "eilbote_broker_connected",
     "1 while messages can be published, 0 while the broker is away or takes none.",
     {}},
    {Metric::broker_receiving,
     gauge,
     "eilbote_broker_receiving",
     "1 while a worker gets its messages from the broker, 0 while it is cut off from them.",
     {}},
    {Metric::broker_reconnects,
     counter,
     "eilbote_broker_reconnects_total",
     "Connections to the broker that were lost or could not be made.",
     {}},
    {Metric::dead_letters,
     counter,
     "eilbote_dead_letters_total",
     "Letters about dead jobs that the broker confirmed, by queue.",
     {"queue"}},
    {Metric::trace_spans,
     counter,
     "eilbote_trace_spans_total",
     "Spans of traces: sent, dropped (no room while the receiver was slow or away) or failed (it did not "
     "take them).",
     {"outcome"}},
};

}  // namespace

const std::vector<MetricRow>& metric_table() {
  return kMetricTable;
}

struct Metrics::Registry {
  prometheus::Registry registry;
  std::map<Metric, Cache<prometheus::Counter>> counters;
  std::map<Metric, Cache<prometheus::Gauge>> gauges;
  std::map<Metric, Cache<prometheus::Histogram>> histograms;
};

namespace {

prometheus::Labels label_pairs(Metric metric, const Metrics::LabelValues& values) {
  const MetricRow& row = metric_table()[static_cast<std::size_t>(metric)];
  EILBOTE_ASSERT(row.labels.size() == values.size());
  prometheus::Labels labels;
  for (std::size_t i = 0; i < values.size(); ++i)
    labels[row.labels[i]] = values[i];
  return labels;
}

// The instrument for these label values; made on first use. Lookups share the lock.
template <class Instrument, class... Args>
Instrument& instrument(std::map<Metric, Cache<Instrument>>& caches, Metric metric, Metrics::Labels values,
                       const Args&... args) {
  const auto found = caches.find(metric);
  EILBOTE_ASSERT(found != caches.end());
  Cache<Instrument>& cache = found->second;
  {
    const ReadLock lock(cache.mutex);
    if (const auto it = cache.made.find(values); it != cache.made.end()) return *it->second;
  }
  const WriteLock lock(cache.mutex);
  const bool is_full = cache.made.size() >= kLabelSetsMax && !cache.made.contains(values);
  Metrics::LabelValues shown(values.begin(), values.end());
  if (is_full) std::ranges::fill(shown, kOtherLabel);
  Instrument*& slot = cache.made[shown];
  if (slot == nullptr) slot = &cache.family->Add(label_pairs(metric, shown), args...);
  return *slot;
}

}  // namespace

Metrics::Metrics() : registry(std::make_unique<Registry>()) {
  for (const MetricRow& row : metric_table()) {
    EILBOTE_ASSERT(&row == &metric_table()[static_cast<std::size_t>(row.metric)]);
    const std::string name(row.name), help(row.help);
    switch (row.kind) {
      case counter:
        registry->counters[row.metric].family =
            &prometheus::BuildCounter().Name(name).Help(help).Register(registry->registry);
        if (row.labels.empty()) add(row.metric, 0);
        break;
      case gauge:
        registry->gauges[row.metric].family =
            &prometheus::BuildGauge().Name(name).Help(help).Register(registry->registry);
        break;
      case histogram:
        registry->histograms[row.metric].family =
            &prometheus::BuildHistogram().Name(name).Help(help).Register(registry->registry);
        break;
    }
  }
}

Metrics::~Metrics() = default;

void Metrics::add(Metric metric, double by, Labels labels) {
  instrument(registry->counters, metric, labels).Increment(by);
}

void Metrics::set(Metric metric, double value, Labels labels) {
  instrument(registry->gauges, metric, labels).Set(value);
}

void Metrics::set_time(Metric metric, TimePoint at, Labels labels) {
  set(metric,
      std::chrono::duration<double>(std::chrono::floor<std::chrono::seconds>(at).time_since_epoch()).count(),
      labels);
}

void Metrics::observe(Metric metric, double seconds, Labels labels) {
  instrument(registry->histograms, metric, labels, kSecondsBuckets).Observe(seconds);
}

std::string Metrics::render() const {
  return prometheus::TextSerializer{}.Serialize(registry->registry.Collect());
}

double Metrics::total(Metric metric, std::string_view first_label) const {
  const auto& cache = registry->counters.at(metric);
  const ReadLock lock(cache.mutex);
  double sum = 0;
  for (const auto& [labels, made] : cache.made)
    if (first_label.empty() || labels.front() == first_label) sum += made->Value();
  return sum;
}

std::vector<std::pair<Metrics::LabelValues, double>> Metrics::values(Metric metric) const {
  const auto& cache = registry->gauges.at(metric);
  const ReadLock lock(cache.mutex);
  std::vector<std::pair<LabelValues, double>> all;
  for (const auto& [labels, made] : cache.made)
    all.emplace_back(labels, made->Value());
  return all;
}

Metrics::Buckets Metrics::buckets(Metric metric) const {
  const auto& cache = registry->histograms.at(metric);
  const ReadLock lock(cache.mutex);
  Buckets all;
  for (const auto& [labels, made] : cache.made) {
    const auto buckets = made->Collect().histogram.bucket;
    all.up_to.resize(buckets.size());
    for (std::size_t i = 0; i < buckets.size(); ++i)
      all.up_to[i] += buckets[i].cumulative_count;
  }
  if (!all.up_to.empty()) all.bounds = kSecondsBuckets;
  return all;
}

}  // namespace eilbote
