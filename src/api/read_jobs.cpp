// GET /messages and /dispatch-jobs: the list, one of them, its attempts and events. All of it reads the store, so all of it
// runs on workers.
#include <boost/json/serialize.hpp>

#include "api/handlers.h"
#include "api/job_resource.h"
#include "api/json_out.h"
#include "api/message_json.h"
#include "api/webhook_json.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// Finds the job the path names and hands it on; answers by itself when there is none.
template <class Then>
void with_record(const CallPtr& call, const JobResource& jobs, Then then) {
  const auto id = id_or_404(*call, jobs);
  if (!id) return;
  call->on_worker([call, &jobs, id = *id, then] {
    const auto record = call->context.outbox.find(id, call->caller.only());
    if (!record) return call->reply(to_problem(record.error()));
    if (!*record || !jobs.holds(**record)) return call->reply(jobs.missing());
    then(**record);
  });
}

// The same, with what became of it so far.
template <class Then>
void with_history(const CallPtr& call, const JobResource& jobs, Then then) {
  with_record(call, jobs, [call, then](const JobRecord& record) {
    const auto history = call->context.outbox.history(record.job.id);
    if (!history) return call->reply(to_problem(history.error()));
    then(record, *history);
  });
}

void reply_attempts(const CallPtr& call, const JobResource& jobs) {
  with_history(call, jobs, [call, &jobs](const JobRecord& record, const JobHistory& history) {
    call->reply_json(200, list_json(history.attempts, [&](const Attempt& attempt) {
                       return jobs.write_attempt(record.job.id, attempt);
                     }));
  });
}

void reply_events(const CallPtr& call, const JobResource& jobs) {
  with_history(call, jobs, [call](const JobRecord&, const JobHistory& history) {
    call->reply_json(200, list_json(history.events, event_json));
  });
}

void reply_page(const CallPtr& call, const JobResource& jobs) {
  auto query = read_list_query(*call, jobs.filters(), jobs.channel);
  if (!query) return call->reply(query.error());
  if (const auto code = call->context.pools.code_of(query->pool)) query->pool = *code;
  call->on_worker([call, &jobs, query = std::move(*query)] {
    const auto page = call->context.outbox.list(query);
    if (!page) return call->reply(to_problem(page.error()));
    const auto write = [&jobs, view = call->view()](const JobRecord& record) {
      return jobs.write(record, view);
    };
    std::optional<std::string> next;
    if (page->next) next = to_text(*page->next);
    call->reply_json(200, page_json(page->jobs, write, next));
  });
}

}  // namespace

void get_message(const CallPtr& call) {
  with_record(call, kMessages, [call](const JobRecord& record) {
    call->reply_json(200, json::serialize(message_json(record)));
  });
}
void get_attempts(const CallPtr& call) {
  reply_attempts(call, kMessages);
}
void get_events(const CallPtr& call) {
  reply_events(call, kMessages);
}
void list_messages(const CallPtr& call) {
  reply_page(call, kMessages);
}

// Its attempts are part of it.
void get_dispatch_job(const CallPtr& call) {
  with_history(call, kDispatchJobs, [call](const JobRecord& record, const JobHistory& history) {
    json::object job = dispatch_job_json(record, call->view());
    put_attempts(job, record.job.id, history);
    call->reply_json(200, json::serialize(job));
  });
}
void get_dispatch_attempts(const CallPtr& call) {
  reply_attempts(call, kDispatchJobs);
}
void get_dispatch_events(const CallPtr& call) {
  reply_events(call, kDispatchJobs);
}
void list_dispatch_jobs(const CallPtr& call) {
  reply_page(call, kDispatchJobs);
}

}  // namespace eilbote
