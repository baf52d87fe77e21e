// /schemas: JSON Schemas that payloads are held against. Added and read, never changed: jobs were checked against them.
#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/audit.h"
#include "api/handlers.h"
#include "api/json_body.h"
#include "api/json_out.h"
#include "api/json_schema.h"
#include "api/limits.h"
#include "api/schema_book.h"
#include "base/utf8.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// Of all schemas together: the registry reads them whole.
constexpr std::size_t kTotalBytesMax = 32 * 1024 * 1024;

struct SchemaDraft {
  std::string name, description, content;
  bool has_schema = false;
};

void read_schema(SchemaDraft& draft, const json::value& value, const Place& place) {
  draft.has_schema = true;
  if (!value.is_object()) return place.fault("must be a JSON Schema: an object");
  draft.content = json::serialize(value);
  if (draft.content.size() > kSchemaBytesMax)
    return place.fault(fmt::format("must be at most {} KiB of JSON", kSchemaBytesMax / 1024));
  const auto compiled = JsonSchema::compile(value);
  if (compiled) return;
  // Its faults point into the schema.
  for (const Fault& fault : compiled.error())
    place.fault((fault.pointer.empty() ? "" : "at " + fault.pointer + ": ") + fault.detail);
}

const FieldRow<SchemaDraft> kFields[] = {
    {"name", [](SchemaDraft& draft, const json::value& value,
                const Place& place) { draft.name = read_text(value, place).value_or("?"); }},
    {"description",
     [](SchemaDraft& draft, const json::value& value, const Place& place) {
       if (!value.is_null()) draft.description = read_text(value, place).value_or("?");
     }},
    {"schema", read_schema},
};

void check_texts(const SchemaDraft& draft, const Place& root) {
  const std::size_t length = utf8_length(draft.name);
  const bool control = std::any_of(draft.name.begin(), draft.name.end(),
                                   [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  if (length < 1 || length > kSchemaNameMax || control)
    Place(root, "name").fault(fmt::format("must be 1 to {} characters in one line", kSchemaNameMax));
  if (utf8_length(draft.description) > kSchemaDescriptionMax)
    Place(root, "description")
        .fault(fmt::format("must be at most {} characters long", kSchemaDescriptionMax));
  if (!draft.has_schema) Place(root, "schema").fault("is required");
}

json::object schema_json(const PayloadSchema& schema, bool with_content) {
  json::object out;
  out["id"] = to_text(schema.id);
  out["name"] = schema.name;
  out["description"] = schema.description.empty() ? json::value() : json::value(schema.description);
  if (with_content) {
    const auto content = read_json(schema.content, {});
    out["schema"] = content ? *content : json::value();
  }
  out["createdAt"] = to_rfc3339(schema.created_at);
  return out;
}

void create_schema(Call& call, const SchemaDraft& draft) {
  const auto known = call.context.registry.schemas();
  if (!known) return call.reply(to_problem(known.error()));
  std::size_t bytes = draft.content.size();
  for (const PayloadSchema& schema : *known)
    bytes += schema.content.size();
  if (bytes > kTotalBytesMax)
    return call.reply(Problem{ProblemKind::conflict,
                              "this schema does not fit any more: all together may have at most 32 MiB",
                              {}});
  const TimePoint now = call.context.clock.now();
  const PayloadSchema schema{call.context.ids.next(now), draft.name, draft.description, draft.content, now};
  const AuditEntry audit =
      audit_entry(call, "schema.create", "schema:" + to_text(schema.id), {}, schema_json(schema, false));
  if (const auto added = call.context.registry.add_schema(schema, audit); !added)
    return call.reply(to_problem(added.error()));
  HttpResponse response;
  response.status = 201;
  response.body = json::serialize(schema_json(schema, true));
  response.headers.emplace_back("Location", "/schemas/" + to_text(schema.id));
  call.reply(std::move(response));
}

void read_and_create(Call& call) {
  const auto body = read_json(call.request.body, {});
  if (!body) return call.reply(body.error());
  SchemaDraft draft;
  std::vector<Fault> faults;
  const Place root(faults);
  if (read_fields(*body, root, kFields, draft)) check_texts(draft, root);
  if (!faults.empty()) return call.reply(invalid(std::move(faults)));
  create_schema(call, draft);
}

}  // namespace

void post_schema(const CallPtr& call) {
  if (const auto problem = call->content_type_problem()) return call->reply(*problem);
  call->on_worker([call] { read_and_create(*call); });
}

void list_schemas(const CallPtr& call) {
  if (!call->target.query.empty()) return call->reply(invalid({{"", "there are no query parameters here"}}));
  call->on_worker([call] {
    const auto schemas = call->context.registry.schemas();
    if (!schemas) return call->reply(to_problem(schemas.error()));
    call->reply_json(
        200, list_json(*schemas, [](const PayloadSchema& schema) { return schema_json(schema, false); }));
  });
}

void get_schema(const CallPtr& call) {
  call->on_worker([call] {
    const auto schemas = call->context.registry.schemas();
    if (!schemas) return call->reply(to_problem(schemas.error()));
    const auto id = parse_job_id(call->params.at(0));
    for (const PayloadSchema& schema : *schemas)
      if (id && schema.id == *id) return call->reply_json(200, json::serialize(schema_json(schema, true)));
    call->reply(Problem{ProblemKind::not_found, "there is no schema with this id", {}});
  });
}

}  // namespace eilbote
