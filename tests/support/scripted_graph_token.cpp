// The token endpoint of the scripted tenant, and what tests ask and set about the tenant as a whole.
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/base64url.h"
#include "support/private_texts.h"
#include "support/scripted_graph.h"

namespace eilbote::test {
namespace {

namespace json = boost::json;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* kTenant = "8c3e1f70-54a2-4b8a-9b37-1f0f3a6d9e42";
constexpr const char* kAssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

std::map<std::string, std::string> form(const std::string& body) {
  return read_graph_request("POST", "/?" + body, {}, "").query;
}

GraphReply refusal(const std::string& error, int code, const std::string& text) {
  return graph_answer(code == 7000215 || code == 700027 ? 401 : 400,
                      {{"error", error},
                       {"error_description", fmt::format("AADSTS{}: {}", code, text)},
                       {"error_codes", json::array{code}},
                       {"timestamp", "2026-11-18 00:00:00Z"},
                       {"trace_id", "scripted-trace"},
                       {"correlation_id", "scripted-correlation"}});
}

struct KeyEnd {
  void operator()(X509* one) const { X509_free(one); }
  void operator()(EVP_PKEY* one) const { EVP_PKEY_free(one); }
  void operator()(EVP_MD_CTX* one) const { EVP_MD_CTX_free(one); }
  void operator()(BIO* one) const { BIO_free(one); }
};

bool verifies(const std::string& certificate, bool pss, const std::string& text,
              const std::string& signature) {
  const std::unique_ptr<BIO, KeyEnd> bio(
      BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size())));
  const std::unique_ptr<X509, KeyEnd> x509(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (!x509) return false;
  const std::unique_ptr<EVP_PKEY, KeyEnd> key(X509_get_pubkey(x509.get()));
  const std::unique_ptr<EVP_MD_CTX, KeyEnd> digest(EVP_MD_CTX_new());
  EVP_PKEY_CTX* context = nullptr;
  if (!key || EVP_DigestVerifyInit(digest.get(), &context, EVP_sha256(), nullptr, key.get()) != 1)
    return false;
  if (pss && (EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) != 1 ||
              EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) != 1))
    return false;
  return EVP_DigestVerify(digest.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                          signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
                          text.size()) == 1;
}

}  // namespace

std::string ScriptedGraph::tenant_id() const {
  return kTenant;
}
std::string ScriptedGraph::base_url() const {
  return fmt::format("http://127.0.0.1:{}/v1.0", http_.port());
}
std::string ScriptedGraph::token_url() const {
  return fmt::format("http://127.0.0.1:{}/{}/oauth2/v2.0/token", http_.port(), kTenant);
}
std::string ScriptedGraph::inner_url() const {
  return fmt::format("http://127.0.0.1:{}", inner_.port());
}

GraphReply ScriptedGraph::give_token(const GraphRequest& request) {
  const auto fields = form(request.body);
  const auto field = [&](const char* name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  };
  const std::lock_guard lock(mutex_);
  if (!ascii_lower(request.header("content-type")).starts_with("application/x-www-form-urlencoded") ||
      field("grant_type") != "client_credentials")
    return refusal("invalid_request", 900144, "The request body must be a form with grant_type.");
  if (!field("scope").ends_with("/.default"))
    return refusal("invalid_scope", 1002012, "The scope is not valid.");
  if (field("client_id") != options_.client_id)
    return refusal("unauthorized_client", 700016, "The application was not found.");
  const bool by_assertion =
      field("client_assertion_type") == kAssertionType && is_signed(field("client_assertion"));
  if (!by_assertion && !secrets_.contains(field("client_secret"))) {
    ++secrets_refused_;
    return refusal("invalid_client", 7000215, "Invalid client secret provided.");
  }
  const std::string token = fmt::format("eyJ0eXAiOiJKV1QifQ.scripted-graph-token-{}.x", ++tokens_given_);
  PrivateTexts::of_this_test().note_secret(token);
  const auto now = SteadyClock::now();
  tokens_["Bearer " + token] = {now, now + std::chrono::seconds{options_.token_seconds}};
  return graph_answer(200, {{"token_type", "Bearer"},
                            {"expires_in", options_.token_seconds},
                            {"ext_expires_in", options_.token_seconds},
                            {"access_token", token}});
}

