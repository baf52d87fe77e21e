// Payload schemas by id, compiled once and kept. POST /schemas checks new ones here; whoever takes a payload that names
// a schema holds it against it here. Safe from many threads; may block, because it reads the registry on a miss.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "api/json_schema.h"
#include "base/clock.h"
#include "ports/registry.h"

namespace eilbote {

class SchemaBook {
 public:
  // Both outlive it.
  SchemaBook(Registry& registry, const Clock& clock) : registry_(registry), clock_(clock) {}

  // The faults of a payload, with pointers into it; empty when it fits. The error is `not_found` for an unknown id.
  // A payload that is no JSON does not fit any schema.
  Result<std::vector<Fault>> check(const std::string& schema_id, std::string_view payload);

 private:
  using Compiled = std::shared_ptr<const JsonSchema>;  // in use by one thread while another drops it
  Result<Compiled> find(JobId id);
  Result<Compiled> fetch(JobId id);

  Registry& registry_;
  const Clock& clock_;
  std::mutex mutex_;
  std::unordered_map<JobId, Compiled> compiled_;
  std::unordered_map<JobId, Clock::Steady> unknown_;  // asked for in vain, not asked again for a second
};

}  // namespace eilbote
