// GET /console and what belongs to it: the page, its files, and its settings. Open to all, as the page has nothing to hide.
#include "api/console.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/console_files.h"
#include "api/handlers.h"
#include "domain/issuer_url.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::string_view kForEver = "public, max-age=31536000, immutable";

std::string issuer_origin(const ConsoleSettings& settings) {
  const auto url = parse_issuer_url(settings.issuer);
  return url ? (url->is_https ? "https://" : "http://") + url->route() : "";
}

void add_guards(const Call& call, HttpResponse& response) {
  response.headers.emplace_back("Content-Security-Policy",
                                content_policy(issuer_origin(call.context.settings.console)));
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
}

// Answers when there is no console here.
bool is_off(Call& call) {
  if (call.context.settings.console.on) return false;
  call.reply(Problem{ProblemKind::not_found, "the console is off: EILBOTE_CONSOLE", {}});
  return true;
}

bool knows(const Call& call, std::string_view tag) {
  const std::string_view known = call.request.header("If-None-Match");
  return known == "*" || known.find(tag) != std::string_view::npos;
}

void serve(Call& call, const ConsoleFile& file) {
  const bool compressed = takes_gzip(call.request.header("Accept-Encoding"));
  const std::string tag = tag_of(file, compressed);
  const bool is_named_by_version = file.name != "index.html" && call.target.query.starts_with("v=");
  HttpResponse response;
  response.content_type = file.content_type;
  response.headers.emplace_back("Cache-Control", is_named_by_version ? kForEver : "no-cache");
  response.headers.emplace_back("ETag", tag);
  response.headers.emplace_back("Vary", "Accept-Encoding");
  add_guards(call, response);
  if (knows(call, tag)) {
    response.status = 304;
    return call.reply(std::move(response));
  }
  if (compressed) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = compressed ? std::string(file.gzip) : inflated(file);
  call.reply(std::move(response));
}

}  // namespace

// A path of the page's own, unless it names a file.
void get_console(const CallPtr& call) {
  if (is_off(*call)) return;
  const ConsoleFile* file = call->params.size() == 1 ? find_console_file(call->params[0]) : nullptr;
  serve(*call, file != nullptr ? *file : *find_console_file("index.html"));
}

void get_console_settings(const CallPtr& call) {
  if (is_off(*call)) return;
  const ConsoleSettings& console = call->context.settings.console;
  json::object out;
  out["version"] = console.version;
  out["auth"] = console.issuer.empty() ? "off" : "oidc";
  if (!console.issuer.empty()) {
    out["issuer"] = console.issuer;
    out["clientId"] = console.client_id;
    out["scope"] = console.scope;
    if (!console.audience.empty()) out["audience"] = console.audience;
  }
  HttpResponse response;
  response.body = json::serialize(out);
  add_guards(*call, response);
  call->reply(std::move(response));
}

}  // namespace eilbote
