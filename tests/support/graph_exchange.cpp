#include "support/graph_exchange.h"

#include <fmt/format.h>

#include <regex>

#include "base/ascii.h"
#include "base/url_escape.h"

namespace eilbote::test {
namespace {

namespace json = boost::json;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (true) {
    const std::size_t to = text.find(at, from);
    parts.push_back(text.substr(from, to - from));
    if (to == std::string::npos) return parts;
    from = to + 1;
  }
}

// Of a query, where a plus sign is a blank.
std::string query_decoded(std::string text) {
  for (char& c : text)
    if (c == '+') c = ' ';
  return url_unescaped(text).value_or(text);
}

// "mailFolders('inbox')" is the same as "mailFolders/inbox".
void add_segment(std::vector<std::string>& path, const std::string& segment) {
  static const std::regex kKeyed(R"(^(\w+)\('(.*)'\)$)");
  const std::string decoded = url_unescaped(segment).value_or(segment);
  std::smatch keyed;
  if (std::regex_match(decoded, keyed, kKeyed)) {
    path.push_back(keyed[1]);
    path.push_back(keyed[2]);
  } else if (!decoded.empty()) {
    path.push_back(decoded == "delta()" ? "delta" : decoded);
  }
}

// OData writes a quote inside a text twice.
std::string unquoted(std::string text) {
  for (std::size_t at = 0; (at = text.find("''", at)) != std::string::npos; ++at)
    text.erase(at, 1);
  return text;
}

}  // namespace

std::string GraphRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

bool GraphRequest::wants_immutable_ids() const {
  return ascii_lower(header("prefer")).find("idtype=\"immutableid\"") != std::string::npos;
}

std::string GraphRequest::mailbox() const {
  return path.size() > 1 && path[0] == "users" ? ascii_lower(path[1]) : "";
}

GraphRequest read_graph_request(const std::string& method, const std::string& target,
                                std::map<std::string, std::string> headers, std::string body) {
  constexpr std::string_view kVersion = "/v1.0/";
  GraphRequest request;
  request.method = method;
  request.target = target.starts_with(kVersion) ? target.substr(kVersion.size() - 1) : target;
  request.headers = std::move(headers);
  request.body = std::move(body);
  const std::size_t mark = request.target.find('?');
  for (const std::string& segment : split(request.target.substr(0, mark), '/'))
    add_segment(request.path, segment);
  if (mark == std::string::npos) return request;
  for (const std::string& pair : split(request.target.substr(mark + 1), '&')) {
    const std::size_t equals = pair.find('=');
    request.query[query_decoded(pair.substr(0, equals))] =
        equals == std::string::npos ? "" : query_decoded(pair.substr(equals + 1));
  }
  return request;
}

GraphRequest read_graph_request(const HttpSeen& seen) {
  const auto first = seen.line.find(' '), second = seen.line.find(' ', first + 1);
  return read_graph_request(seen.line.substr(0, first), seen.line.substr(first + 1, second - first - 1),
                            seen.headers, seen.body);
}

std::string written(const GraphReply& reply) {
  std::string headers;
  if (!reply.body.empty()) headers += "Content-Type: " + reply.type + "\r\n";
  for (const auto& [name, value] : reply.headers)
    headers += name + ": " + value + "\r\n";
  return http_answer(reply.status, reply.body, headers);
}

GraphReply graph_answer(int status, const json::value& body) {
  return {.status = status, .body = json::serialize(body)};
}

GraphReply graph_nothing(int status) {
  return {.status = status};
}

GraphReply graph_error(int status, const std::string& code, const std::string& message) {
  return graph_answer(
      status, {{"error",
                {{"code", code},
                 {"message", message},
                 {"innerError", {{"date", "2026-11-18T00:00:00"}, {"request-id", "scripted-request"}}}}}});
}

std::optional<json::object> json_object(const std::string& text) {
  boost::system::error_code wrong;
  json::value value = json::parse(text, wrong);
  if (wrong || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

std::string text_member(const json::object& object, const std::string& name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

json::object selected(const json::object& value, const GraphRequest& request) {
  const auto select = request.query.find("$select");
  if (select == request.query.end()) return value;
  json::object some;
  for (const json::key_value_pair& member : value)
    if (member.key() == "id" || member.key().starts_with("@odata.")) some.insert(member);
  for (const std::string& name : split(select->second, ','))
    if (const json::value* member = value.if_contains(std::string(trimmed(name))))
      some[std::string(trimmed(name))] = *member;
  // What was expanded comes along, whatever was selected.
  if (const json::value* expanded = value.if_contains("singleValueExtendedProperties"))
    some["singleValueExtendedProperties"] = *expanded;
  return some;
}

std::optional<GraphFilter> read_graph_filter(const std::string& text) {
  static const std::regex kAny(
      R"(^\s*singleValueExtendedProperties/[Aa]ny\(\s*(\w+)\s*:\s*\1/id eq '((?:[^']|'')*)' and \1/value eq '((?:[^']|'')*)'\s*\)\s*$)");
  static const std::regex kOne(R"(^\s*(\w+) (eq|ge|gt|le|lt) (?:'((?:[^']|'')*)'|([0-9TZ:.+-]+))\s*)");
  static const std::regex kAnd(R"(^and\s+)");
  std::smatch found;
  if (std::regex_match(text, found, kAny))
    return GraphFilter{.property_id = unquoted(found[2]), .property_value = unquoted(found[3])};
  GraphFilter filter;
  std::string rest = text;
  while (std::regex_search(rest, found, kOne)) {
    filter.comparisons[found[1].str() + " " + found[2].str()] =
        found[3].matched ? unquoted(found[3]) : found[4].str();
    rest = found.suffix();
    if (rest.empty()) return filter;
    if (!std::regex_search(rest, found, kAnd)) return std::nullopt;
    rest = found.suffix();
  }
  return std::nullopt;
}

}  // namespace eilbote::test