bool ScriptedGraph::is_signed(const std::string& assertion) const {
  const std::size_t first = assertion.find('.'), second = assertion.rfind('.');
  if (certificate_.empty() || first == std::string::npos || first == second) return false;
  const auto head = json_object(decode_base64url(assertion.substr(0, first)).value_or(""));
  const auto claims =
      json_object(decode_base64url(assertion.substr(first + 1, second - first - 1)).value_or(""));
  if (!head || !claims || (!head->contains("x5t") && !head->contains("x5t#S256"))) return false;
  const std::string algorithm = text_member(*head, "alg");
  if (algorithm != "RS256" && algorithm != "PS256") return false;
  const json::value* ends = claims->if_contains("exp");
  if (ends == nullptr || !ends->is_number() || ends->to_number<std::int64_t>() < std::time(nullptr))
    return false;
  return text_member(*claims, "aud") == token_url() && text_member(*claims, "iss") == options_.client_id &&
         text_member(*claims, "sub") == options_.client_id && !text_member(*claims, "jti").empty() &&
         verifies(certificate_, algorithm == "PS256", assertion.substr(0, second),
                  decode_base64url(assertion.substr(second + 1)).value_or(""));
}

void ScriptedGraph::set_faults(GraphFaults faults) {
  const std::lock_guard lock(mutex_);
  faults_ = std::move(faults);
}
void ScriptedGraph::set_secrets(std::set<std::string> secrets) {
  const std::lock_guard lock(mutex_);
  secrets_ = std::move(secrets);
}
void ScriptedGraph::revoke_tokens() {
  const std::lock_guard lock(mutex_);
  tokens_.clear();
}
void ScriptedGraph::set_certificate(const std::string& pem) {
  const std::lock_guard lock(mutex_);
  certificate_ = pem;
}
void ScriptedGraph::check_with(const std::string& proxy_url) {
  const std::lock_guard lock(mutex_);
  proxy_url_ = proxy_url;
}
std::vector<SentMail> ScriptedGraph::sent_items() const {
  const std::lock_guard lock(mutex_);
  return sent_;
}
int ScriptedGraph::count(const std::string& mailbox, GraphFolder folder) const {
  const std::lock_guard lock(mutex_);
  const auto box = mailboxes_.find(ascii_lower(mailbox));
  return box == mailboxes_.end() ? 0 : static_cast<int>(box->second.folder(folder).size());
}
int ScriptedGraph::requests(GraphStep step) const {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(step);
  return found == requests_.end() ? 0 : found->second;
}
int ScriptedGraph::tokens_given() const {
  const std::lock_guard lock(mutex_);
  return tokens_given_;
}
int ScriptedGraph::secrets_refused() const {
  const std::lock_guard lock(mutex_);
  return secrets_refused_;
}
int ScriptedGraph::most_open(const std::string& mailbox) const {
  const std::lock_guard lock(mutex_);
  const auto found = most_open_.find(ascii_lower(mailbox));
  return found == most_open_.end() ? 0 : found->second;
}
int ScriptedGraph::most_sends(const std::string& mailbox) const {
  const std::lock_guard lock(mutex_);
  const auto found = most_sends_.find(ascii_lower(mailbox));
  return found == most_sends_.end() ? 0 : found->second;
}
std::vector<std::string> ScriptedGraph::violations() const {
  const std::lock_guard lock(mutex_);
  return violations_;
}
std::string ScriptedGraph::all_violations() const {
  std::string all;
  for (const std::string& one : violations())
    all += one + "\n";
  return all;
}
std::vector<std::pair<std::string, std::string>> ScriptedGraph::bodies() const {
  const std::lock_guard lock(mutex_);
  return bodies_;
}

}  // namespace eilbote::test
