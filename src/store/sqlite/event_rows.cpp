// A status event on its way into mail_status. Used by whatever changes one job's public state; an exchange writes its own
// together.
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {

namespace q = sql::sqlite;

void write_event(Session& session, JobId job, const StatusEvent& event) {
  // A note, which changes nothing, is told to no callback; of a change the statement looks whether one waits for it.
  std::optional<bool> callback;
  if (event.from == event.to) callback = false;
  GivenRows rows;
  rows.add(job, session.now, event.from, event.to, event.reason, event.actor, event.trace_id, callback);
  session.database.run(q::insert_events).with(rows).done();
}

}  // namespace eilbote::sqlite
