// What became of mails that were handed over, as others tell it: POST /webhooks/dsn takes a bounce as it lies in a mailbox,
// POST /webhooks/provider an event of a provider; GET /reports shows what came in, and what no mail was found for.
//
// Both answer when the report is committed. Whoever brings one again hears `seen_before`, and nothing is done twice.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "api/handlers.h"
#include "api/json_out.h"
#include "api/limits.h"
#include "api/provider_event.h"
#include "api/query_fields.h"
#include "api/query_parameters.h"
#include "base/ascii.h"
#include "domain/dsn.h"
#include "domain/report_rules.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// ---- out ----

void put_text(json::object& out, std::string_view name, const std::string& text) {
  if (!text.empty()) out[name] = text;
}

json::object answer_json(const ReportAnswer& answer) {
  json::object out;
  out["outcome"] = kReportTakenNames.text(answer.taken);
  if (answer.outcome.job) out["messageId"] = to_text(*answer.outcome.job);
  put_text(out, "from", answer.outcome.from);
  put_text(out, "to", answer.outcome.to);
  return out;
}

json::array recipients_json(const std::vector<RecipientReport>& recipients) {
  json::array out;
  for (const RecipientReport& recipient : recipients) {
    if (recipient.address.empty()) continue;  // what is said of nobody in particular
    json::object row;
    row["address"] = recipient.address;
    row["action"] = kReportActionNames.text(recipient.action);
    put_text(row, "status", recipient.status);
    out.push_back(std::move(row));
  }
  return out;
}

json::object record_json(const ReportRecord& record) {
  json::object out;
  out["id"] = std::to_string(record.number);
  out["at"] = to_rfc3339(record.at);
  out["source"] = kReportSourceNames.text(record.source);
  out["messageId"] = record.job ? text_or_null(to_text(*record.job)) : json::value();
  boost::system::error_code broken;
  json::value body = json::parse(record.body, broken);
  out["report"] = broken ? json::value(json::object()) : std::move(body);
  return out;
}

// ---- in ----

// The bytes are what counts, so any type will do but one that is surely a mistake.
std::optional<Problem> dsn_problem(const Call& call) {
  if (call.request.body.empty())
    return invalid({{"", "the body must be the bounce, as it lies in the mailbox (message/rfc822)"}});
  if (call.request.body.size() > kDsnBytesMax)
    return Problem{ProblemKind::too_large, fmt::format("a bounce may have {} bytes", kDsnBytesMax), {}};
  if (!call.content_type_problem())  // it is JSON
    return Problem{ProblemKind::unsupported_media_type,
                   "Content-Type must be message/rfc822: send the bounce itself",
                   {}};
  if (const auto coding = call.request.header("Content-Encoding");
      !coding.empty() && !same_but_for_case(coding, "identity"))
    return Problem{ProblemKind::unsupported_media_type,
                   "Content-Encoding must be identity: send the body uncompressed",
                   {}};
  return std::nullopt;
}

std::string set_matched(ReportQuery& query, QueryKey, QueryValue value) {
  if (value != "true" && value != "false") return "must be true or false";
  query.matched = value == "true";
  return "";
}

std::string set_message(ReportQuery& query, QueryKey, QueryValue value) {
  query.job = parse_job_id(value);
  return query.job ? "" : "must be the id of a message";
}

// A report that comes too early is no trouble of the database's, which is what unavailable says elsewhere.
Problem problem_of(const Error& error) {
  if (says_too_early(error)) return {ProblemKind::unavailable, std::string(kTooEarly), {}};
  return to_problem(error);
}

constexpr QueryRow<ReportQuery> kReportParameters[] = {
    {"matched", set_matched},
    {"messageId", set_message},
    {"limit", [](ReportQuery& q, QueryKey, QueryValue v) { return set_page_limit(q.limit, v); }},
    {"cursor", [](ReportQuery& q, QueryKey, QueryValue v) { return set_cursor(q.before, v); }},
};

}  // namespace

std::vector<std::string_view> report_parameters() {
  return names_of<ReportQuery>(kReportParameters);
}

void post_dsn(const CallPtr& call) {
  if (const auto problem = dsn_problem(*call)) return call->reply(*problem);
  call->on_worker([call] {
    const std::string& raw = call->request.body;
    const auto answer =
        call->context.report_desk.take_dsn(raw, dsn_key(raw), ReportSource::dsn, call->trace.trace_id);
    if (!answer) return call->reply(problem_of(answer.error()));
    json::object body = answer_json(*answer);
    body["kind"] = kDsnKindNames.text(answer->kind);
    body["recipients"] = recipients_json(answer->recipients);
    call->reply_json(200, json::serialize(body));
  });
}

void post_provider_event(const CallPtr& call) {
  if (const auto problem = call->content_type_problem()) return call->reply(*problem);
  auto report = read_provider_event(call->request.body, call->context.clock.now());
  if (!report) return call->reply(report.error());
  report->trace_id = call->trace.trace_id;
  call->on_worker([call, report = std::move(*report)] {
    const auto answer = call->context.report_desk.take(report);
    if (!answer) return call->reply(problem_of(answer.error()));
    // Kept, and nothing that coming again would help: no error, else the provider tries for ever.
    const bool unmatched = answer->taken == ReportTaken::unmatched;
    call->reply_json(unmatched ? 202 : 200, json::serialize(answer_json(*answer)));
  });
}

void list_reports(const CallPtr& call) {
  ReportQuery all;
  all.limit = kPageDefault;
  const auto query = read_query(call->target.query, kReportParameters, all);
  if (!query) return call->reply(query.error());
  call->on_worker([call, query = *query]() mutable {
    const auto wanted = static_cast<std::size_t>(query.limit++);  // one more says whether there is more
    auto records = call->context.reports.reports(query);
    if (!records) return call->reply(to_problem(records.error()));
    const bool more = records->size() > wanted;
    if (more) records->resize(wanted);
    std::optional<std::string> next;
    if (more) next = std::to_string(records->back().number);
    call->reply_json(200, page_json(*records, record_json, next));
  });
}

}  // namespace eilbote
