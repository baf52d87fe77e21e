// What is written beside a job's row: its status events and its recipients' results.
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {

namespace q = sql::sqlite;

void write_event(Session& session, JobId job, const StatusEvent& event) {
  GivenRows rows;
  rows.add(job, session.now, event.from, event.to, event.reason, event.actor, event.trace_id,
           std::optional<bool>());
  session.database.run(q::insert_events).with(rows).done();
}

void write_recipient(Session& session, JobId job, int n, RecipientStatus status, std::string_view reply) {
  GivenRows rows;
  rows.add(job, n, kRecipientStatusNames.text(status), reply, session.now);
  session.database.run(q::upsert_recipients).with(rows).done();
}

}  // namespace eilbote::sqlite
