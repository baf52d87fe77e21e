// accounts: service accounts, by a server's API. Secrets are printed when they are made and never again.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/url_escape.h"
#include "cli/answer_view.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "domain/names.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

std::string clients_text(const json::value& account) {
  std::string clients;
  const json::value* list = account.is_object() ? account.get_object().if_contains("clientIds") : nullptr;
  if (list != nullptr && list->is_array())
    for (const json::value& client : list->get_array())
      clients += (clients.empty() ? "" : ",") + (client.is_string() ? std::string(client.get_string()) : "");
  return clients.empty() ? "(none)" : clients;
}

std::string accounts_table(const json::array& accounts) {
  static constexpr ViewField kColumns[] = {{"CODE", "code"},
                                           {"ID", "id"},
                                           {"ACTIVE", "active"},
                                           {"CLIENTS", "", clients_text},
                                           {"LAST USED", "lastUsedAt"},
                                           {"NAME", "name"}};
  return fields_table(accounts, kColumns);
}

std::string account_text(const json::value& account) {
  static constexpr ViewField kLines[] = {{"id", "id"},
                                         {"code", "code"},
                                         {"name", "name"},
                                         {"description", "description"},
                                         {"active", "active"},
                                         {"clients", "clientIds"},
                                         {"application", "applicationId"},
                                         {"auth type", "webhookCredentials.authType"},
                                         {"auth token", "webhookCredentials.authTokenRef"},
                                         {"signing secret", "webhookCredentials.signingSecretRef"},
                                         {"signature style", "webhookCredentials.signatureStyle"},
                                         {"old secret until", "webhookCredentials.previousSecretUntil"},
                                         {"regenerated", "webhookCredentials.regeneratedAt"},
                                         {"roles", "roles"},
                                         {"last used", "lastUsedAt"},
                                         {"created", "createdAt"},
                                         {"updated", "updatedAt"}};
  return fields_text(account, kLines, 18);
}

// "auth token: fc_...", and that it is the only time.
std::string secrets_text(const json::value& answer, std::string_view token, std::string_view secret) {
  std::string text;
  if (const std::string value = member_text(answer, token); !value.empty())
    text += fmt::format("auth token:     {}\n", value);
  if (const std::string value = member_text(answer, secret); !value.empty())
    text += fmt::format("signing secret: {}\n", value);
  return text.empty() ? text : text + "Keep them now: they are not shown again.\n";
}

struct NewAccount {
  std::string code, name, description, auth_type, style, token_ref, secret_ref;
  std::vector<std::string> clients;
};

std::string body_of(const NewAccount& account) {
  json::object credentials;
  const auto put = [](json::object& object, const char* name, const std::string& value) {
    if (!value.empty()) object[name] = value;
  };
  put(credentials, "authType", account.auth_type);
  put(credentials, "signatureStyle", account.style);
  put(credentials, "authTokenRef", account.token_ref);
  put(credentials, "signingSecretRef", account.secret_ref);
  json::object body{{"code", account.code}, {"name", account.name.empty() ? account.code : account.name}};
  put(body, "description", account.description);
  if (!account.clients.empty()) body["clientIds"] = json::value_from(account.clients);
  if (!credentials.empty()) body["webhookCredentials"] = std::move(credentials);
  return json::serialize(body);
}

std::string created_text(const json::value& answer) {
  const json::value* made = answer.is_object() ? answer.get_object().if_contains("serviceAccount") : nullptr;
  return (made == nullptr ? std::string() : account_text(*made)) +
         secrets_text(answer, "webhook.authToken", "webhook.signingSecret");
}

ExitCode create_account(const ServerFlags& server, const NewAccount& account) {
  return ask(server, {"POST", "/service-accounts", body_of(account)}, account.code, created_text);
}

void add_account_create(CLI::App& accounts, Session& session) {
  const auto [command, account] = add_server_command<NewAccount>(
      accounts, session, "create", "Make an account; prints its secrets this once", create_account);
  command->footer(
      "Examples:\n"
      "  eilbote accounts create acme-orders --name 'Orders of Acme' --client shop\n"
      "  eilbote accounts create acme-orders --client shop --signing-secret-ref env://ACME_SECRET");
  command->add_option("code", account->code, "Lower-case letters, digits and '-'")
      ->required()
      ->option_text("CODE");
  command->add_option("--name", account->name, "For people; the code when it is left out");
  command->add_option("--description", account->description, "What it is for");
  command
      ->add_option("--client", account->clients, "A client whose jobs may use it; may be given several times")
      ->option_text("CLIENT...");
  command->add_option("--auth-type", account->auth_type, kWebhookAuthTypeNames.list());
  command->add_option("--signature-style", account->style, kSignatureStyleNames.list());
  command->add_option("--auth-token-ref", account->token_ref, "Where the token is, instead of a new one");
  command->add_option("--signing-secret-ref", account->secret_ref, "Where the key is, instead of a new one");
}

struct NoFlags {};

ExitCode list_accounts(const ServerFlags& server, const NoFlags& /*none*/) {
  return ask_list(server, "/service-accounts", {"no service accounts", accounts_table});
}

// A command about one account: what it asks for, and what it says.
void add_of_account(CLI::App& accounts, Session& session, const std::string& name, const std::string& help,
                    const std::string& method, std::string (*text)(const json::value&)) {
  const auto [command, account] = add_server_command<std::string>(
      accounts, session, name, help,
      [name, method, text](const ServerFlags& server, const std::string& code) {
        const std::string act = method == "GET" ? "" : "/" + name;
        return ask(server, {method, "/service-accounts/" + url_escaped(code) + act, ""}, code, text);
      });
  command->add_option("account", *account, "The account's code or id")->required()->option_text("ACCOUNT");
}

}  // namespace

void add_accounts_command(CLI::App& app, Session& session) {
  auto* accounts = app.add_subcommand("accounts", "Service accounts: who webhooks are sent as");
  accounts->footer(
      "Examples:\n"
      "  eilbote accounts create acme-orders --client shop\n"
      "  eilbote accounts show acme-orders --json\n"
      "  eilbote accounts regenerate-secret acme-orders");
  accounts->require_subcommand(1);
  add_server_command<NoFlags>(*accounts, session, "list", "List all accounts", list_accounts);
  add_of_account(*accounts, session, "show", "Show one account", "GET", account_text);
  add_account_create(*accounts, session);
  const auto secrets = [](const json::value& answer) {
    return secrets_text(answer, "authToken", "signingSecret");
  };
  add_of_account(*accounts, session, "regenerate-token", "Make a new auth token; the old one ends at once",
                 "POST", secrets);
  add_of_account(*accounts, session, "regenerate-secret",
                 "Make a new signing secret; the old one signs along for 24 hours", "POST", secrets);
  add_of_account(*accounts, session, "deactivate", "Stop every use of an account", "POST", account_text);
  add_of_account(*accounts, session, "activate", "Let an account be used again", "POST", account_text);
}

}  // namespace eilbote::cli
