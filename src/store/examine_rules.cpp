#include "store/examine_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "store/schema_version.h"

namespace eilbote {
namespace {

// A due job that waits longer than this is late: somebody should look.
constexpr Duration kOldestDueMax = std::chrono::minutes{15};
// Due times are the database's; a second more or less is in every network.
constexpr Duration kClockWarning = std::chrono::seconds{2}, kClockError = std::chrono::seconds{30};

std::string in_seconds(Duration time) {
  return duration_text(std::chrono::floor<std::chrono::seconds>(time));
}

}  // namespace

Finding judge_schema(const std::vector<std::string>& applied, std::string_view known, bool migrates_itself) {
  constexpr const char* kWhat = "database schema";
  const std::string found = applied.empty() ? "" : applied.back();
  const auto judged = judge_version(applied, known);
  if (judged && found == known) return Finding::ok(kWhat, fmt::format("{}, as this program wants it", found));
  if (judged)
    return Finding::warning(
        kWhat, fmt::format("{} is newer than this program ({}), which may still run on it", found, known),
        "Finish the upgrade: replace this eilbote by the one that migrated the database.");
  if (found > known)
    return Finding::error(
        kWhat, judged.error().message,
        "Install the eilbote that migrated it, or a newer one; an older one must not run on it.");
  if (migrates_itself)
    return Finding::warning(
        kWhat, judged.error().message,
        "`eilbote serve` migrates the file when it starts; make a copy first: eilbote backup FILE.");
  return Finding::error(kWhat, judged.error().message,
                        "Run `eilbote migrate` with the same EILBOTE_STORE_URL, then start the servers.");
}

int running_instances(const std::vector<InstanceFact>& instances, TimePoint now) {
  return static_cast<int>(
      std::ranges::count_if(instances, [&](const InstanceFact& one) { return one.lease_until >= now; }));
}

Finding judge_instances(const std::vector<InstanceFact>& instances, TimePoint now) {
  constexpr const char* kWhat = "instances";
  const int running = running_instances(instances, now);
  const int dead = static_cast<int>(instances.size()) - running;
  if (running == 0) {
    std::string seen = "none runs";
    const auto last = std::ranges::max_element(instances, {}, &InstanceFact::lease_until);
    if (dead > 0) seen += "; the last lease ended at " + to_rfc3339(last->lease_until);
    return Finding::warning(
        kWhat, std::move(seen),
        "Nothing is delivered: start one with `eilbote serve`, and see its log if it ends again.");
  }
  if (dead > 0)
    return Finding::warning(
        kWhat, fmt::format("{} running, the lease of {} more is over", running, dead),
        "The others free what they held within a lease. Unless they were stopped, see in the logs why they "
        "ended (memory, kill, network).");
  return Finding::ok(kWhat, fmt::format("{} running", running));
}

Finding judge_queue(const std::vector<PoolStats>& pools, TimePoint now) {
  constexpr const char* kWhat = "queue";
  const PoolStats* late = nullptr;
  std::int64_t depth = 0;
  for (const PoolStats& pool : pools) {
    depth += pool.depth;
    if (pool.oldest && (late == nullptr || *pool.oldest < *late->oldest)) late = &pool;
  }
  if (late == nullptr)
    return Finding::ok(kWhat, fmt::format("nothing is due, {} wait in the database", depth));
  const Duration age = now - *late->oldest;
  const std::string seen = fmt::format("{} wait in the database, the oldest is due since {} in pool '{}'",
                                       depth, in_seconds(age), late->pool);
  if (age <= kOldestDueMax) return Finding::ok(kWhat, seen);
  return Finding::warning(
      kWhat, seen,
      "`eilbote queue` shows which pool is late and its last error; `eilbote pools` whether it is "
      "suspended or limited; `eilbote watch` whether anything leaves.");
}

Finding judge_clock(Duration ahead) {
  constexpr const char* kWhat = "clock";
  const Duration off = std::chrono::abs(ahead);
  if (off < kClockWarning) return Finding::ok(kWhat, "within 2 s of the database's");
  return {off < kClockError ? Severity::warning : Severity::error, kWhat,
          fmt::format("{} {} the database's", in_seconds(off), ahead.count() > 0 ? "ahead of" : "behind"),
          "Let NTP (chrony, systemd-timesyncd) set the clocks of this machine and of the database's."};
}

Finding judge_plan(std::string_view plan) {
  constexpr const char* kWhat = "database plans";
  // Both ways to write it; a name that only begins so is another index.
  const bool by_index = plan.find(" using outbox_ready on ") != std::string_view::npos ||
                        plan.find("Bitmap Index Scan on outbox_ready\n") != std::string_view::npos;
  if (by_index && plan.find("Seq Scan on outbox") == std::string_view::npos)
    return Finding::ok(kWhat, "the claim goes by its index outbox_ready");
  return Finding::error(kWhat, "the claim does not use its index outbox_ready",
                        "The index is missing or invalid: see \\d outbox in psql, REINDEX INDEX CONCURRENTLY "
                        "outbox_ready, or create it as the first migration does; then ANALYZE outbox.");
}

}  // namespace eilbote
