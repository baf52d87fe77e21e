#include "api/schema_book.h"

#include "api/json_document.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

constexpr std::size_t kKeptMax = 1'000;
constexpr std::chrono::seconds kUnknownFor{1};

Error no_such_schema() {
  return Error{ErrorKind::not_found, "there is no schema with this id"};
}

}  // namespace

Result<std::vector<Fault>> SchemaBook::check(const std::string& schema_id, std::string_view payload) {
  const auto id = parse_job_id(schema_id);
  if (!id) return fail(no_such_schema());
  const auto schema = find(*id);
  if (!schema) return fail(schema.error());
  const auto value = read_json(payload, {});
  if (!value)
    return std::vector<Fault>{
        {"", "must be JSON, because it is held against a schema: " + value.error().detail}};
  return (*schema)->check(*value);
}

Result<SchemaBook::Compiled> SchemaBook::find(JobId id) {
  {
    const MutexLock lock(mutex_);
    if (const auto known = compiled_.find(id); known != compiled_.end()) return known->second;
    const auto missed = unknown_.find(id);
    if (missed != unknown_.end() && clock_.steady_now() - missed->second < kUnknownFor)
      return fail(no_such_schema());
  }
  auto fetched = fetch(id);
  const MutexLock lock(mutex_);
  if (fetched) {
    if (compiled_.size() >= kKeptMax) compiled_.clear();
    compiled_[id] = *fetched;
  } else if (fetched.error().kind == ErrorKind::not_found) {
    if (unknown_.size() >= kKeptMax) unknown_.clear();
    unknown_[id] = clock_.steady_now();
  }
  return fetched;
}

Result<SchemaBook::Compiled> SchemaBook::fetch(JobId id) {
  const auto schemas = registry_.schemas();
  if (!schemas) return fail(schemas.error().with_context("payload schemas"));
  for (const PayloadSchema& schema : *schemas) {
    if (schema.id != id) continue;
    const auto value = read_json(schema.content, {});
    if (!value) return fail(ErrorKind::internal, "the schema " + to_text(id) + " is broken in the database");
    auto compiled = JsonSchema::compile(*value);
    if (!compiled)
      return fail(ErrorKind::internal, "the schema " + to_text(id) + " is broken in the database");
    return std::make_shared<const JsonSchema>(std::move(*compiled));
  }
  return fail(no_such_schema());
}

}  // namespace eilbote
