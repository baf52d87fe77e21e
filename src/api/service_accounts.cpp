// /service-accounts: who webhooks are sent as. A change is read, made and written back under the version that was read;
// whoever loses that race gets 409. Secrets are in the answer that made them and in no other.
#include <fmt/format.h>

#include <boost/json/serialize.hpp>

#include "api/account_secrets.h"
#include "api/audit.h"
#include "api/handlers.h"
#include "api/json_body.h"
#include "api/json_out.h"
#include "api/query_parameters.h"
#include "api/service_account_json.h"
#include "base/log.h"
#include "base/utf8.h"
#include "domain/secret_reference.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::size_t kAccountsMax = 1'000;
constexpr std::chrono::hours kOverlap{24};

const Problem kNoSuchAccount{ProblemKind::not_found, "there is no service account with this id or code", {}};

Problem conflict(std::string detail) {
  return {ProblemKind::conflict, std::move(detail), {}};
}

json::object on_record(const ServiceAccount& account) {
  json::object shown = account_json(account);
  for (const char* name : {"lastUsedAt", "createdAt", "updatedAt"})
    shown.erase(name);
  return shown;
}

// Without `before` it is new. A secret that is kept here is masked in what is shown; that it was renewed is seen by its
// time.
AuditEntry audit_of(const Call& call, const char* act, const ServiceAccount* before,
                    const ServiceAccount& after) {
  return audit_entry(call, act, "account:" + after.code,
                     before != nullptr ? on_record(*before) : json::object(), on_record(after));
}

// A body with a secret in it is for the one who asked, and for no cache.
void reply_secret(Call& call, int status, const json::object& body, const std::string& location = "") {
  HttpResponse response;
  response.status = status;
  response.body = json::serialize(body);
  response.headers.emplace_back("Cache-Control", "no-store");
  if (!location.empty()) response.headers.emplace_back("Location", location);
  call.reply(std::move(response));
}

// What a body says; nothing after having answered what is wrong.
std::optional<AccountDraft> draft_of(Call& call) {
  if (const auto problem = call.content_type_problem()) return call.reply(*problem), std::nullopt;
  const auto body = read_json(call.request.body, {});
  if (!body) return call.reply(body.error()), std::nullopt;
  std::vector<Fault> faults;
  AccountDraft draft = read_account(*body, call.context.clock.now(), faults);
  if (!faults.empty()) return call.reply(invalid(std::move(faults))), std::nullopt;
  return draft;
}

// A reference to an encrypted secret must be one that opens: it lies nowhere but in the reference. Any other must be of a kind
// that may be used here; what it leads to may come later, and is asked for now where that takes a while.
void check_reference(Call& call, const std::string& reference, const char* field,
                     std::vector<Fault>& faults) {
  if (!read_secret_reference(reference)) return;  // told already
  SecretVault& secrets = call.context.secrets;
  const auto opened = is_kept_here(reference) ? secrets.resolve(reference) : secrets.at_hand(reference);
  if (!opened || *opened) return;
  if (is_kept_here(reference) || opened->error().kind == ErrorKind::invalid)
    faults.push_back({fmt::format("/webhookCredentials/{}", field), opened->error().message});
}

// The error is about the data key, whatever its kind: neither the request nor the database is to blame.
void refuse_without_key(Call& call, const Error& error) {
  log::error("the data key cannot be used; no secret of a service account can be made or renewed",
             {{"error", error.message}, {"traceId", call.trace.trace_id}});
  call.reply(Problem{ProblemKind::unavailable,
                     "the data key cannot be used, so no secret can be kept; nothing was changed, and the "
                     "log has the reason under this trace id",
                     {}});
}

// ---- reading ----

void with_account(const CallPtr& call, void (*then)(Call&, const ServiceAccount&)) {
  call->on_worker([call, then] {
    const auto accounts = call->context.registry.accounts();
    if (!accounts) return call->reply(to_problem(accounts.error()));
    const ServiceAccount* account = find_account(*accounts, call->params.at(0));
    if (account == nullptr) return call->reply(kNoSuchAccount);
    then(*call, *account);
  });
}

