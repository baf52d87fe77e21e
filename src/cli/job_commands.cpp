// jobs: webhook jobs, as a person at a terminal needs them: hand one in, look at it, find them, act on them.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/url_escape.h"
#include "cli/api_client.h"
#include "cli/command.h"
#include "cli/message_acts.h"
#include "cli/message_view.h"
#include "cli/text_table.h"
#include "domain/names.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

// ---- list ----

// A flag of `jobs list` and the filter it stands for.
struct FilterFlag {
  const char* flag;
  std::string_view name;
  const char* help;
};
constexpr FilterFlag kFilters[] = {
    {"--status", "status", "State: PENDING, QUEUED, IN_PROGRESS, COMPLETED, ERROR, CANCELLED"},
    {"--source", "source", "Where it comes from"},
    {"--code", "code", "Event type or task code"},
    {"--subject", "subject", "What it is about"},
    {"--event", "eventId", "Id of the event behind it"},
    {"--correlation", "correlationId", "Correlation id"},
    {"--external", "externalId", "The caller's own id"},
    {"--group", "messageGroup", "Message group"},
    {"--pool", "dispatchPoolId", "Pool, by code or id"},
    {"--account", "serviceAccountId", "Service account"},
    {"--created-after", "createdAfter", "RFC 3339 time"},
    {"--created-before", "createdBefore", "RFC 3339 time"},
};

struct ListFlags {
  std::string values[std::size(kFilters)];
  std::vector<std::string> metadata;  // KEY=VALUE
  std::string cursor;
  int limit = 50;
};

std::string list_path(const ListFlags& flags) {
  std::string path = fmt::format("/dispatch-jobs?limit={}", flags.limit);
  for (std::size_t i = 0; i < std::size(kFilters); ++i)
    if (!flags.values[i].empty())
      path += fmt::format("&{}={}", kFilters[i].name, url_escaped(flags.values[i]));
  for (const std::string& pair : flags.metadata) {
    const auto equals = pair.find('=');
    path += "&metadata." + url_escaped(pair.substr(0, equals)) + "=" +
            (equals == std::string::npos ? "" : url_escaped(pair.substr(equals + 1)));
  }
  return flags.cursor.empty() ? path : path + "&cursor=" + url_escaped(flags.cursor);
}

std::string jobs_table(const json::array& jobs) {
  std::vector<std::vector<std::string>> rows{
      {"ID", "STATUS", "CODE", "TARGET", "ATTEMPTS", "CREATED", "LAST ERROR"}};
  for (const json::value& job : jobs)
    rows.push_back({member_text(job, "id"), member_text(job, "status"), member_text(job, "code"),
                    member_text(job, "targetUrl"), member_text(job, "attemptCount"),
                    member_text(job, "createdAt"), member_text(job, "lastError")});
  return text_table(rows);
}

ExitCode run_list(const ServerFlags& server, const ListFlags& flags) {
  const auto answer = ApiClient(server).request({"GET", list_path(flags), ""});
  if (!answer) return tell_unreachable(answer.error());
  if (!answer->good()) return tell_refusal(*answer, "", server.json);
  if (server.json) return fmt::print("{}\n", answer->body), ExitCode::ok;
  const auto body = answer->json();
  const std::string next = member_text(body, "nextCursor");
  fmt::print("{}", items_of(body).empty() ? "no jobs on this page\n" : jobs_table(items_of(body)));
  if (!next.empty()) fmt::print("there are more: --cursor {}\n", next);
  return ExitCode::ok;
}

void add_job_list(CLI::App& jobs, Session& session) {
  auto* command = jobs.add_subcommand("list", "List webhook jobs, newest first");
  command->footer(
      "Examples:\n  eilbote jobs list --status ERROR\n  eilbote jobs list --metadata customer_id=cust_789");
  const auto server = add_server_flags(*command, session);
  auto flags = std::make_shared<ListFlags>();
  for (std::size_t i = 0; i < std::size(kFilters); ++i)
    command->add_option(kFilters[i].flag, flags->values[i], kFilters[i].help);
  command->add_option("--metadata", flags->metadata, "KEY=VALUE; may be given several times");
  command->add_option("--limit", flags->limit, "Jobs per page, 1 to 200")
      ->check(CLI::Range(1, 200))
      ->capture_default_str();
  command->add_option("--cursor", flags->cursor, "Go on where the last page ended");
  command->callback(
      [&session, server, flags] { session.run = [server, flags] { return run_list(*server, *flags); }; });
}

// ---- show, why ----

std::string attempts_text(const json::value& job) {
  const json::value* attempts = job.is_object() ? job.get_object().if_contains("attempts") : nullptr;
  if (attempts == nullptr || !attempts->is_array() || attempts->get_array().empty()) return "";
  std::vector<std::vector<std::string>> rows{{"NO", "AT", "MILLIS", "STATUS", "CODE", "ERROR"}};
  for (const json::value& attempt : attempts->get_array())
    rows.push_back({member_text(attempt, "attemptNumber"), member_text(attempt, "attemptedAt"),
                    member_text(attempt, "durationMillis"), member_text(attempt, "status"),
                    member_text(attempt, "responseCode"), member_text(attempt, "errorMessage")});
  return "\n" + text_table(rows);
}

