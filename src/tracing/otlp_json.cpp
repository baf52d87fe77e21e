#include "tracing/otlp_json.h"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <charconv>
#include <iterator>

#include "base/json_escape.h"

namespace eilbote {
namespace {

constexpr int kStatusError = 2;

void add_attribute(std::string& out, std::string_view name, const Span::Value& value) {
  out += R"({"key":)";
  append_json_string(out, name);
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    fmt::format_to(std::back_inserter(out), R"(,"value":{{"intValue":"{}"}}}})", *number);
    return;
  }
  out += R"(,"value":{"stringValue":)";
  append_json_string(out, std::get<std::string>(value));
  out += "}}";
}

template <class Attributes>
void add_attributes(std::string& out, const Attributes& attributes) {
  out += R"("attributes":[)";
  const char* comma = "";
  for (const auto& [name, value] : attributes) {
    out += std::exchange(comma, ",");
    add_attribute(out, name, value);
  }
  out += ']';
}

std::int64_t nanoseconds(TimePoint at) {
  return std::chrono::nanoseconds(at.time_since_epoch()).count();
}

void add_span(std::string& out, const Span& span) {
  fmt::format_to(std::back_inserter(out), R"({{"traceId":"{}","spanId":"{}",)", span.trace_id, span.id);
  if (!span.parent_id.empty())
    fmt::format_to(std::back_inserter(out), R"("parentSpanId":"{}",)", span.parent_id);
  out += R"("name":)";
  append_json_string(out, span.name);
  fmt::format_to(std::back_inserter(out), R"(,"kind":{},"startTimeUnixNano":"{}","endTimeUnixNano":"{}",)",
                 static_cast<int>(span.kind), nanoseconds(span.begin), nanoseconds(span.end));
  add_attributes(out, span.attributes);
  if (span.failed) {
    fmt::format_to(std::back_inserter(out), R"(,"status":{{"code":{},"message":)", kStatusError);
    append_json_string(out, span.failure);
    out += '}';
  }
  out += '}';
}

}  // namespace

std::string otlp_json(std::span<const Span> spans, const TraceResource& resource) {
  const std::pair<std::string_view, Span::Value> about[] = {{"service.name", std::string("eilbote")},
                                                            {"service.version", resource.version},
                                                            {"service.instance.id", resource.instance}};
  std::string out = R"({"resourceSpans":[{"resource":{)";
  add_attributes(out, about);
  out += R"(},"scopeSpans":[{"scope":{"name":"eilbote","version":)";
  append_json_string(out, resource.version);
  out += R"(},"spans":[)";
  const char* comma = "";
  for (const Span& span : spans) {
    out += std::exchange(comma, ",");
    add_span(out, span);
  }
  out += "]}]}]}";
  return out;
}

// A 64-bit number is a text in this JSON; some receivers write it as a number all the same.
std::int64_t rejected_spans(std::string_view answer) {
  boost::system::error_code broken;
  const boost::json::value document = boost::json::parse(answer, broken);
  if (broken) return 0;
  const auto* rejected = document.find_pointer("/partialSuccess/rejectedSpans", broken);
  if (rejected == nullptr) return 0;
  std::int64_t count = 0;
  if (const auto* text = rejected->if_string())
    std::from_chars(text->data(), text->data() + text->size(), count);
  else if (rejected->is_int64())
    count = rejected->as_int64();
  return std::max<std::int64_t>(count, 0);
}

}  // namespace eilbote