// ---- changing ----

// Writes the account and makes it known here; false after having answered.
bool write_account(Call& call, ServiceAccount& account, const AuditEntry& audit) {
  // Later than the version that was read, in milliseconds: that is what people see of it.
  const TimePoint changed_at =
      std::max(call.context.clock.now(), account.updated_at + std::chrono::milliseconds{1});
  const auto written = call.context.registry.change_account(account, changed_at, audit);
  if (!written) return call.reply(to_problem(written.error())), false;
  call.context.credentials.forget();
  if (!*written)
    return call.reply(
               conflict("somebody else changed this account just now; read it again and repeat the change")),
           false;
  account.updated_at = changed_at;
  return true;
}

void switch_account(Call& call, const ServiceAccount& before, bool active) {
  ServiceAccount account = before;
  if (account.active != active) {
    account.active = active;
    if (!write_account(call, account,
                       audit_of(call, active ? "account.activate" : "account.deactivate", &before, account)))
      return;
  }
  call.reply_json(200, json::serialize(account_json(account)));
}

// The old signing key signs along for a while, so that receivers can change over.
void replace_signing_secret(WebhookCredentials& credentials, std::string reference, TimePoint now) {
  credentials.previous_secret_ref = std::exchange(credentials.signing_secret_ref, std::move(reference));
  credentials.previous_until.reset();
  if (!credentials.previous_secret_ref.empty()) credentials.previous_until = now + kOverlap;
}

// Takes over references that were given.
void take_references(const AccountDraft& draft, ServiceAccount& account, TimePoint now,
                     std::vector<std::string>& changed) {
  WebhookCredentials& credentials = account.credentials;
  const auto differs = [](const std::optional<std::string>& wanted, const std::string& have) {
    return wanted && *wanted != have && *wanted != kMaskedReference;
  };
  if (differs(draft.auth_token_ref, credentials.auth_token_ref)) {
    credentials.auth_token_ref = *draft.auth_token_ref;
    changed.emplace_back("authTokenRef");
  }
  if (differs(draft.signing_secret_ref, credentials.signing_secret_ref)) {
    replace_signing_secret(credentials, *draft.signing_secret_ref, now);
    changed.emplace_back("signingSecretRef");
  }
}

std::vector<Fault> faults_of_change(Call& call, const ServiceAccount& before, const ServiceAccount& after) {
  std::vector<Fault> faults = check_service_account(after);
  const WebhookCredentials& was = before.credentials;
  const WebhookCredentials& is = after.credentials;
  if (is.auth_token_ref != was.auth_token_ref)
    check_reference(call, is.auth_token_ref, "authTokenRef", faults);
  if (is.signing_secret_ref != was.signing_secret_ref)
    check_reference(call, is.signing_secret_ref, "signingSecretRef", faults);
  if (is.auth_type != was.auth_type && is.auth_token_ref == was.auth_token_ref &&
      is_kept_here(is.auth_token_ref))
    faults.push_back({"/webhookCredentials/authType",
                      "the token that is kept was made for the other type; give an authTokenRef with it"});
  return faults;
}

// Times are shown in milliseconds.
bool is_shown_the_same(TimePoint a, TimePoint b) {
  return std::chrono::floor<std::chrono::milliseconds>(a) == std::chrono::floor<std::chrono::milliseconds>(b);
}

void update_account(Call& call, const AccountDraft& draft, const ServiceAccount& before) {
  if (draft.code && *draft.code != before.code)
    return call.reply(invalid({{"/code", "cannot be changed; make another account"}}));
  if (draft.updated_at && !is_shown_the_same(*draft.updated_at, before.updated_at))
    return call.reply(conflict("this account was changed since the updatedAt you gave; read it again"));
  ServiceAccount after = before;
  std::vector<std::string> changed = apply_draft(draft, after);
  take_references(draft, after, call.context.clock.now(), changed);
  if (auto faults = faults_of_change(call, before, after); !faults.empty())
    return call.reply(invalid(std::move(faults)));
  if (!changed.empty() && !write_account(call, after, audit_of(call, "account.update", &before, after)))
    return;
  call.reply_json(200, json::serialize(account_json(after)));
}

