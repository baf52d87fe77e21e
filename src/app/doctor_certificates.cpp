// What the doctor looks at in the files of TLS: the listener's certificate and key, and the authorities that are trusted.
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>

#include "app/doctor.h"
#include "base/clock.h"
#include "net/server_tls.h"

namespace eilbote {
namespace {

constexpr Duration kExpiryWarning = std::chrono::hours{24 * 21};

Finding judge_expiry(std::string what, const std::string& file, TimePoint expires) {
  const TimePoint now = SystemClock().now();
  const std::string until = to_rfc3339(expires);
  if (expires <= now)
    return Finding::error(std::move(what), fmt::format("{} expired on {}", file, until),
                          "Put a new certificate into the file; SIGHUP makes a running server read it.");
  if (expires - now < kExpiryWarning)
    return Finding::warning(std::move(what), fmt::format("{} expires on {}", file, until),
                            "Renew it before that day; SIGHUP makes a running server read it.");
  return Finding::ok(std::move(what), fmt::format("{} is good until {}", file, until));
}

std::vector<Finding> judge_listener(const HttpListenerConfig& http) {
  const std::string what = "certificate of the listener";
  const auto tls = ServerTls::load({http.tls_certificate_file, http.tls_key_file}, nullptr);
  if (tls) return {judge_expiry(what, http.tls_certificate_file, (*tls)->expires())};
  return {Finding::error(
      what, tls.error().message,
      "EILBOTE_LISTEN_TLS_CERT and EILBOTE_LISTEN_TLS_KEY must be a chain and its own key, in PEM and "
      "readable by the user of the server; `openssl x509 -noout -pubkey` and `openssl pkey -pubout` "
      "print the same when they belong together.")};
}

struct Bundle {
  int certificates = 0, expired = 0;
};

Bundle read_bundle(const std::string& file) {
  Bundle bundle;
  const std::unique_ptr<BIO, decltype(&BIO_free)> in(BIO_new_file(file.c_str(), "r"), &BIO_free);
  while (in) {
    const std::unique_ptr<X509, decltype(&X509_free)> one(
        PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr), &X509_free);
    if (!one) break;
    ++bundle.certificates;
    if (X509_cmp_current_time(X509_get0_notAfter(one.get())) < 0) ++bundle.expired;
  }
  ERR_clear_error();
  return bundle;
}

Finding judge_authorities(const std::string& option, const std::string& file) {
  const std::string what = "authorities of " + option;
  const Bundle bundle = read_bundle(file);
  if (bundle.certificates == 0)
    return Finding::error(
        what, file + " holds no certificate in PEM, or cannot be read",
        fmt::format("{} must name a PEM file that the user of the server may read.", option));
  if (bundle.expired == bundle.certificates)
    return Finding::error(what, fmt::format("every certificate in {} has expired", file),
                          "Nobody can be trusted by it: get the authority's new certificate.");
  return Finding::ok(what, fmt::format("{} in {}", bundle.certificates, file));
}

}  // namespace

void add_certificate_checks(Checks& checks, const SharedConfig& loaded) {
  const Config& config = loaded->config;
  constexpr const char* kLate = "The file's disk does not answer: look at its mount.";
  if (!config.http.tls_certificate_file.empty())
    checks.push_back(
        {"certificate of the listener", kLate, [loaded] { return judge_listener(loaded->config.http); }});
  for (const Setting& setting : loaded->settings) {
    if (!setting.option->key.ends_with("_CA_FILE") || setting.value.empty()) continue;
    checks.push_back(
        {"authorities", kLate, [option = std::string(setting.option->key), file = setting.value] {
           return std::vector<Finding>{judge_authorities(option, file)};
         }});
  }
}

}  // namespace eilbote