std::string job_text(const json::value& job) {
  std::string text;
  for (const std::string_view name : {"id", "status", "code", "source", "subject", "targetUrl", "clientId",
                                      "dispatchPoolId", "messageGroup", "attemptCount", "maxRetries",
                                      "nextAttemptAt", "completedAt", "deadReason", "lastError", "createdAt"})
    if (const std::string value = member_text(job, name); !value.empty())
      text += fmt::format("{:<16}{}\n", name, printable(value));
  return text + attempts_text(job);
}

ExitCode run_show(const ServerFlags& server, const std::string& id) {
  const auto answer = ApiClient(server).request({"GET", "/dispatch-jobs/" + url_escaped(id), ""});
  if (!answer) return tell_unreachable(answer.error());
  if (!answer->good()) return tell_refusal(*answer, "job " + id, server.json);
  fmt::print("{}", server.json ? answer->body + "\n" : job_text(answer->json()));
  return ExitCode::ok;
}

ExitCode run_why(const ServerFlags& server, const std::string& id) {
  const auto answer = ApiClient(server).request({"GET", "/jobs/" + url_escaped(id) + "/why", ""});
  if (!answer) return tell_unreachable(answer.error());
  if (!answer->good()) return tell_refusal(*answer, "job " + id, server.json);
  fmt::print("{}\n", server.json ? answer->body : printable(member_text(answer->json(), "why")));
  return ExitCode::ok;
}

void add_of_one(CLI::App& jobs, Session& session, const std::string& name, const std::string& help,
                ExitCode (*run)(const ServerFlags&, const std::string&)) {
  auto* command = jobs.add_subcommand(name, help);
  const auto server = add_server_flags(*command, session);
  auto id = std::make_shared<std::string>();
  command->add_option("id", *id, "The job's id")->required()->option_text("ID");
  command->callback(
      [&session, server, id, run] { session.run = [server, id, run] { return run(*server, *id); }; });
}

// ---- send ----

ExitCode run_send(const ServerFlags& server, const std::string& file) {
  std::string body;
  if (file == "-") {
    body.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    std::ifstream in(file, std::ios::binary);
    if (!in)
      return fmt::print(stderr, "eilbote: cannot read {}; is it a file, and may this user read it?\n", file),
             ExitCode::usage;
    body.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto answer = ApiClient(server).request({"POST", "/dispatch-jobs", body});
  if (!answer) return tell_unreachable(answer.error());
  if (!answer->good()) return tell_refusal(*answer, file, server.json);
  const auto job = answer->json();
  fmt::print("{}\n", server.json ? answer->body : member_text(job, "id") + " " + member_text(job, "status"));
  return ExitCode::ok;
}

void add_send(CLI::App& jobs, Session& session) {
  auto* command = jobs.add_subcommand("send", "Hand in a webhook job");
  command->footer("Example:\n  eilbote jobs send job.json\n  eilbote jobs send - < job.json");
  const auto server = add_server_flags(*command, session);
  auto file = std::make_shared<std::string>();
  command->add_option("file", *file, "A job as JSON; - for standard input")->required()->option_text("FILE");
  command->callback(
      [&session, server, file] { session.run = [server, file] { return run_send(*server, *file); }; });
}

// ---- acts ----

void add_act(CLI::App& jobs, Session& session, const std::string& name, const std::string& help,
             const std::string& done) {
  auto* command = jobs.add_subcommand(name, help);
  const auto server = add_server_flags(*command, session);
  auto ids = std::make_shared<std::vector<std::string>>();
  command->add_option("ids", *ids, "Job ids")->required()->option_text("ID...");
  command->callback([&session, server, ids, name, done] {
    session.run = [server, ids, name, done] {
      const MessageAct act{done, [name](const std::string& id) {
                             return ApiRequest{"POST", "/dispatch-jobs/" + url_escaped(id) + "/" + name, ""};
                           }};
      return act_on_each(ApiClient(*server), *ids, act, server->json);
    };
  });
}

}  // namespace

void add_jobs_command(CLI::App& app, Session& session) {
  auto* jobs = app.add_subcommand("jobs", "Webhook jobs: hand one in, look, find, cancel, retry");
  jobs->require_subcommand(1);
  add_send(*jobs, session);
  add_job_list(*jobs, session);
  add_of_one(*jobs, session, "show", "Say what became of a job, with every attempt", run_show);
  add_of_one(*jobs, session, "why", "Say why a job (or mail) is not running now", run_why);
  add_act(*jobs, session, "cancel", "Cancel jobs; one that is under way is not tried again", "cancelled");
  add_act(*jobs, session, "retry", "Deliver dead jobs again, with a fresh budget of attempts",
          "queued again");
}

}  // namespace eilbote::cli
