// send: hands one mail to a server.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "cli/ask.h"
#include "cli/command.h"
#include "cli/config_flags.h"
#include "cli/mail_draft.h"

namespace eilbote::cli {
namespace {

struct SendFlags {
  MailDraft draft;
  std::string idempotency_key;
  bool probe = false;
  ConfigFlags config;  // of --probe: the file alone
};

// Tests the relay of the configuration, from this machine, without a server and without a mail.
ExitCode run_probe(const Session& session, const ServerFlags& server, const SendFlags& flags) {
  const LoadedConfig loaded = load_without_listener(flags.config);
  if (!is_usable(loaded)) return ExitCode::usage;
  if (loaded.config.smtp.target.host.empty()) {
    fmt::print(
        stderr,
        "eilbote: EILBOTE_SMTP_URL: names no relay to test, for example smtp://user@relay.example.org:587\n");
    return ExitCode::usage;
  }
  bool good = true;
  boost::json::array lines;
  for (const SmtpOptions* relay : {&loaded.config.smtp, &loaded.config.smtp_fallback}) {
    if (relay->target.host.empty()) continue;
    for (const RelayFinding& one : session.actions.probe_relay(loaded.config, *relay)) {
      good = good && one.good;
      lines.push_back({{"route", relay->route},
                       {"good", one.good},
                       {"what", one.what},
                       {"text", one.text},
                       {"advice", one.advice}});
      if (server.json) continue;
      fmt::print("{} {}: {}\n", one.good ? "ok  " : "FAIL", one.what, one.text);
      if (!one.advice.empty()) fmt::print("     {}\n", one.advice);
    }
  }
  if (server.json) fmt::print("{}\n", boost::json::serialize(lines));
  return good ? ExitCode::ok : ExitCode::failed;
}

ExitCode send_mail(const ServerFlags& server, const SendFlags& flags) {
  const auto mail = build_mail(flags.draft);
  if (!mail) {
    fmt::print(stderr, "eilbote: {}\n", mail.error().message);
    return ExitCode::usage;
  }
  ApiRequest request{"POST", "/messages", boost::json::serialize(*mail)};
  if (!flags.idempotency_key.empty()) request.headers.emplace_back("Idempotency-Key", flags.idempotency_key);
  const auto answer = ApiClient(server).request(request);
  if (const auto code = told_failure(answer, "", server.json)) return *code;
  if (server.json) {
    fmt::print("{}\n", answer->body);
    return ExitCode::ok;
  }
  const auto json = answer->json();
  const auto* object = json.if_object();
  const auto* id = object != nullptr ? object->if_contains("messageId") : nullptr;
  if (id == nullptr || !id->is_string()) {
    fmt::print(stderr, "eilbote: the server answered {} without a messageId\n", answer->status);
    return ExitCode::failed;
  }
  fmt::print("{}{}\n", std::string_view(id->get_string()),
             answer->replayed ? "  (accepted before under this key)" : "");
  return ExitCode::ok;
}

}  // namespace

void add_send_command(CLI::App& app, Session& session) {
  const auto [command, flags] = add_server_command<SendFlags>(
      app, session, "send", "Hand a mail to the server; prints its id",
      [&session](const ServerFlags& server, const SendFlags& given) {
        return given.probe ? run_probe(session, server, given) : send_mail(server, given);
      });
  command->footer(
      "Examples:\n"
      "  eilbote send --from shop@example.org --to ada@example.org --subject Order --text 'It is on its "
      "way.'\n"
      "  eilbote send --from 'Shop <shop@example.org>' --to a@example.org --to b@example.org --subject Bill "
      "\\\n"
      "      --html @bill.html --attach bill.pdf --idempotency-key order-4711\n"
      "  eilbote send --file mail.json\n"
      "  EILBOTE_SMTP_URL=smtp://shop@relay.example.org eilbote send --probe\n"
      "The mail is committed when the id is printed; `eilbote status ID` says what became of it.");
  auto& draft = flags->draft;
  command->add_option("--from", draft.from, "Sender, ADDRESS or 'NAME <ADDRESS>'");
  command->add_option("--to", draft.to, "Recipients; may be given several times");
  command->add_option("--cc", draft.cc, "Recipients of a copy");
  command->add_option("--bcc", draft.bcc, "Recipients of a blind copy");
  command->add_option("--reply-to", draft.reply_to, "Where answers go");
  command->add_option("--subject", draft.subject, "Subject");
  command->add_option("--text", draft.text, "Plain text; @FILE reads a file, @- standard input");
  command->add_option("--html", draft.html, "HTML; @FILE reads a file, @- standard input");
  command->add_option("--attach", draft.attachments, "Files to attach");
  command->add_option("--tag", draft.tags, "Tags to find it by");
  command->add_option("--campaign", draft.campaign_id, "Campaign id to find it by");
  command->add_option("--pool", draft.pool, "Pool; `mail` when not given");
  command->add_option("--group", draft.group, "Group: its mails go out one at a time, in order");
  command->add_option("--scheduled-for", draft.scheduled_for, "Not before this time (RFC 3339)");
  command->add_option("--file", draft.file,
                      "JSON as for POST /messages, '-' is standard input; flags win over it");
  command->add_option("--idempotency-key", flags->idempotency_key,
                      "8 to 128 characters; the same key sends once");
  command->add_flag(
      "--probe", flags->probe,
      "Send nothing: test the relay of the configuration (EILBOTE_SMTP_URL ..) from this machine");
  command->add_option("--config", flags->config.file, "TOML file with options, for --probe")
      ->envname("EILBOTE_CONFIG");
}

}  // namespace eilbote::cli
