// Google's Secret Manager: one GET per secret; the access token comes from the metadata server and is kept. Made by secrets.cpp.
#include "secrets/stores.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/crc32c.h"
#include "base/url_escape.h"
#include "domain/secret_reference.h"
#include "secrets/secret_http.h"
#include "secrets/secret_json.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;

constexpr Duration kRenewBefore = 1min;
constexpr const char* kTokenPath = "/computeMetadata/v1/instance/service-accounts/default/token";

// projects/P/secrets/S/versions/V, with "latest" where no version is named; locations/L may stand behind the project.
FromStore<std::string> resource_of(const SecretPlace& place) {
  std::string path = place.path;
  if (path.find("/versions/") == std::string::npos)
    path += "/versions/" + (place.version.empty() ? "latest" : place.version);
  int segments = 1;
  for (const char c : path)
    segments += c == '/' ? 1 : 0;
  const bool fits = path.starts_with("projects/") && path.find("/secrets/") != std::string::npos &&
                    (segments == 6 || (segments == 8 && path.find("/locations/") != std::string::npos)) &&
                    path.find("//") == std::string::npos && path.find("..") == std::string::npos;
  if (!fits)
    return trouble(ErrorKind::invalid,
                   "must be projects/PROJECT/secrets/NAME, perhaps with /versions/VERSION");
  return url_escaped(path, "/");
}

SecretTrouble trouble_of(const HttpAnswer& answer) {
  const auto body = parse_json(answer.body);
  const ErrorKind kind = answer.status == 404 ? ErrorKind::not_found : ErrorKind::unavailable;
  return {{kind, fmt::format("Google says {} ({}: {})", one_line(text_at(body, {"error", "status"})),
                             answer.status, one_line(text_at(body, {"error", "message"})))},
          pause_asked_for(answer)};
}

class GcpStore final : public SecretStore {
 public:
  explicit GcpStore(GcpOptions options) : options_(std::move(options)), http_("", options_.timeout) {}

  FromStore<Secret> fetch(std::string_view text) override {
    const auto place = read_secret_place(text);
    if (!place) return tl::unexpected(SecretTrouble{place.error(), {}});
    const auto resource = resource_of(*place);
    if (!resource) return tl::unexpected(resource.error());
    auto answer = access(*resource);
    if (answer && answer->status == 401) {
      token_ = Secret();
      answer = access(*resource);
    }
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status != 200) return tl::unexpected(trouble_of(*answer));
    return opened(answer->body, place->key);
  }

 private:
  FromStore<HttpAnswer> access(const std::string& resource) {
    if (auto ready = ready_token(); !ready) return tl::unexpected(ready.error());
    return http_.call({"GET",
                       options_.endpoint_url + "/v1/" + resource + ":access",
                       {{"Authorization", "Bearer " + token_.reveal()}}});
  }

  FromStore<void> ready_token() {
    if (!token_.empty() && clock_.steady_now() < token_until_ - kRenewBefore) return {};
    const auto answer =
        http_.call({"GET", options_.metadata_url + kTokenPath, {{"Metadata-Flavor", "Google"}}});
    if (!answer) return tl::unexpected(answer.error());
    // Whoever else listens there does not say this.
    if (answer->status != 200 || answer->header("Metadata-Flavor") != "Google")
      return trouble(ErrorKind::unavailable,
                     fmt::format("the metadata server gave no access token ({})", answer->status),
                     pause_asked_for(*answer));
    const auto body = parse_json(answer->body);
    token_ = Secret(text_at(body, {"access_token"}));
    token_until_ = clock_.steady_now() + std::chrono::seconds{number_at(body, {"expires_in"}).value_or(0)};
    if (token_.empty()) return trouble(ErrorKind::unavailable, "the metadata server's answer has no token");
    return {};
  }

  static FromStore<Secret> opened(const std::string& text, const std::string& key) {
    const auto body = parse_json(text);
    auto data = base64_decode(text_at(body, {"payload", "data"}));
    if (!data) return trouble(ErrorKind::unavailable, "Google's answer holds no base64");
    const std::string sum = text_at(body, {"payload", "dataCrc32c"});
    if (!sum.empty() && sum != std::to_string(crc32c(*data)))
      return trouble(ErrorKind::unavailable, "the secret was damaged on its way: its CRC32C does not fit");
    return secret_in_text(std::move(*data), key);
  }

  const GcpOptions options_;
  SystemClock clock_;
  SecretHttp http_;
  Secret token_;
  Clock::Steady token_until_{};
};

}  // namespace

std::unique_ptr<SecretStore> make_gcp_store(GcpOptions options) {
  return std::make_unique<GcpStore>(std::move(options));
}

}  // namespace eilbote
