#include "auth/key_fetch.h"

#include <fmt/format.h>

#include <algorithm>

#include <memory>

#include "domain/issuer_url.h"
#include "domain/json_members.h"
#include "domain/strict_json.h"

namespace eilbote {
namespace {

constexpr std::size_t kAnswerBytesMax = 256 * 1024;

struct Fetch {
  HttpClient& http;
  const Clock& clock;
  KeyFetch what;
  KeysFetched done;
  Clock::Steady until;
};
using FetchPtr = std::shared_ptr<Fetch>;  // goes along from one answer to the next request

void get(const FetchPtr& fetch, const WebhookUrl& url, HttpClient::Done then) {
  HttpCall call;
  call.method = "GET";
  call.url = url.text();
  call.host = url.host;
  call.host_is_address = url.host_is_address;
  call.port = url.port;
  call.headers = {{"Accept", "application/json"}};
  call.timeout =
      std::max<Duration>(std::chrono::duration_cast<Duration>(fetch->until - fetch->clock.steady_now()),
                         std::chrono::milliseconds{1});
  call.response_bytes_max = kAnswerBytesMax;
  fetch->http.send(std::move(call), std::move(then));
}

// What is wrong with an answer as such; empty: nothing.
std::string trouble_of(const HttpAnswer& answer) {
  if (answer.fault != ExchangeFault::none) return answer.detail.empty() ? "no answer" : answer.detail;
  if (answer.status >= 300 && answer.status < 400) return "it redirects, which is not followed";
  if (answer.status != 200) return fmt::format("it answered {}", answer.status);
  if (answer.body_is_cut) return fmt::format("its answer has more than {} KiB", kAnswerBytesMax / 1024);
  return {};
}

tl::unexpected<Error> away(const std::string& url, const std::string& trouble) {
  return fail(ErrorKind::unavailable, fmt::format("{}: {}", url, trouble));
}

// Where the keys are, by a discovery document of this issuer.
Result<WebhookUrl> keys_address(std::string_view document, const std::string& issuer) {
  const auto value = parse_strict_json(document, {});
  if (!value || !value->is_object()) return fail(ErrorKind::invalid, "it is not a JSON object");
  if (const std::string named = text_at(*value, {"issuer"}); named != issuer)
    return fail(ErrorKind::invalid,
                fmt::format("it is of another issuer; EILBOTE_OIDC_ISSUER must be exactly what it says: '{}'",
                            named.substr(0, 200)));
  auto url = parse_issuer_url(text_at(*value, {"jwks_uri"}));
  if (!url) return fail(url.error().with_context("its jwks_uri"));
  return url;
}

void read_keys(const FetchPtr& fetch, const WebhookUrl& url) {
  get(fetch, url, [fetch, address = url.text()](const HttpAnswer& answer) {
    if (const std::string trouble = trouble_of(answer); !trouble.empty())
      return fetch->done(away(address, trouble));
    auto keys = read_jwks(answer.body);
    if (!keys) return fetch->done(fail(keys.error().with_context(address)));
    fetch->done(std::move(keys));
  });
}

}  // namespace

void fetch_keys(HttpClient& http, const Clock& clock, const KeyFetch& what, KeysFetched done) {
  const std::string address = discovery_url(what.issuer);
  const auto url = parse_issuer_url(address);
  const auto fetch =
      std::make_shared<Fetch>(Fetch{http, clock, what, std::move(done), clock.steady_now() + what.timeout});
  if (!url) return http.later([fetch, error = url.error()] { fetch->done(fail(error)); });
  get(fetch, *url, [fetch, address](const HttpAnswer& answer) {
    if (const std::string trouble = trouble_of(answer); !trouble.empty())
      return fetch->done(away(address, trouble));
    const auto keys_at = keys_address(answer.body, fetch->what.issuer);
    if (!keys_at) return fetch->done(fail(keys_at.error().with_context(address)));
    read_keys(fetch, *keys_at);
  });
}

}  // namespace eilbote
