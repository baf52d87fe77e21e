// Whatever is given as a schema and a value: the schema is refused or holds the value against itself in bounded time, and
// it agrees with itself when it is wrapped in `not`, `allOf` and `anyOf`.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/json_document.h"
#include "api/json_schema.h"
#include "fuzz/fuzz.h"

namespace eilbote::fuzz {
namespace {

namespace json = boost::json;

enum class Verdict { fits, does_not, given_up };

Verdict verdict_of(const JsonSchema& schema, const json::value& value) {
  const std::vector<Fault> faults = schema.check(value);
  if (faults.empty()) return Verdict::fits;
  const bool given_up = faults[0].pointer.empty() && faults[0].detail.find("too deep") != std::string::npos;
  return given_up ? Verdict::given_up : Verdict::does_not;
}

// A schema that was taken is taken inside another one too, and says what it has to.
std::string wrapped(const char* keyword, const json::value& inside, const json::value& value, Verdict want) {
  const auto schema = JsonSchema::compile(json::object{{keyword, inside}});
  if (!schema) return std::string("refused inside ") + keyword;
  const Verdict got = verdict_of(*schema, value);
  if (got != want && got != Verdict::given_up) return std::string("another verdict inside ") + keyword;
  return {};
}

}  // namespace

std::string json_schema_fuzz(std::string_view bytes) {
  const auto document = read_json(bytes, {});
  if (!document || !document->is_array() || document->get_array().size() != 2) return {};
  const json::value& schema = document->get_array()[0];
  const json::value& value = document->get_array()[1];
  const auto compiled = JsonSchema::compile(schema);
  if (!compiled) return compiled.error().empty() ? "refused without a fault" : "";
  const Verdict verdict = verdict_of(*compiled, value);
  if (verdict == Verdict::given_up) return {};
  // References and $id belong to the root, which the wrapping changes.
  const std::string text = json::serialize(schema);
  if (text.find("$ref") != std::string::npos || text.find("$id") != std::string::npos) return {};
  const Verdict opposite = verdict == Verdict::fits ? Verdict::does_not : Verdict::fits;
  for (const std::string& fault :
       {wrapped("not", schema, value, opposite), wrapped("allOf", json::array{schema}, value, verdict),
        wrapped("anyOf", json::array{schema, schema}, value, verdict)})
    if (!fault.empty()) return fault;
  return {};
}

}  // namespace eilbote::fuzz
