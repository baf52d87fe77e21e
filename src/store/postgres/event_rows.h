// Status events on their way into mail_status, as the arrays of one statement. Used by whatever changes a public state.
#pragma once

#include <optional>

#include "ports/outbox.h"
#include "store/postgres/connection.h"

namespace eilbote::postgres {

class EventRows {
 public:
  // `callback`: whether a callback waits for the changes of this job; unknown: the statement looks. A note, which changes
  // nothing, is told to nobody.
  void add(std::int64_t job, const StatusEvent& event, std::optional<bool> callback = std::nullopt) {
    job_.add(job);
    from_.add(event.from);
    to_.add(event.to);
    reason_.add(event.reason);
    actor_.add(event.actor);
    trace_.add(event.trace_id);
    if (event.from == event.to) callback = false;
    callback ? callback_.add(*callback) : callback_.add_null();
  }
  // Adds nothing when there is nothing to write.
  void write(Calls& calls) && {
    if (job_.size() == 0) return;
    Params params;
    for (Array* array : {&job_, &from_, &to_, &reason_, &actor_, &trace_, &callback_})
      params.add(std::move(*array));
    calls.push_back({&sql::postgres::insert_events, std::move(params)});
  }

 private:
  Array job_{Type::int8}, from_{Type::text}, to_{Type::text}, reason_{Type::text}, actor_{Type::text},
      trace_{Type::text}, callback_{Type::boolean};
};

}  // namespace eilbote::postgres
