// import: hands over what still waits in somebody's own table of mails, row by row, each once however often it is run.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "base/ascii.h"
#include "cli/answer_view.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/import_mail.h"
#include "cli/import_rows.h"
#include "cli/progress_bar.h"
#include "cli/text_table.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kRefusedTold = 1000;

struct ImportFlags {
  std::string file, source = "import", pool, delimiter = ",";
  std::vector<std::string> also;
  int from_line = 1;
  bool dry_run = false, no_state = false;
};

struct ImportReport {
  std::int64_t imported = 0, before = 0;
  std::map<std::string, std::int64_t> skipped;  // by state
  std::int64_t refused = 0;
  json::array faults;  // of the first refused rows
  int stopped_at = 0;  // the line that was not answered; 0: all were

  void refuse(int line, const std::string& id, const std::string& detail) {
    if (++refused <= static_cast<std::int64_t>(kRefusedTold))
      faults.push_back({{"line", line}, {"id", id}, {"detail", detail}});
  }
  json::object as_json(bool dry_run) const {
    json::object states;
    for (const auto& [state, count] : skipped)
      states[state] = count;
    return {{"dryRun", dry_run},
            {"imported", imported},
            {"importedBefore", before},
            {"skipped", std::move(states)},
            {"refused", refused},
            {"refusedRows", faults},
            {"stoppedAtLine", stopped_at == 0 ? json::value() : stopped_at}};
  }
  std::string as_text(bool dry_run) const {
    std::string out;
    for (const json::value& fault : faults)
      out += fmt::format("line {} (id {}): {}\n", member_text(fault, "line"),
                         printable(member_text(fault, "id")), printable(member_text(fault, "detail")));
    out += fmt::format("{} {}, {} were there before, {} refused\n", imported,
                       dry_run ? "would be imported" : "imported", before, refused);
    for (const auto& [state, count] : skipped)
      out += fmt::format("{} skipped: {}\n", count, printable(state));
    return out;
  }
};

// The server's words on a mail, with the fields it does not like.
std::string refusal_text(const ApiAnswer& answer) {
  const json::value problem = answer.json();
  std::string text = member_text(problem, "detail");
  const auto* object = problem.if_object();
  const auto* errors = object != nullptr ? object->if_contains("errors") : nullptr;
  if (errors != nullptr && errors->is_array())
    for (const json::value& one : errors->get_array()) {
      const std::string fault = member_text(one, "pointer") + ": " + member_text(one, "detail");
      if (!text.ends_with(fault)) text += "; " + fault;
    }
  return text.empty() ? fmt::format("the server answered {}", answer.status) : text;
}

// Overloaded, away, or not for us: the next row would fare no better.
bool ends_the_run(const ApiAnswer& answer) {
  return answer.status >= 500 || answer.status == 429 || answer.status == 401 || answer.status == 403;
}

class Import {
 public:
  Import(const ServerFlags& server, const ImportFlags& flags) : flags_(flags), client_(server) {
    rules_.source = flags.source;
    rules_.pool = flags.pool;
    rules_.no_state = flags.no_state;
    for (const std::string& state : flags.also)
      rules_.also.insert(ascii_lower(state));
  }

  // Nothing: the run went to its end.
  std::optional<ExitCode> run(std::istream& in, std::uintmax_t bytes) {
    ImportRows rows(in, flags_.delimiter.front());
    ProgressBar bar;
    std::optional<ExitCode> ended;
    while (!ended) {
      const auto row = rows.next();
      if (!row) break;
      if (rows.line() < flags_.from_line) continue;
      if (*row)
        ended = take(**row);
      else
        report_.refuse(rows.line(), "", row->error().message);
      const auto at = in.tellg();
      if (bytes > 0 && at > 0)
        bar.draw(static_cast<double>(at) / static_cast<double>(bytes),
                 fmt::format("{} imported", report_.imported));
    }
    bar.end();
    return ended;
  }
  const ImportReport& report() const { return report_; }

 private:
  std::optional<ExitCode> take(const ImportRow& row) {
    const auto made = import_mail(row.cells, rules_);
    if (!made) {
      report_.refuse(row.line, "", made.error().message);
    } else if (!made->skipped_as.empty()) {
      ++report_.skipped[made->skipped_as];
    } else if (flags_.dry_run) {
      ++report_.imported;
    } else {
      return post(row.line, *made);
    }
    return std::nullopt;
  }

