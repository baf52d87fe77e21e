// GET /dispatch-jobs, /dispatch-jobs/{id}, its attempts and events. All of it reads the store, so all of it runs on
// workers.
#include <boost/json/serialize.hpp>

#include "api/handlers.h"
#include "api/json_out.h"
#include "api/list_filter.h"
#include "api/message_json.h"
#include "api/webhook_json.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// Finds the job the path names and hands it on with its history; answers by itself when there is none.
template <class Then>
void with_job(const CallPtr& call, Then then) {
  const auto id = parse_job_id(call->params.at(0));
  const Problem missing{ProblemKind::not_found, "there is no dispatch job with this id", {}};
  if (!id) return call->reply(missing);
  call->on_worker([call, id = *id, missing, then] {
    const auto record = call->context.outbox.find(id, call->caller.only());
    if (!record) return call->reply(to_problem(record.error()));
    if (!*record || !(*record)->webhook) return call->reply(missing);
    const auto history = call->context.outbox.history(id);
    if (!history) return call->reply(to_problem(history.error()));
    then(**record, *history);
  });
}

}  // namespace

void get_dispatch_job(const CallPtr& call) {
  with_job(call, [call](const JobRecord& record, const JobHistory& history) {
    json::object job = dispatch_job_json(record, call->context.clock.now());
    put_attempts(job, record.job.id, history);
    call->reply_json(200, json::serialize(job));
  });
}

void get_dispatch_attempts(const CallPtr& call) {
  with_job(call, [call](const JobRecord& record, const JobHistory& history) {
    call->reply_json(200, list_json(history.attempts, [&](const Attempt& attempt) {
                       return dispatch_attempt_json(record.job.id, attempt);
                     }));
  });
}

void get_dispatch_events(const CallPtr& call) {
  with_job(call, [call](const JobRecord&, const JobHistory& history) {
    call->reply_json(200, list_json(history.events, event_json));
  });
}

void list_dispatch_jobs(const CallPtr& call) {
  auto query = read_list_query(*call, job_filters(), ChannelKind::webhook);
  if (!query) return call->reply(query.error());
  if (const auto code = call->context.pools.code_of(query->webhook.pool)) query->webhook.pool = *code;
  call->on_worker([call, query = std::move(*query)] {
    const auto page = call->context.outbox.list(query);
    if (!page) return call->reply(to_problem(page.error()));
    const auto write = [now = call->context.clock.now()](const JobRecord& record) {
      return dispatch_job_json(record, now);
    };
    std::optional<std::string> next;
    if (page->next) next = to_text(*page->next);
    call->reply_json(200, page_json(page->jobs, write, next));
  });
}

}  // namespace eilbote
