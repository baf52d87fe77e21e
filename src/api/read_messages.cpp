// GET /messages, /messages/{id}, its attempts and events. All of it reads the store, so all of it runs on
// workers.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>

#include "api/handlers.h"
#include "api/message_filter.h"
#include "api/message_json.h"
#include "base/nearest.h"
#include "base/utf8.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr int kLimitMax = 200;

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

std::string data_json(json::array rows) {
  json::object body;
  body["data"] = std::move(rows);
  return json::serialize(body);
}

std::string set_limit(ListQuery& query, const std::string& value) {
  int limit = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), limit);
  const bool whole = error == std::errc{} && end == value.data() + value.size();
  if (!whole || limit < 1 || limit > kLimitMax)
    return fmt::format("must be a whole number from 1 to {}", kLimitMax);
  query.limit = limit;
  return "";
}

std::string set_cursor(ListQuery& query, const std::string& value) {
  query.before = parse_job_id(value);
  return query.before ? "" : "must be the nextCursor of an earlier page";
}

void unknown_parameter(std::vector<Fault>& faults, const std::string& name) {
  std::vector<std::string_view> known(filter_names().begin(), filter_names().end());
  known.insert(known.end(), {"cursor", "limit"});
  const std::string close = nearest(name, known);
  const std::string_view shown = utf8_prefix(name, 64);
  faults.push_back({"", close.empty()
                            ? fmt::format("unknown query parameter '{}'", shown)
                            : fmt::format("unknown query parameter '{}'; did you mean '{}'?", shown, close)});
}

tl::expected<ListQuery, Problem> list_query(const Call& call) {
  const auto pairs = parse_query(call.target.query);
  if (!pairs) return tl::unexpected(to_problem(pairs.error()));
  ListQuery query;
  query.client = call.caller.only();
  std::vector<Fault> faults;
  for (const auto& [name, value] : *pairs) {
    FilterResult result = set_filter(query, name, value);
    if (name == "limit") result = {true, set_limit(query, value)};
    if (name == "cursor") result = {true, set_cursor(query, value)};
    if (!result.known)
      unknown_parameter(faults, name);
    else if (!result.wrong.empty())
      faults.push_back({"", fmt::format("query parameter '{}' {}", name, result.wrong)});
  }
  if (!faults.empty()) return tl::unexpected(invalid(std::move(faults)));
  return query;
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
    json::array rows;
    for (const Attempt& attempt : history->attempts)
      rows.push_back(attempt_json(record.job.id, attempt));
    call->reply_json(200, data_json(std::move(rows)));
  });
}

void get_events(const CallPtr& call) {
  with_message(call, [call](const JobRecord& record) {
    const auto history = call->context.outbox.history(record.job.id);
    if (!history) return call->reply(to_problem(history.error()));
    json::array rows;
    for (const StatusEvent& event : history->events)
      rows.push_back(event_json(event));
    call->reply_json(200, data_json(std::move(rows)));
  });
}

void list_messages(const CallPtr& call) {
  auto query = list_query(*call);
  if (!query) return call->reply(query.error());
  call->on_worker([call, query = std::move(*query)] {
    const auto page = call->context.outbox.list(query);
    if (!page) return call->reply(to_problem(page.error()));
    json::object body;
    json::array& rows = (body["data"] = json::array()).get_array();
    for (const JobRecord& record : page->jobs)
      rows.push_back(message_json(record));
    body["nextCursor"] = page->next ? json::value(to_text(*page->next)) : json::value(nullptr);
    call->reply_json(200, json::serialize(body));
  });
}

}  // namespace eilbote
