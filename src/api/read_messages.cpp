// GET /messages, /messages/{id}, its attempts and events. All of it reads the store, so all of it runs on
// workers.
#include <boost/json/serialize.hpp>

#include "api/handlers.h"
#include "api/json_out.h"
#include "api/list_filter.h"
#include "api/message_json.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

const Problem kNoSuchMessage{ProblemKind::not_found, "there is no message with this id", {}};

// Finds the message the path names and hands it on; answers by itself when there is none.
template <class Then>
void with_message(const CallPtr& call, Then then) {
  const auto id = call->id_or_404();
  if (!id) return;
  call->on_worker([call, id = *id, then] {
    auto record = call->context.outbox.find(id, call->caller.only());
    if (!record) return call->reply(to_problem(record.error()));
    if (!*record || (*record)->job.channel != ChannelKind::mail) return call->reply(kNoSuchMessage);
    then(**record);
  });
}

}  // namespace

void get_message(const CallPtr& call) {
  with_message(call, [call](const JobRecord& record) {
    call->reply_json(200, json::serialize(message_json(record)));
  });
}

void get_attempts(const CallPtr& call) {
  with_message(call, [call](const JobRecord& record) {
    const auto history = call->context.outbox.history(record.job.id);
    if (!history) return call->reply(to_problem(history.error()));
    call->reply_json(200, list_json(history->attempts, [&](const Attempt& attempt) {
                       return attempt_json(record.job.id, attempt);
                     }));
  });
}

void get_events(const CallPtr& call) {
  with_message(call, [call](const JobRecord& record) {
    const auto history = call->context.outbox.history(record.job.id);
    if (!history) return call->reply(to_problem(history.error()));
    call->reply_json(200, list_json(history->events, event_json));
  });
}

void list_messages(const CallPtr& call) {
  auto query = read_list_query(*call, mail_filters(), ChannelKind::mail);
  if (!query) return call->reply(query.error());
  call->on_worker([call, query = std::move(*query)] {
    const auto page = call->context.outbox.list(query);
    if (!page) return call->reply(to_problem(page.error()));
    std::optional<std::string> next;
    if (page->next) next = to_text(*page->next);
    call->reply_json(200, page_json(page->jobs, message_json, next));
  });
}

}  // namespace eilbote
