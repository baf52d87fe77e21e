// The small JSON bodies of acts: read on the spot, by a table of fields.
#pragma once

#include "api/call.h"
#include "api/json_document.h"
#include "api/json_fields.h"

namespace eilbote {

// Fills `into`; false after having answered what is wrong. An empty body is an empty object.
template <class Body, std::size_t N>
bool read_body(Call& call, const FieldRow<Body> (&rows)[N], Body& into) {
  if (call.request.body.empty()) return true;
  if (const auto problem = call.content_type_problem()) return call.reply(*problem), false;
  const auto value = read_json(call.request.body, {});
  if (!value) return call.reply(value.error()), false;
  std::vector<Fault> faults;
  read_fields(*value, Place(faults), rows, into);
  if (!faults.empty()) return call.reply(invalid(std::move(faults))), false;
  return true;
}

}  // namespace eilbote
