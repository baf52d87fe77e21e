// GET /queue: what waits in each pool, by how long it is due, and what last went wrong there.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/handlers.h"
#include "api/json_out.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// Of kQueueAges, and of what is older.
constexpr std::array<std::string_view, kQueueAges.size() + 1> kQueueAgeNames{"under1m", "under5m", "under15m",
                                                                             "under1h", "under4h", "longer"};

json::object pool_queue_json(const PoolQueue& queue) {
  json::object due;
  for (std::size_t age = 0; age < queue.due.size(); ++age)
    due[kQueueAgeNames[age]] = queue.due[age];
  json::object row;
  row["pool"] = queue.pool;
  row["waiting"] = queue.waiting;
  row["due"] = std::move(due);
  row["oldestDueAt"] = time_or_null(queue.oldest);
  row["lastError"] = text_or_null(queue.last_error);
  row["lastErrorAt"] = time_or_null(queue.last_error_at);
  return row;
}

}  // namespace

void get_queue(const CallPtr& call) {
  call->on_worker([call] {
    const auto queue = call->context.registry.queue();
    if (!queue) return call->reply(to_problem(queue.error()));
    json::object body = list_object(queue->pools, pool_queue_json);
    body["observedAt"] = to_rfc3339(queue->now);
    call->reply_json(200, json::serialize(body));
  });
}

}  // namespace eilbote
