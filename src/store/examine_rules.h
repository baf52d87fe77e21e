// What is made of the facts about a database, for store/examine.h: the schema's version, the instances, the queue, the clock, and
// PostgreSQL's plan of the claim. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "domain/finding.h"
#include "ports/outbox_care.h"

namespace eilbote {

inline constexpr int kInstancesMax = 1000;  // that are looked at

struct InstanceFact {
  std::string name;
  TimePoint lease_until{};
};

// `migrates_itself`: the server brings an older schema up to date when it starts, so that is no fault.
Finding judge_schema(const std::vector<std::string>& applied, std::string_view known, bool migrates_itself);
Finding judge_instances(const std::vector<InstanceFact>& instances, TimePoint now);
Finding judge_queue(const std::vector<PoolStats>& pools, TimePoint now);
Finding judge_clock(Duration ahead);
// `plan`: what EXPLAIN says about the claim, line by line.
Finding judge_plan(std::string_view plan);

int running_instances(const std::vector<InstanceFact>& instances, TimePoint now);

}  // namespace eilbote
