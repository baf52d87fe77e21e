// jobs: webhook jobs, as a person at a terminal needs them: hand one in, look at it, find them, act on them.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/url_escape.h"
#include "cli/answer_view.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/message_acts.h"
#include "cli/text_table.h"
#include "domain/names.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

// ---- list ----

// A flag of `jobs list` and the filter it stands for; --status is one more, with the list of states as its help.
struct FilterFlag {
  const char* flag;
  std::string_view name;
  const char* help;
};
constexpr FilterFlag kFilters[] = {
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

struct JobListFlags {
  std::string status;
  std::string values[std::size(kFilters)];
  std::vector<std::string> metadata;  // KEY=VALUE
  std::string cursor;
  int limit = 50;
};

std::string jobs_path(const JobListFlags& flags) {
  std::string path = fmt::format("/dispatch-jobs?limit={}", flags.limit);
  if (!flags.status.empty()) path += "&status=" + url_escaped(flags.status);
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
  static constexpr ViewField kColumns[] = {{"ID", "id"},
                                           {"STATUS", "status"},
                                           {"CODE", "code"},
                                           {"TARGET", "targetUrl"},
                                           {"ATTEMPTS", "attemptCount"},
                                           {"CREATED", "createdAt"},
                                           {"LAST ERROR", "lastError"}};
  return fields_table(jobs, kColumns);
}

ExitCode list_jobs(const ServerFlags& server, const JobListFlags& flags) {
  return ask_list(server, jobs_path(flags), {"no jobs on this page", jobs_table, "there are more"});
}

void add_job_list(CLI::App& jobs, Session& session) {
  const auto [command, flags] =
      add_server_command<JobListFlags>(jobs, session, "list", "List webhook jobs, newest first", list_jobs);
  command->footer(
      "Examples:\n  eilbote jobs list --status ERROR\n  eilbote jobs list --metadata customer_id=cust_789");
  command->add_option("--status", flags->status, "State: " + kWebhookStateNames.list());
  for (std::size_t i = 0; i < std::size(kFilters); ++i)
    command->add_option(kFilters[i].flag, flags->values[i], kFilters[i].help);
  command->add_option("--metadata", flags->metadata, "KEY=VALUE; may be given several times");
  add_limit_flag(*command, flags->limit, "Jobs per page");
  command->add_option("--cursor", flags->cursor, "Go on where the last page ended");
}

// ---- show, why ----

std::string attempts_text(const json::value& job) {
  static constexpr ViewField kColumns[] = {{"NO", "attemptNumber"},      {"AT", "attemptedAt"},
                                           {"MILLIS", "durationMillis"}, {"STATUS", "status"},
                                           {"CODE", "responseCode"},     {"ERROR", "errorMessage"}};
  const json::value* attempts = job.is_object() ? job.get_object().if_contains("attempts") : nullptr;
  if (attempts == nullptr || !attempts->is_array() || attempts->get_array().empty()) return "";
  return "\n" + fields_table(attempts->get_array(), kColumns);
}

std::string job_text(const json::value& job) {
  std::string text;
  for (const std::string_view name :
       {"id", "status", "code", "source", "subject", "targetUrl", "clientId", "dispatchPoolId",
        "messageGroup", "attemptCount", "maxRetries", "nextAttemptAt", "completedAt", "deadReason",
        "lastError", "createdAt"}) {
    const ViewField line[] = {{name, name}};
    text += fields_text(job, line, 16);
  }
  return text + attempts_text(job);
}

ExitCode show_job(const ServerFlags& server, const std::string& id) {
  return ask(server, {"GET", "/dispatch-jobs/" + url_escaped(id), ""}, "job " + id, job_text);
}

ExitCode tell_why(const ServerFlags& server, const std::string& id) {
  return ask(server, {"GET", "/jobs/" + url_escaped(id) + "/why", ""}, "job " + id,
             [](const json::value& answer) { return printable(member_text(answer, "why")) + "\n"; });
}

void add_of_job(CLI::App& jobs, Session& session, const std::string& name, const std::string& help,
                ExitCode (*run)(const ServerFlags&, const std::string&)) {
  const auto [command, id] = add_server_command<std::string>(jobs, session, name, help, run);
  command->add_option("id", *id, "The job's id")->required()->option_text("ID");
}

// ---- send ----

ExitCode send_job(const ServerFlags& server, const std::string& file) {
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
  return ask(server, {"POST", "/dispatch-jobs", body}, file, [](const json::value& job) {
    return member_text(job, "id") + " " + member_text(job, "status") + "\n";
  });
}

void add_job_send(CLI::App& jobs, Session& session) {
  const auto [command, file] =
      add_server_command<std::string>(jobs, session, "send", "Hand in a webhook job", send_job);
  command->footer("Example:\n  eilbote jobs send job.json\n  eilbote jobs send - < job.json");
  command->add_option("file", *file, "A job as JSON; - for standard input")->required()->option_text("FILE");
}

// ---- acts ----

void add_job_act(CLI::App& jobs, Session& session, const std::string& name, const std::string& help,
                 const std::string& done) {
  add_act_command(jobs, session, name, help, "Job",
                  {done, [name](const std::string& id) {
                     return ApiRequest{"POST", "/dispatch-jobs/" + url_escaped(id) + "/" + name, ""};
                   }});
}

}  // namespace

void add_jobs_command(CLI::App& app, Session& session) {
  auto* jobs = app.add_subcommand("jobs", "Webhook jobs: hand one in, look, find, cancel, retry");
  jobs->require_subcommand(1);
  add_job_send(*jobs, session);
  add_job_list(*jobs, session);
  add_of_job(*jobs, session, "show", "Say what became of a job, with every attempt", show_job);
  add_of_job(*jobs, session, "why", "Say why a job (or mail) is not running now", tell_why);
  add_job_act(*jobs, session, "cancel", "Cancel jobs; one that is under way is not tried again", "cancelled");
  add_job_act(*jobs, session, "retry", "Deliver dead jobs again, with a fresh budget of attempts",
              "queued again");
}

}  // namespace eilbote::cli
