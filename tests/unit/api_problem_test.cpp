// Problems, traces, targets and the route table: the small parts every answer is made of.
#include "api/problem.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "api/query_string.h"
#include "api/route_table.h"
#include "api/trace_context.h"
#include "base/base64url.h"
#include "base/nearest.h"

namespace eilbote::api_problem_test {
namespace {

TEST(Problem, is_rfc_9457_json) {
  const Problem problem{ProblemKind::invalid_request, "say \"what\"", {{"/to/0", "must be an address"}}};
  EXPECT_EQ(
      to_json(problem, {"/messages", "abc"}),
      R"({"type":"urn:eilbote:problem:invalid-request","title":"The request is not valid","status":400,)"
      R"("detail":"say \"what\"","instance":"/messages","traceId":"abc",)"
      R"("errors":[{"pointer":"/to/0","detail":"must be an address"}]})");
  const HttpResponse response = to_response(problem, {"/messages", "abc"});
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.content_type, "application/problem+json");
}

TEST(Problem, says_when_to_come_back) {
  for (const auto kind : {ProblemKind::overloaded, ProblemKind::unavailable}) {
    const HttpResponse response = to_response({kind, "", {}}, {});
    ASSERT_EQ(response.headers.size(), 1u);
    EXPECT_EQ(response.headers[0].first, "Retry-After");
  }
}

TEST(Problem, every_kind_of_error_has_a_status) {
  const std::map<ErrorKind, int> want{{ErrorKind::invalid, 400},     {ErrorKind::not_found, 404},
                                      {ErrorKind::conflict, 409},    {ErrorKind::rejected_data, 400},
                                      {ErrorKind::unavailable, 503}, {ErrorKind::ambiguous, 503},
                                      {ErrorKind::overloaded, 429},  {ErrorKind::internal, 500}};
  for (const auto& [kind, status] : want)
    EXPECT_EQ(to_problem(Error{kind, "x"}).status(), status);
  for (const int status : {400, 408, 413, 417, 421, 429, 431, 500})
    EXPECT_EQ(problem_row(kind_of_status(status)).status, status);
}

TEST(Problem, of_a_fault_in_the_server_is_in_the_log_under_its_trace_id) {
  testing::internal::CaptureStderr();
  const Problem problem = to_problem(Error{ErrorKind::internal, "no such table"});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the trace id is not known there";
  EXPECT_EQ(to_json(problem, {"/audit", "abc"}).find("no such table"), std::string::npos);
  struct Case {
    Problem problem;
    std::vector<std::string> says;
  };
  const Case cases[] = {{problem, {"a request failed by a fault in the server", "no such table", "abc"}},
                        {to_problem(Error{ErrorKind::unavailable, "away"}), {}}};
  for (const Case& c : cases) {
    testing::internal::CaptureStderr();
    log_cause(c.problem, "abc");
    const std::string logged = testing::internal::GetCapturedStderr();
    EXPECT_EQ(logged.empty(), c.says.empty()) << logged;
    for (const std::string& text : c.says)
      EXPECT_NE(logged.find(text), std::string::npos) << logged;
  }
}

