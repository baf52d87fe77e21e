// The metric table: every metric of Eilbote, once, with its help text. docs/metrics.md and /metrics come from
// it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace eilbote {

enum class MetricKind { counter, gauge, histogram };

// The order is the table's in metrics.cpp.
enum class Metric {
  messages_accepted,
  messages_sent,
  messages_delivered,
  messages_bounced,
  messages_failed,
  messages_retry_pending,
  delivery_reports,
  webhooks_accepted,
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
  http_overload,
  http_bytes_reserved,
  auth_refused,
  auth_key_fetches,
  graph_notifications,
  graph_subscriptions,
  graph_inbox_messages,
};

struct MetricRow {
  Metric metric;
  MetricKind kind;
  std::string_view name;
  std::string_view help;
  std::vector<std::string> labels;
};
const std::vector<MetricRow>& metric_table();

// Counts and measures; safe from every thread. A label value comes from a bounded set (states, routes,
// pools).
struct Metrics {
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  using LabelValues = std::vector<std::string>;
  void add(Metric metric, double by = 1, const LabelValues& labels = {});
  void set(Metric metric, double value, const LabelValues& labels = {});
  void observe(Metric metric, double seconds, const LabelValues& labels = {});
  // Prometheus text format.
  std::string render() const;

  struct Registry;
  std::unique_ptr<Registry> registry;
};

}  // namespace eilbote