// ---- making ----

// The secrets that were made, to be shown this once.
struct Made {
  std::optional<Secret> auth_token, signing_secret;
};

// Makes what no reference was given for. The error is about the data key.
Result<Made> fill_secrets(Call& call, const AccountDraft& draft, ServiceAccount& account) {
  Made made;
  WebhookCredentials& credentials = account.credentials;
  credentials.auth_token_ref = draft.auth_token_ref.value_or("");
  credentials.signing_secret_ref = draft.signing_secret_ref.value_or("");
  if (!draft.auth_token_ref) {
    made.auth_token = new_auth_token(credentials.auth_type, account.code);
    auto reference = call.context.secrets.encrypt(*made.auth_token);
    if (!reference) return fail(reference.error());
    credentials.auth_token_ref = std::move(*reference);
  }
  if (!draft.signing_secret_ref) {
    made.signing_secret = new_signing_secret();
    auto reference = call.context.secrets.encrypt(*made.signing_secret);
    if (!reference) return fail(reference.error());
    credentials.signing_secret_ref = std::move(*reference);
  }
  return made;
}

std::vector<Fault> faults_of_new(Call& call, const AccountDraft& draft, const ServiceAccount& account) {
  ServiceAccount given = account;
  given.credentials.auth_token_ref = draft.auth_token_ref.value_or("");
  given.credentials.signing_secret_ref = draft.signing_secret_ref.value_or("");
  std::vector<Fault> faults = check_service_account(given);
  check_reference(call, given.credentials.auth_token_ref, "authTokenRef", faults);
  check_reference(call, given.credentials.signing_secret_ref, "signingSecretRef", faults);
  if (draft.updated_at) faults.push_back({"/updatedAt", "is set by Eilbote; leave it out"});
  return faults;
}

void create_account(Call& call, const AccountDraft& draft) {
  const TimePoint now = call.context.clock.now();
  ServiceAccount account;
  account.id = call.context.ids.next(now);
  account.code = draft.code.value_or("");
  account.created_at = account.updated_at = account.credentials.created_at = now;
  apply_draft(draft, account);
  if (auto faults = faults_of_new(call, draft, account); !faults.empty())
    return call.reply(invalid(std::move(faults)));
  const auto accounts = call.context.registry.accounts();
  if (!accounts) return call.reply(to_problem(accounts.error()));
  if (accounts->size() >= kAccountsMax)
    return call.reply(
        conflict(fmt::format("there are {} service accounts already, and no more fit", kAccountsMax)));
  const auto made = fill_secrets(call, draft, account);
  if (!made) return refuse_without_key(call, made.error());
  const auto added =
      call.context.registry.add_account(account, audit_of(call, "account.create", nullptr, account));
  if (!added) return call.reply(to_problem(added.error()));
  if (!*added) return call.reply(conflict("there is a service account with this code already"));
  call.context.credentials.forget();

  json::object webhook;
  webhook["authToken"] = made->auth_token ? json::value(made->auth_token->reveal()) : json::value();
  webhook["signingSecret"] =
      made->signing_secret ? json::value(made->signing_secret->reveal()) : json::value();
  json::object body;
  body["serviceAccount"] = account_json(account);
  body["webhook"] = std::move(webhook);
  reply_secret(call, 201, body, "/service-accounts/" + to_text(account.id));
}

// ---- regenerating ----

Problem kept_outside(const char* field) {
  return conflict(
      fmt::format("{} refers to a secret that is kept outside of Eilbote; change it there, or give another "
                  "reference with PUT",
                  field));
}