  std::optional<ExitCode> post(int line, const ImportedMail& mail) {
    const auto answer =
        client_.request({"POST", "/messages", json::serialize(mail.mail), {{"Idempotency-Key", mail.key}}});
    if (answer && answer->good()) {
      ++(answer->replayed ? report_.before : report_.imported);
      return std::nullopt;
    }
    if (answer && !ends_the_run(*answer)) {
      report_.refuse(line, mail.id, refusal_text(*answer));
      return std::nullopt;
    }
    report_.stopped_at = line;
    const auto code = told_failure(answer, fmt::format("line {}", line), false);
    fmt::print(stderr,
               "  stopped; go on with --from-line {}; or, within a day, from the start: nothing is imported "
               "twice then\n",
               line);
    return code;
  }

  const ImportFlags& flags_;
  const ApiClient client_;
  ImportRules rules_;
  ImportReport report_;
};

ExitCode run_import(const ServerFlags& server, const ImportFlags& flags) {
  if (flags.delimiter.size() != 1) {
    fmt::print(stderr, "eilbote: --delimiter: must be one character\n");
    return ExitCode::usage;
  }
  std::ifstream file;
  std::uintmax_t bytes = 0;
  if (flags.file != "-") {
    std::error_code unknown;
    file.open(flags.file, std::ios::binary);
    bytes = std::filesystem::file_size(flags.file, unknown);
    if (!file || unknown) {
      fmt::print(stderr, "eilbote: cannot read {}; is it a file, and may this user read it?\n", flags.file);
      return ExitCode::usage;
    }
  }
  Import import(server, flags);
  const auto ended = import.run(flags.file == "-" ? std::cin : file, bytes);
  const ImportReport& report = import.report();
  fmt::print("{}", server.json ? json::serialize(report.as_json(flags.dry_run)) + "\n"
                               : report.as_text(flags.dry_run));
  if (ended) return *ended;
  return report.refused == 0 ? ExitCode::ok : ExitCode::failed;
}

}  // namespace

void add_import_command(CLI::App& app, Session& session) {
  const auto [command, flags] = add_server_command<ImportFlags>(
      app, session, "import", "Hand over the mails that wait in a table of your own", run_import);
  command->footer(
      "Examples:\n"
      "  psql -c 'COPY mail_outbox TO STDOUT (FORMAT csv, HEADER)' app | eilbote import - --source app\n"
      "  eilbote import email_log.jsonl --also Failed --dry-run\n"
      "A row is a JSON object on one line, or a line of CSV under a heading. Columns are found by name (id "
      "or EmailId, status,\n"
      "from, to, cc, bcc, subject, text or body, html, next_attempt_at, ..), or one named payload holds the "
      "whole mail as for\n"
      "POST /messages. Rows that wait (queued, pending, retry_pending, ..) become mails; all others are "
      "skipped and counted,\n"
      "unless --also names their state. A filled sent_at counts as sent. Rows with neither status nor "
      "sent_at\n"
      "are refused, unless --no-state says that all of them wait. The row's id is in the Idempotency-Key, so "
      "a second run\n"
      "within a day imports nothing twice.");
  command->add_option("file", flags->file, "The rows; '-' is standard input")
      ->required()
      ->option_text("FILE");
  command->add_option("--source", flags->source, "Tells these ids from those of another table")
      ->capture_default_str();
  command->add_option("--also", flags->also,
                      "States whose rows are sent too, for example failed or dispatching");
  command->add_flag("--no-state", flags->no_state, "The rows have no state: all of them wait");
  command->add_option("--pool", flags->pool, "Pool of the mails; `mail` when not given");
  command->add_option("--delimiter", flags->delimiter, "Between the cells of CSV")->capture_default_str();
  command->add_option("--from-line", flags->from_line, "Pass over the rows before this line")
      ->check(CLI::Range(1, 2'000'000'000))
      ->capture_default_str();
  command->add_flag("--dry-run", flags->dry_run, "Only say what would be done");
}

}  // namespace eilbote::cli
