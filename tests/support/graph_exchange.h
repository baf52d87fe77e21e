// A request to the scripted Graph tenant taken apart, and its answer before it is written: what single requests and members of a
// $batch have in common. Used by scripted_graph.h and its routes.
#pragma once

#include <boost/json.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/scripted_http.h"

namespace eilbote::test {

struct GraphRequest {
  std::string method;
  std::string target;             // as it came, without "/v1.0": "/users/a%40b.example/messages?$top=1"
  std::vector<std::string> path;  // decoded segments: "users", "a@b.example", "messages"
  std::map<std::string, std::string> query;    // decoded
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  std::string header(const std::string& name) const;
  bool wants_immutable_ids() const;
  // The mailbox it is about, in lower case; empty: none.
  std::string mailbox() const;
};

struct GraphReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers{};  // beyond Content-Type and Content-Length
  std::string type = "application/json";
  std::string body{};
};

GraphRequest read_graph_request(const std::string& method, const std::string& target,
                                std::map<std::string, std::string> headers, std::string body);
GraphRequest read_graph_request(const HttpSeen& seen);
std::string written(const GraphReply& reply);

GraphReply graph_answer(int status, const boost::json::value& body);
GraphReply graph_nothing(int status);
// As Graph words it: {"error":{"code","message","innerError":{...}}}.
GraphReply graph_error(int status, const std::string& code, const std::string& message = "It was scripted.");

// `text` parsed as a JSON object; nothing when it is none.
std::optional<boost::json::object> json_object(const std::string& text);
// A text member; empty when it is not there or is no text.
std::string text_member(const boost::json::object& object, const std::string& name);

// `value` with the members that $select names (and its id); all of it without one.
boost::json::object selected(const boost::json::object& value, const GraphRequest& request);

// "singleValueExtendedProperties/Any(ep: ep/id eq 'ID' and ep/value eq 'VALUE')", "internetMessageId eq 'VALUE'", and
// "NAME eq|ge|le 'VALUE'" joined by "and": the filters a mail sender needs.
struct GraphFilter {
  std::string property_id, property_value;           // of the first form
  std::map<std::string, std::string> comparisons{};  // "internetMessageId eq" -> value
};
// Nothing: it is written in a way that Graph would not read.
std::optional<GraphFilter> read_graph_filter(const std::string& text);

}  // namespace eilbote::test