void renew_token(Call& call, const ServiceAccount& before) {
  ServiceAccount account = before;
  std::string& reference = account.credentials.auth_token_ref;
  if (!reference.empty() && !is_kept_here(reference)) return call.reply(kept_outside("authTokenRef"));
  const Secret token = new_auth_token(account.credentials.auth_type, account.code);
  auto kept = call.context.secrets.encrypt(token);
  if (!kept) return refuse_without_key(call, kept.error());
  reference = std::move(*kept);
  account.credentials.regenerated_at = call.context.clock.now();
  if (!write_account(call, account, audit_of(call, "account.regenerate-token", &before, account))) return;
  json::object body;
  body["authToken"] = token.reveal();
  reply_secret(call, 200, body);
}

void renew_secret(Call& call, const ServiceAccount& before) {
  ServiceAccount account = before;
  WebhookCredentials& credentials = account.credentials;
  if (!credentials.signing_secret_ref.empty() && !is_kept_here(credentials.signing_secret_ref))
    return call.reply(kept_outside("signingSecretRef"));
  const Secret secret = new_signing_secret();
  auto kept = call.context.secrets.encrypt(secret);
  if (!kept) return refuse_without_key(call, kept.error());
  const TimePoint now = call.context.clock.now();
  replace_signing_secret(credentials, std::move(*kept), now);
  credentials.regenerated_at = now;
  if (!write_account(call, account, audit_of(call, "account.regenerate-secret", &before, account))) return;
  json::object body;
  body["signingSecret"] = secret.reveal();
  body["previousSecretUntil"] =
      credentials.previous_until ? json::value(to_rfc3339(*credentials.previous_until)) : json::value();
  reply_secret(call, 200, body);
}

constexpr std::string_view kCodeParameter = "code";

}  // namespace

std::vector<std::string_view> service_account_parameters() {
  return {kCodeParameter};
}

void post_service_account(const CallPtr& call) {
  call->on_worker([call] {
    if (const auto draft = draft_of(*call)) create_account(*call, *draft);
  });
}

void list_service_accounts(const CallPtr& call) {
  const auto query = parse_query(call->target.query);
  if (!query) return call->reply(to_problem(query.error()));
  std::optional<std::string> code;
  for (const auto& [name, value] : *query) {
    if (name != kCodeParameter)
      return call->reply(invalid({{"", fmt::format("unknown query parameter '{}'; possible here: {}",
                                                   utf8_prefix(name, 64), kCodeParameter)}}));
    code = value;
  }
  call->on_worker([call, code] {
    auto accounts = call->context.registry.accounts();
    if (!accounts) return call->reply(to_problem(accounts.error()));
    if (code) std::erase_if(*accounts, [&](const ServiceAccount& account) { return account.code != *code; });
    call->reply_json(200, list_json(*accounts, account_json));
  });
}

void get_service_account(const CallPtr& call) {
  with_account(call, [](Call& asked, const ServiceAccount& account) {
    asked.reply_json(200, json::serialize(account_json(account)));
  });
}

void put_service_account(const CallPtr& call) {
  call->on_worker([call] {
    const auto draft = draft_of(*call);
    if (!draft) return;
    const auto accounts = call->context.registry.accounts();
    if (!accounts) return call->reply(to_problem(accounts.error()));
    const ServiceAccount* account = find_account(*accounts, call->params.at(0));
    if (account == nullptr) return call->reply(kNoSuchAccount);
    update_account(*call, *draft, *account);
  });
}

void activate_service_account(const CallPtr& call) {
  with_account(call,
               [](Call& asked, const ServiceAccount& account) { switch_account(asked, account, true); });
}

void deactivate_service_account(const CallPtr& call) {
  with_account(call,
               [](Call& asked, const ServiceAccount& account) { switch_account(asked, account, false); });
}

void regenerate_auth_token(const CallPtr& call) {
  with_account(call, renew_token);
}

void regenerate_signing_secret(const CallPtr& call) {
  with_account(call, renew_secret);
}

}  // namespace eilbote
