// Payload schemas by id, compiled once and kept. POST /schemas checks new ones here; whoever takes a payload that names
// a schema holds it against it here. Safe from many threads; may block, because it reads the registry on a miss.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "api/json_schema.h"
#include "base/clock.h"
#include "base/mutex.h"
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
  Mutex mutex_;
  std::unordered_map<JobId, Compiled> compiled_ EILBOTE_GUARDED_BY(mutex_);
  // Asked for in vain, not asked again for a second.
  std::unordered_map<JobId, Clock::Steady> unknown_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
