#include "channel/graph_batch.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>

#include "base/ascii.h"
#include "base/json_escape.h"
#include "channel/graph_answer.h"
#include "domain/json_members.h"
#include "domain/retry_after.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// Names, quotes and commas of one part.
constexpr std::size_t kPartFrame = 100, kHeaderFrame = 8;

void append_named(std::string& out, std::string_view name, std::string_view value) {
  append_json_string(out, name);
  out += ':';
  append_json_string(out, value);
}

void append_part(std::string& out, const GraphBatchPart& part, std::size_t id) {
  out += '{';
  append_named(out, "id", std::to_string(id));
  out += ',';
  append_named(out, "method", part.method);
  out += ',';
  append_named(out, "url", part.path);
  out += R"(,"headers":{)";
  bool is_first = true;
  for (const auto& [name, value] : part.headers) {
    if (!std::exchange(is_first, false)) out += ',';
    append_named(out, name, value);
  }
  out += '}';
  if (!part.body.empty()) out.append(R"(,"body":)").append(part.body);
  out += '}';
}

// Names in any case; numbers are seen as texts and as numbers.
std::string header_in(const json::value& part, std::string_view name) {
  const json::value* const headers = member_at(part, {"headers"});
  if (headers == nullptr || !headers->is_object()) return {};
  for (const auto& [key, value] : headers->get_object())
    if (same_but_for_case(std::string_view(key.data(), key.size()), name))
      return value.is_string() ? as_text(value) : json::serialize(value);
  return {};
}

// The part's place from 0; nothing for an id that was not ours.
std::optional<std::size_t> place_of(const json::value& part, std::size_t parts) {
  const json::value* const id = member_at(part, {"id"});
  if (id == nullptr) return std::nullopt;
  const std::string text = id->is_string() ? as_text(*id) : json::serialize(*id);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0 || number > parts)
    return std::nullopt;
  return number - 1;
}

GraphAnswer read_part(const json::value& part, TimePoint now) {
  GraphAnswer answer;
  const auto status = number_at(part, {"status"});
  if (!status || *status < 100 || *status > 599) {
    answer.fault = ExchangeFault::bad_response;
    answer.text = "Graph's answer to the batch has no status for this request";
    return answer;
  }
  answer.status = static_cast<int>(*status);
  answer.request_id = clean_request_id(header_in(part, "request-id"));
  answer.retry_after = parse_retry_after(header_in(part, "Retry-After"), now);
  static const json::value kNothing;
  const json::value* const given = member_at(part, {"body"});
  const json::value& body = given == nullptr ? kNothing : *given;
  if (body.is_string())
    answer.body = as_text(body);
  else if (!body.is_null())
    answer.body = json::serialize(body);
  if (answer.ok()) return answer;
  GraphTrouble trouble = read_graph_trouble(body, body.is_string() ? answer.body : "", answer.status);
  answer.code = std::move(trouble.code);
  answer.text = std::move(trouble.text);
  if (answer.request_id.empty()) answer.request_id = std::move(trouble.request_id);
  return answer;
}

}  // namespace

std::size_t GraphBatchPart::bytes() const {
  std::size_t sum = kPartFrame + path.size() + body.size();
  for (const auto& [name, value] : headers)
    sum += kHeaderFrame + name.size() + value.size();
  return sum;
}

std::string write_graph_batch(const std::vector<GraphBatchPart>& parts) {
  std::string out = R"({"requests":[)";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += ',';
    append_part(out, parts[i], i + 1);
  }
  return out + "]}";
}

std::vector<GraphAnswer> read_graph_batch(std::string_view body, std::size_t parts, TimePoint now) {
  GraphAnswer missing;
  missing.fault = ExchangeFault::bad_response;
  missing.text = "Graph's answer to the batch has no part for this request";
  std::vector<GraphAnswer> answers(parts, missing);
  std::vector<bool> is_there(parts, false);
  const json::value document = parse_json(body);
  const json::value* const responses = member_at(document, {"responses"});
  if (responses == nullptr || !responses->is_array()) return answers;
  for (const json::value& part : responses->get_array()) {
    const auto place = place_of(part, parts);
    if (!place || is_there[*place]) continue;
    is_there[*place] = true;
    answers[*place] = read_part(part, now);
  }
  return answers;
}

}  // namespace eilbote
