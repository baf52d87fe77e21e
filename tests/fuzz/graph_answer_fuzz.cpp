// Whatever Microsoft Graph, or somebody in its place, answers or posts: errors in clean words, one answer per part of a batch,
// rows of a trace and notifications that can be stored.
#include <boost/json/array.hpp>

#include "api/graph_notifications.h"
#include "base/ascii.h"
#include "base/utf8.h"
#include "channel/graph_answer.h"
#include "channel/graph_batch.h"
#include "channel/graph_trace.h"
#include "domain/graph_judge.h"
#include "domain/json_members.h"
#include "domain/retry_after.h"
#include "fuzz/fuzz.h"
#include "fuzz/problem_fault.h"

namespace eilbote::fuzz {
namespace {

const TimePoint kNow{std::chrono::days{20'000}};

std::string answer_fault(const GraphAnswer& answer) {
  if (!answer.ok() && answer.text.empty()) return "a failure without a word";
  for (const std::string* text : {&answer.text, &answer.code, &answer.request_id})
    if (has_control(*text) || !is_utf8(*text)) return "a text that is no line: " + *text;
  if (answer.request_id.size() > 1000 || answer.code.size() > 1000) return "an id without a bound";
  if (answer.retry_after && (*answer.retry_after < kRetryAfterMin || *answer.retry_after > kRetryAfterMax))
    return "a wait out of bounds";
  if (answer.fault == ExchangeFault::none && (answer.status < 100 || answer.status > 599)) return "no status";
  for (const auto& [step, name] : kGraphStepNames.entries) {
    GraphFacts facts;
    facts.fault = answer.fault;
    facts.status = answer.status;
    facts.code = answer.code;
    facts.text = answer.text;
    facts.retry_after = answer.retry_after;
    const GraphJudgement judgement = judge_graph(step, facts);
    if ((judgement.outcome == GraphOutcome::done) != answer.ok())
      return "a yes taken for a no at: " + std::string(name);
  }
  return {};
}

std::string trace_fault(const boost::json::value& row) {
  const auto report = report_of_trace(row);
  if (!report) return {};
  const RecipientReport& said = report->recipients.at(0);
  for (const std::string* text : {&report->key, &report->references.at(0).message_id, &said.address})
    if (text->empty() || text->find('\0') != std::string::npos || !is_utf8(*text))
      return "a row that no table takes";
  return {};
}

std::string notifications_fault(std::string_view bytes) {
  const auto read = read_graph_notifications(bytes);
  if (!read) return problem_fault(read.error());
  for (const GraphNotification& one : read->items)
    if (!is_printable_ascii(one.subscription_id) || !is_printable_ascii(one.message_id) ||
        one.subscription_id.empty() || (!one.lifecycle && one.message_id.empty()))
      return "a notification that no table takes";
  return {};
}

}  // namespace

std::string graph_answer_fuzz(std::string_view bytes) {
  for (const int status : {200, 400, 429, 503}) {
    HttpAnswer raw;
    raw.status = status;
    raw.header_lines = "HTTP/1.1 200\r\nrequest-id: " + std::string(bytes.substr(0, 40)) + "\r\n\r\n";
    raw.body = bytes;
    if (std::string fault = answer_fault(read_graph_answer(raw, "graph.example", kNow)); !fault.empty())
      return fault;
  }
  const auto parts = read_graph_batch(bytes, 3, kNow);
  if (parts.size() != 3) return "another number of parts";
  for (const GraphAnswer& part : parts)
    if (std::string fault = answer_fault(part); !fault.empty()) return "in a batch: " + fault;
  const boost::json::value document = parse_json(bytes);
  const boost::json::value* rows = member_at(document, {"value"});
  if (rows != nullptr && rows->is_array())
    for (const boost::json::value& row : rows->get_array())
      if (std::string fault = trace_fault(row); !fault.empty()) return fault;
  return notifications_fault(bytes);
}

}  // namespace eilbote::fuzz
