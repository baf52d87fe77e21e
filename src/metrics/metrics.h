// The metric table: every metric of Eilbote, once, with its help text. docs/metrics.md and /metrics come from
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace eilbote {

enum class MetricKind { counter, gauge, histogram };

// The order is the table's in metrics.cpp.
enum class Metric {
  build_info,
  instances,
  delivers,
  clock_skew,
  data_disk_free,
  data_disk_size,
  credential_expires,
  messages_accepted,
  messages_sent,
  messages_delivered,
  messages_bounced,
  messages_failed,
  messages_retry_pending,
  delivery_reports,
  webhooks_accepted,
  webhooks_delivered,
  webhook_attempts,
  endpoint_gone,
  intake_commits,
  intake_rejected,
  intake_commit_seconds,
  idempotent_replays,
  idempotency_conflicts,
  requeued,
  dead,
  attempt_seconds,
  exchange_seconds,
  settle_stale,
  lease_losses,
  leases_freed,
  capture_duplicates,
  queue_depth,
  queue_oldest_seconds,
  retries_due,
  in_flight,
  breaker_open,
  fallback_used,
  route_alarms,
  smtp_connections,
  smtp_connects,
  smtp_connect_retries,
  graph_requests,
  graph_batches,
  graph_token_requests,
  secret_reads,
  secrets_stale,
  store_errors,
  outbound_refused,
  tls_certificate_expires,
  tls_handshakes_failed,
  http_requests,
  http_request_seconds,
  http_overload,
  http_bytes_reserved,
  auth_refused,
  auth_key_fetches,
  graph_notifications,
  graph_subscriptions,
  graph_inbox_messages,
  broker_published,
  broker_publish_failed,
  broker_republished,
  broker_messages,
  broker_connected,
  broker_receiving,
  broker_reconnects,
  dead_letters,
  trace_spans,
};

struct MetricRow {
  Metric metric;
  MetricKind kind;
  std::string_view name;
  std::string_view help;
  std::vector<std::string> labels;
};
const std::vector<MetricRow>& metric_table();

// Label values come from bounded sets: words of ours, routes of the configuration, pools that administrators made. Should one
// not be after all, a metric has this many label sets, and what is beyond is counted under `other`.
inline constexpr std::size_t kLabelSetsMax = 2000;
inline constexpr std::string_view kOtherLabel = "other";

// Counts and measures; safe from every thread. A counter without labels is there from the start, at zero: an absent one looks
// like a broken scrape. A gauge is there from its first value on, so that what this installation does not have (a broker, a
// certificate) is absent and not 0.
struct Metrics {
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  using Labels = std::initializer_list<std::string_view>;  // their values, in the table's order
  void add(Metric metric, double by = 1, Labels labels = {});
  void set(Metric metric, double value, Labels labels = {});
  // A moment, as Unix time in seconds.
  void set_time(Metric metric, TimePoint at, Labels labels = {});
  void observe(Metric metric, double seconds, Labels labels = {});
  // Prometheus text format.
  std::string render() const;

  // What was counted here, for those who show it in another form (engine/overview_desk.h). Of a counter: the sum of all its label
  // sets, or of those with this first label.
  double total(Metric metric, std::string_view first_label = {}) const;
  // Of a gauge: its label sets with their values; none before its first value.
  using LabelValues = std::vector<std::string>;
  std::vector<std::pair<LabelValues, double>> values(Metric metric) const;
  // Of a histogram, all label sets together: `up_to` has one more than `bounds`, the last one for all. Empty before its first
  // value.
  struct Buckets {
    std::vector<double> bounds;
    std::vector<std::uint64_t> up_to;
  };
  Buckets buckets(Metric metric) const;

  struct Registry;
  std::unique_ptr<Registry> registry;
};

}  // namespace eilbote
