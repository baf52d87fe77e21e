#include "api/accepting.h"

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>

#include "api/json_document.h"
#include "api/json_fields.h"
#include "api/limits.h"
#include "ports/overload.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::size_t kInlineBytesMax = 64 * 1024;

// The items: an array, or an object with one. Null after having said what is wrong.
const json::array* batch_items(const json::value& body, const Accepting& what, std::vector<Fault>& faults) {
  const Place root(faults);
  if (body.is_array()) return read_array(body, root, kBatchItemsMax);
  const json::object* object = read_object(body, root);
  if (object == nullptr) return nullptr;
  const json::array* items = nullptr;
  for (const auto& member : *object) {
    const std::string_view name(member.key().data(), member.key().size());
    if (name == what.many)
      items = read_array(member.value(), Place(root, name), kBatchItemsMax);
    else
      unknown_field(root, name, std::span(&what.many, 1));
  }
  if (items == nullptr && faults.empty())
    Place(root, what.many).fault(fmt::format("is required: an array of {}", what.many));
  return items;
}

void read_batch(const CallPtr& call, const Accepting& what, const AcceptItem& accept) {
  json::monotonic_resource memory;
  const auto body = read_json(call->request.body, &memory);
  if (!body) return call->reply(body.error());
  std::vector<Fault> faults;
  const json::array* items = batch_items(*body, what, faults);
  if (faults.empty() && items->empty())
    faults.push_back({fmt::format("/{}", what.many), "must have at least one item"});
  if (!faults.empty()) return call->reply(invalid(std::move(faults)));
  const auto batch = std::make_shared<BatchAnswer>(call, items->size(), what.status);
  for (std::size_t i = 0; i < items->size(); ++i)
    accept(batch, (*items)[i], i);
}

}  // namespace

void accept_body(const CallPtr& call, void (*accept)(const CallPtr&)) {
  if (const auto problem = call->content_type_problem()) return call->reply(*problem);
  if (call->request.body.size() <= kInlineBytesMax) return accept(call);
  call->on_worker([call, accept] { accept(call); });
}

void accept_batch(const CallPtr& call, const Accepting& what, AcceptItem accept) {
  if (const auto problem = call->content_type_problem()) return call->reply(*problem);
  call->on_worker([call, &what, accept = std::move(accept)] { read_batch(call, what, accept); });
}

Problem intake_full(const Call& call, const Accepting& what) {
  call.context.metrics.add(Metric::http_overload, 1,
                           {std::string(kOverloadCauseNames.text(OverloadCause::intake))});
  return {ProblemKind::overloaded,
          fmt::format("too many {} are waiting to be committed; try again in a moment", what.many),
          {}};
}

std::optional<Problem> problem_of(const IntakeAnswer& answer, const Accepting& what) {
  switch (answer.kind) {
    case IntakeAnswer::Kind::accepted:
    case IntakeAnswer::Kind::replayed:
      return std::nullopt;
    case IntakeAnswer::Kind::conflict:
      return Problem{
          ProblemKind::idempotency_conflict, fmt::format("this {} was used with another body", what.key), {}};
    case IntakeAnswer::Kind::rejected:
      return Problem{ProblemKind::unavailable,
                     fmt::format("the database refused this {} and would again; it was not accepted, and the "
                                 "log has the reason under this trace id",
                                 what.one),
                     {}};
    case IntakeAnswer::Kind::unavailable:
      break;
  }
  return Problem{ProblemKind::unavailable,
                 fmt::format("the database does not answer: whether this {} was accepted is not known; only "
                             "with the same {} it is safe to send it again",
                             what.one, what.key),
                 {}};
}

}  // namespace eilbote
