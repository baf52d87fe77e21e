// A receiver of OpenTelemetry traces by OTLP/HTTP: takes what it is sent, or does what its script says, and shows the spans as
// they came. Header only.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "support/eventually.h"
#include "support/scripted_http.h"

namespace eilbote::test {

class TraceReceiver {
 public:
  explicit TraceReceiver(HttpScript script = {}) : endpoint_(std::move(script)) {}

  // What EILBOTE_OTLP_ENDPOINT is set to.
  std::string url() const { return "http://127.0.0.1:" + std::to_string(endpoint_.port()); }
  std::vector<HttpSeen> requests() const { return endpoint_.seen(); }

  // All spans of all requests, in the order they came; a request that was sent twice counts twice.
  std::vector<boost::json::object> spans() const {
    std::vector<boost::json::object> all;
    for (const HttpSeen& request : endpoint_.seen()) {
      const boost::json::value document = boost::json::parse(request.body);
      for (const auto& resource : document.at("resourceSpans").as_array())
        for (const auto& scope : resource.at("scopeSpans").as_array())
          for (const auto& span : scope.at("spans").as_array())
            all.push_back(span.as_object());
    }
    return all;
  }

  // The spans of this name, as soon as there are that many; fewer when they do not come.
  std::vector<boost::json::object> wait_for(const std::string& name, std::size_t count = 1) const {
    std::vector<boost::json::object> found;
    (void)eventually([&] {
      found.clear();
      for (auto& span : spans())
        if (span.at("name").as_string() == name) found.push_back(std::move(span));
      return found.size() >= count;
    });
    return found;
  }

 private:
  ScriptedHttp endpoint_;
};

// A member that is a text; empty when it is not there.
inline std::string member_of(const boost::json::object& span, std::string_view member) {
  const auto* value = span.if_contains(member);
  return value == nullptr ? "" : std::string(value->as_string());
}

// An attribute's value, whatever its kind; empty when it is not there.
inline std::string attribute_of(const boost::json::object& span, std::string_view name) {
  for (const auto& one : span.at("attributes").as_array())
    if (one.at("key").as_string() == name)
      return std::string(one.at("value").as_object().begin()->value().as_string());
  return "";
}

}  // namespace eilbote::test
