#include "cli/api_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <memory>

#include "base/ascii.h"
#include "cli/command.h"

namespace eilbote::cli {
namespace {

constexpr long kConnectSeconds = 5;
constexpr long kAnswerSeconds = 120;  // /internal/dispatch may take its time
constexpr std::size_t kAnswerBytesMax = 64UL * 1024 * 1024;

struct CurlEnd {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlHandle = std::unique_ptr<CURL, CurlEnd>;
using CurlList = std::unique_ptr<curl_slist, CurlEnd>;

void append(CurlList& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  (void)list.release();
  list.reset(longer);
}

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* target) {
  auto& answer = *static_cast<ApiAnswer*>(target);
  if (answer.body.size() + size * count > kAnswerBytesMax) return 0;
  answer.body.append(data, size * count);
  return size * count;
}

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* target) {
  constexpr std::string_view kReplayed = "idempotency-replayed: true";
  const std::string_view line(data, size * count);
  if (same_but_for_case(line.substr(0, kReplayed.size()), kReplayed))
    static_cast<ApiAnswer*>(target)->replayed = true;
  return size * count;
}

// A proxy from the environment is for the world outside.
bool is_local(std::string_view server) {
  for (const std::string_view start : {"http://127.", "http://localhost", "http://[::1]"})
    if (server.starts_with(start)) return true;
  return false;
}

void set_request(CURL* curl, const ApiRequest& request, CurlList& headers) {
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (!request.body.empty()) {
    append(headers, "Content-Type: " + request.content_type);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.c_str());
  } else if (request.method == "POST") {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, 0L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
    append(headers, "Content-Type:");
  }
  for (const auto& [name, value] : request.headers)
    append(headers, fmt::format("{}: {}", name, value));
  append(headers, "Accept: application/json, application/problem+json");
  append(headers, "Expect:");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
}

std::string text_at(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

// The environment is asked only when nothing else says where the token is; without one, none is sent.
Result<Secret> token_of(const ServerFlags& flags) {
  constexpr const char* kVariable = "EILBOTE_TOKEN";
  const char* given = std::getenv(kVariable);
  if (flags.token_ref.empty() && (given == nullptr || *given == '\0')) return Secret();
  auto token = flags.actions->resolve_secret(flags.token_ref.empty() ? std::string("env://") + kVariable
                                                                     : flags.token_ref);
  if (!token) return token;
  // A file ends in a line break; a header must not have one inside.
  std::string text = token->reveal();
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    text.pop_back();
  if (text.find_first_of(" \t\r\n") != std::string::npos)
    return fail(ErrorKind::invalid, "must be one word, without blanks or line breaks");
  return Secret(std::move(text));
}

// What `detail` does not say already: the faults, and where the server's log has more.
void tell_more(const boost::json::object& problem, int status, const std::string& detail) {
  const auto* errors = problem.if_contains("errors");
  if (errors != nullptr && errors->is_array())
    for (const auto& entry : errors->get_array()) {
      const auto* fault = entry.if_object();
      if (fault == nullptr) continue;
      const std::string pointer = text_at(*fault, "pointer"), what = text_at(*fault, "detail");
      const std::string line = pointer.empty() ? what : pointer + ": " + what;
      if (!detail.ends_with(line)) fmt::print(stderr, "  {}\n", line);
    }
  const std::string trace = text_at(problem, "traceId");
  if (status >= 500 && !trace.empty())
    fmt::print(stderr, "  the server's log may have more under the trace id {}\n", trace);
}

}  // namespace

boost::json::value ApiAnswer::json() const {
  boost::system::error_code error;
  auto value = boost::json::parse(body, error);
  return error ? boost::json::value(nullptr) : value;
}

ApiClient::ApiClient(const ServerFlags& flags) : ApiClient(flags.server) {
  token_ = token_of(flags);
}

ApiClient::ApiClient(std::string server) : server_(std::move(server)), token_(Secret()) {
  while (server_.ends_with('/'))
    server_.pop_back();
}

Result<ApiAnswer> ApiClient::request(const ApiRequest& request) const {
  if (!token_) return fail(token_.error().with_context("the token (EILBOTE_TOKEN or --token-ref)"));
  const CurlHandle curl(curl_easy_init());
  if (!curl) return fail(ErrorKind::internal, "libcurl could not be started");
  ApiAnswer answer;
  CurlList headers;
  if (!token_->empty()) append(headers, "Authorization: Bearer " + token_->reveal());
  std::array<char, CURL_ERROR_SIZE> why{};
  const std::string url = server_ + request.path;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, why.data());
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, kAnswerSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &answer);
  curl_easy_setopt(curl.get(), CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(curl.get(), CURLOPT_HEADERDATA, &answer);
  if (is_local(server_)) curl_easy_setopt(curl.get(), CURLOPT_PROXY, "");
  set_request(curl.get(), request, headers);
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK)
    return fail(
        ErrorKind::unavailable,
        fmt::format("no answer from {}: {}; is the server running? --server or EILBOTE_SERVER names another",
                    server_, why[0] != '\0' ? why.data() : curl_easy_strerror(code)));
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  answer.status = static_cast<int>(status);
  return answer;
}

ExitCode tell_unreachable(const Error& error) {
  fmt::print(stderr, "eilbote: {}\n", error.message);
  return error.kind == ErrorKind::unavailable ? ExitCode::unreachable : ExitCode::failed;
}

ExitCode tell_refusal(const ApiAnswer& answer, std::string_view about, bool json) {
  const auto problem = answer.json();
  std::string detail;
  if (const auto* object = problem.if_object()) {
    detail = text_at(*object, "detail");
    if (detail.empty()) detail = text_at(*object, "title");
  }
  if (detail.empty()) detail = fmt::format("the server answered {}", answer.status);
  fmt::print(stderr, "eilbote: {}{}{}\n", about, about.empty() ? "" : ": ", detail);
  if (answer.status == 401)
    fmt::print(
        stderr,
        "  set EILBOTE_TOKEN to a token of the server's issuer, or say where it is with --token-ref\n");
  if (json && !answer.body.empty()) fmt::print("{}\n", answer.body);
  if (const auto* object = problem.if_object()) tell_more(*object, answer.status, detail);
  return answer.status == 404 ? ExitCode::not_found : ExitCode::failed;
}

}  // namespace eilbote::cli