TEST(Trace, keeps_a_good_trace_id_and_makes_a_new_span) {
  FixedRandom random(0x1234);
  const TraceContext kept = make_trace("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", random);
  EXPECT_EQ(kept.traceparent(), "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000001235-01");
  const TraceContext later =
      make_trace("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", random);
  EXPECT_EQ(later.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST(Trace, makes_a_new_trace_when_the_header_is_malformed) {
  FixedRandom random(0xABC0);
  for (const char* bad : {"", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                          "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                          "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                          "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                          "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                          "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
                          "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x",
                          "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01"})
    EXPECT_EQ(make_trace(bad, random).trace_id, "000000000000abc0000000000000abc1") << bad;
}

TEST(Trace, request_ids_are_printable_and_short) {
  EXPECT_TRUE(is_request_id("order 4711"));
  EXPECT_TRUE(is_request_id(std::string(128, 'x')));
  for (const std::string& bad :
       {std::string(), std::string(129, 'x'), std::string("a\tb"), std::string("\xC3\xA4")})
    EXPECT_FALSE(is_request_id(bad));
}

TEST(Query, is_split_and_decoded) {
  EXPECT_EQ(split_target("/a/b?c=d").path, "/a/b");
  EXPECT_EQ(split_target("http://host:1/a?c=d").query, "c=d");
  EXPECT_EQ(split_target("http://host").path, "/");
  const auto pairs = parse_query("recipient=a+b%40x.org&tag=%C3%A4&&flag");
  ASSERT_TRUE(pairs);
  const std::vector<std::pair<std::string, std::string>> want{
      {"recipient", "a+b@x.org"}, {"tag", "ä"}, {"flag", ""}};
  EXPECT_EQ(*pairs, want);
  for (const char* bad : {"a=%", "a=%4", "a=%zz", "a=%FF", "a=%00", "a=1&a=2", "%=1"})
    EXPECT_FALSE(parse_query(bad)) << bad;
}

TEST(NearestName, finds_what_was_meant) {
  const std::vector<std::string_view> names{"subject", "scheduledFor", "to", "cc"};
  EXPECT_EQ(nearest("Subject", names), "subject");
  EXPECT_EQ(nearest("sheduledFor", names), "scheduledFor");
  EXPECT_EQ(nearest("zzzzzzzz", names), "");
}

TEST(Base64Url, decodes_with_and_without_padding) {
  const std::pair<const char*, const char*> rows[] = {
      {"", ""},       {"Zg", "f"},     {"Zg==", "f"},          {"Zm8", "fo"},
      {"Zm8=", "fo"}, {"Zm9v", "foo"}, {"Zm9vYmFy", "foobar"}, {"-_-_", "\xFB\xFF\xBF"}};
  for (const auto& [text, bytes] : rows)
    EXPECT_EQ(decode_base64url(text).value_or("?"), bytes) << text;
  for (const char* bad :
       {"=", "====", "Z", "Zg=", "Zm9v=", "Zm9v==", "Zm8==", "Z===", "Zh", "Zg==Zg==", "Zm9v\n"})
    EXPECT_FALSE(decode_base64url(bad)) << bad;
}

TEST(RouteTable, finds_routes_and_says_what_is_allowed) {
  const RouteMatch one = find_route("GET", "/messages/0ABC/events");
  ASSERT_NE(one.route, nullptr);
  EXPECT_EQ(one.route->name, "get_events");
  EXPECT_EQ(one.params, std::vector<std::string>{"0ABC"});
  EXPECT_EQ(find_route("HEAD", "/health/live").route->name, "health_live");
  EXPECT_EQ(find_route("POST", "/internal/dispatch/batch").route->name, "dispatch_batch");
  EXPECT_EQ(find_route("POST", "/internal/dispatch/0ABC").route->name, "dispatch_message");
  EXPECT_EQ(find_route("PUT", "/messages").allow, "POST, GET, HEAD");
  EXPECT_EQ(find_route("GET", "/messages/batch").allow, "POST");
  EXPECT_EQ(find_route("POST", "/messages/1").allow, "GET, HEAD, DELETE");
  for (const char* path : {"", "/", "*", "messages", "/messages/", "/messages//events", "/messages/1/events/",
                           "/Messages", "//messages"}) {
    EXPECT_EQ(find_route("GET", path).route, nullptr) << path;
    EXPECT_EQ(find_route("GET", path).allow, "") << path;
  }
}

// "METHOD /path scopes" per operation, read off the contract by its indentation.
std::set<std::string> contract_operations() {
  std::ifstream file(std::string(EILBOTE_SOURCE_DIR) + "/docs/openapi.yaml");
  std::set<std::string> operations;
  std::string line, path, method;
  const std::regex path_line(R"(^  (/[^:]*):$)"), method_line(R"(^    (get|post|put|delete|patch):$)");
  const std::regex scope_line(R"(^      security: \[(.*)\]$)"), scope(R"(\{token: \[(\S+)\]\})");
  std::smatch match;
  while (std::getline(file, line)) {
    if (std::regex_match(line, match, path_line)) path = match[1];
    if (std::regex_match(line, match, method_line)) method = match[1];
    for (char& c : method)
      c = static_cast<char>(std::toupper(c));
    if (!std::regex_match(line, match, scope_line)) continue;
    const std::string list = match[1];
    std::string scopes;
    for (std::sregex_iterator it(list.begin(), list.end(), scope), end; it != end; ++it)
      scopes += (scopes.empty() ? "" : " ") + (*it)[1].str();
    if (list.find("{providerSignature: []}") != std::string::npos)
      scopes += scopes.empty() ? "signature" : " signature";
    operations.insert(method + " " + path + " " + (scopes.empty() ? "none" : scopes));
  }
  return operations;
}

TEST(RouteTable, is_what_the_contract_says) {
  std::set<std::string> routes;
  for (const Route& route : route_table())
    routes.insert(std::string(route.method) + " " + std::string(route.pattern) + " " + scopes_text(route));
  EXPECT_EQ(routes, contract_operations());
}

}  // namespace
}  // namespace eilbote::api_problem_test
