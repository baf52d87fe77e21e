// The registry: what is there before anything happened, and that label values cannot fill the memory.
#include "metrics/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "app/own_metrics.h"
#include "domain/clock_skew.h"
#include "domain/names.h"
#include "support/metric_value.h"
#include "support/temp_folder.h"

namespace eilbote::test::metrics_test {
namespace {

using namespace std::chrono_literals;

int lines_of(const Metrics& metrics, const std::string& name) {
  std::istringstream text(metrics.render());
  int lines = 0;
  for (std::string line; std::getline(text, line);)
    lines += line.starts_with(name + "{") ? 1 : 0;
  return lines;
}

TEST(Metrics, counters_are_there_from_the_start_and_gauges_from_their_first_value) {
  Metrics metrics;
  EXPECT_EQ(metric_value(metrics, "eilbote_messages_sent_total"), 0);
  EXPECT_EQ(metric_value(metrics, "eilbote_broker_connected"), std::nullopt) << "there is no broker";
  metrics.set(Metric::broker_connected, 0);
  EXPECT_EQ(metric_value(metrics, "eilbote_broker_connected"), 0) << "it is away";
}

TEST(Metrics, label_values_beyond_the_limit_are_counted_as_other) {
  Metrics metrics;
  const int extra = 500;
  for (int i = 0; i < static_cast<int>(kLabelSetsMax) + extra; ++i)
    metrics.add(Metric::webhook_attempts, 1, {"pool" + std::to_string(i), "delivered"});
  EXPECT_EQ(lines_of(metrics, "eilbote_webhook_attempts_total"), static_cast<int>(kLabelSetsMax) + 1);
  EXPECT_EQ(metric_value(metrics, R"(eilbote_webhook_attempts_total{outcome="other",pool="other"})"), extra);
  metrics.add(Metric::webhook_attempts, 1, {"pool7", "delivered"});
  EXPECT_EQ(metric_value(metrics, R"(eilbote_webhook_attempts_total{outcome="delivered",pool="pool7"})"), 2)
      << "those that were there before stay themselves";
  metrics.set(Metric::queue_depth, 3, {"mail"});
  EXPECT_EQ(metric_value(metrics, R"(eilbote_queue_depth{pool="mail"})"), 3) << "each metric for itself";
}

TEST(Metrics, a_moment_is_unix_time) {
  Metrics metrics;
  metrics.set_time(Metric::tls_certificate_expires, TimePoint{1'700'000'000'900ms});
  EXPECT_EQ(metric_value(metrics, "eilbote_tls_certificate_expires_timestamp_seconds"), 1'700'000'000);
}

TEST(Metrics, the_version_and_the_zeros_that_alerts_need_are_there_at_once) {
  Metrics metrics;
  begin_metrics("1.2.3", metrics);
  EXPECT_EQ(metric_value(metrics, R"(eilbote_build_info{version="1.2.3"})"), 1);
  EXPECT_EQ(lines_of(metrics, "eilbote_dead_total"), static_cast<int>(kDeadReasonNames.entries.size()));
  EXPECT_EQ(metric_value(metrics, R"(eilbote_http_overload_total{cause="intake"})"), 0);
}

TEST(Metrics, the_disk_of_the_data_folder_is_measured) {
  Metrics metrics;
  const TempFolder folder;
  ASSERT_TRUE(measure_disk(folder.path(), metrics));
  const double free = metric_value(metrics, "eilbote_data_disk_free_bytes").value_or(-1);
  EXPECT_GT(free, 0);
  EXPECT_LE(free, metric_value(metrics, "eilbote_data_disk_size_bytes").value_or(-1));

  const auto missing = measure_disk(folder / "not-there", metrics);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("EILBOTE_DATA_DIR"), std::string::npos) << missing.error().message;
}

TEST(ClockSkew, is_what_the_round_trip_cannot_explain) {
  const TimePoint noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} + 12h};
  const struct {
    const char* name;
    Duration theirs, took, skew;
  } cases[] = {
      {"the same moment", 0s, 0s, 0s},
      {"somewhere on the way", 300ms, 1s, 0s},
      {"a slow answer looks like no skew", 59s, 60s, 0s},
      {"we are ahead", -30s, 1s, 30s},
      {"we are behind", 31s, 1s, -30s},
  };
  for (const auto& one : cases)
    EXPECT_EQ(clock_skew(noon, noon + one.theirs, noon + one.took), one.skew) << one.name;
}

}  // namespace
}  // namespace eilbote::test::metrics_test
