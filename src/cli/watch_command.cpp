// watch: a live view of a server: what it takes, sends and loses per second, what waits, and which ways out are closed.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <optional>
#include <set>

#include "cli/answer_view.h"
#include "cli/ask.h"
#include "cli/capped_count.h"
#include "cli/command.h"
#include "cli/metric_sum.h"
#include "cli/text_table.h"
#include "domain/breaker.h"
#include "domain/names.h"
#include "metrics/metrics.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;
using SteadyTime = std::chrono::steady_clock::time_point;

struct WatchFlags {
  std::string metrics_url;
  int count = 0;
  double interval = 1;
};

// Counters of the server, as of one moment.
struct Totals {
  SteadyTime at;
  double accepted = 0, sent = 0, dead = 0;
};

struct Snapshot {
  std::optional<Totals> totals;  // nothing: the metrics are on another listener
  CappedCount waiting, due;
  std::string oldest;  // the time since which the oldest job is due; empty: none is
  std::string breakers;
};

// Ctrl-C and SIGTERM: something to wait for between two looks, and an end at once while a request hangs. What is being printed is
// printed whole.
class StopSignal {
 public:
  StopSignal() {
    sigemptyset(&both_);
    sigaddset(&both_, SIGINT);
    sigaddset(&both_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &both_, &mask_before_);
    struct sigaction leave {};
    leave.sa_handler = [](int) { _exit(static_cast<int>(ExitCode::ok)); };
    sigaction(SIGINT, &leave, &int_before_);
    sigaction(SIGTERM, &leave, &term_before_);
  }
  ~StopSignal() {
    sigaction(SIGINT, &int_before_, nullptr);
    sigaction(SIGTERM, &term_before_, nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // True when one came within this time.
  bool comes_within(std::chrono::nanoseconds time) const {
    const auto left = std::max(time, std::chrono::nanoseconds{0});
    const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
    const timespec patience{static_cast<time_t>(seconds.count()),
                            static_cast<long>((left - seconds).count())};
    return sigtimedwait(&both_, nullptr, &patience) > 0;
  }
  // One that comes meanwhile, or has come, ends the program.
  Result<ApiAnswer> may_end(const ApiClient& client, const ApiRequest& request) const {
    pthread_sigmask(SIG_UNBLOCK, &both_, nullptr);
    auto answer = client.request(request);
    pthread_sigmask(SIG_BLOCK, &both_, nullptr);
    return answer;
  }

 private:
  sigset_t both_{}, mask_before_{};
  struct sigaction int_before_ {
  }, term_before_{};
};

std::string_view name_of(Metric metric) {
  return metric_table().at(static_cast<std::size_t>(metric)).name;
}

std::optional<Totals> totals_in(const Result<ApiAnswer>& answer) {
  if (!answer || !answer->good()) return std::nullopt;
  const std::string& text = answer->body;
  Totals totals{std::chrono::steady_clock::now()};
  totals.accepted = metric_sum(text, name_of(Metric::messages_accepted)) +
                    metric_sum(text, name_of(Metric::webhooks_accepted));
  totals.sent = metric_sum(text, name_of(Metric::messages_sent)) +
                metric_sum(text, name_of(Metric::webhook_attempts), kVerdictNames.text(Verdict::delivered));
  totals.dead = metric_sum(text, name_of(Metric::dead));
  return totals;
}

void add_queue(Snapshot& snapshot, const json::value& queue) {
  for (const json::value& pool : items_of(queue)) {
    snapshot.waiting.add(pool.at("waiting").to_number<std::int64_t>());
    for (const auto& [age, count] : pool.at("due").as_object())
      snapshot.due.add(count.to_number<std::int64_t>());
    const std::string oldest = member_text(pool, "oldestDueAt");
    if (!oldest.empty() && (snapshot.oldest.empty() || oldest < snapshot.oldest)) snapshot.oldest = oldest;
  }
}

// Each once, however many instances have it.
void add_breakers(Snapshot& snapshot, const json::value& breakers) {
  std::set<std::string> shown;
  for (const json::value& one : items_of(breakers)) {
    if (member_text(one, "state") == kBreakerStateNames.text(BreakerState::closed)) continue;
    const std::string text =
        fmt::format("{} {}", printable(member_text(one, "route")), member_text(one, "state"));
    if (shown.insert(text).second) snapshot.breakers += (snapshot.breakers.empty() ? "" : ", ") + text;
  }
}

class Watch {
 public:
  Watch(const ServerFlags& server, const WatchFlags& flags)
      : server_(server),
        flags_(flags),
        api_(server),
        metrics_(flags.metrics_url.empty() ? server.server : flags.metrics_url) {}

  ExitCode run() {
    const auto interval = std::chrono::milliseconds(static_cast<std::int64_t>(flags_.interval * 1000));
    auto next = std::chrono::steady_clock::now();
    for (int round = 0; flags_.count == 0 || round < flags_.count; ++round) {
      if (stop_.comes_within(next - std::chrono::steady_clock::now())) return ExitCode::ok;
      next = std::max(next, std::chrono::steady_clock::now()) + interval;
      const auto failed = look();
      if (failed && !has_looked_) return *failed;
      // A server that was there comes back: its restart does not end the view.
      if (failed) before_.reset();
      has_looked_ = true;
    }
    return ExitCode::ok;
  }

 private:
  // Nothing: it was printed. Else it was told why not; as JSON only when nothing was printed before, since lines stay alike.
  std::optional<ExitCode> look() {
    const auto queue = stop_.may_end(api_, {"GET", "/queue", ""});
    if (const auto code = told_failure(queue, "queue", server_.json && !has_looked_)) return code;
    const auto breakers = stop_.may_end(api_, {"GET", "/breakers", ""});
    if (const auto code = told_failure(breakers, "breakers", server_.json && !has_looked_)) return code;
    Snapshot snapshot;
    add_queue(snapshot, queue->json());
    add_breakers(snapshot, breakers->json());
    snapshot.totals = totals_in(stop_.may_end(metrics_, {"GET", "/metrics", ""}));
    print(snapshot);
    before_ = snapshot.totals;
    return std::nullopt;
  }

  // Per second since the last look; nothing the first time, and after a restart of the server.
  std::optional<double> rate(const Snapshot& now, double Totals::*counter) const {
    if (!now.totals || !before_ || (*now.totals).*counter < (*before_).*counter) return std::nullopt;
    const std::chrono::duration<double> time = now.totals->at - before_->at;
    return ((*now.totals).*counter - (*before_).*counter) / std::max(time.count(), 0.001);
  }

  void print(const Snapshot& now) {
    const auto accepted = rate(now, &Totals::accepted), sent = rate(now, &Totals::sent),
               dead = rate(now, &Totals::dead);
    if (server_.json) {
      const auto number = [](const std::optional<double>& value) {
        return value ? json::value(*value) : json::value();
      };
      fmt::print("{}\n", json::serialize(json::object{
                             {"acceptedPerSecond", number(accepted)},
                             {"sentPerSecond", number(sent)},
                             {"deadPerSecond", number(dead)},
                             {"waiting", now.waiting.number},
                             {"waitingIsMore", now.waiting.is_more},
                             {"due", now.due.number},
                             {"dueIsMore", now.due.is_more},
                             {"oldestDueAt", now.oldest.empty() ? json::value() : json::value(now.oldest)},
                             {"openBreakers", now.breakers}}));
    } else {
      const auto number = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.1f}", *value) : "-";
      };
      const std::vector<std::vector<std::string>> rows{
          {"ACCEPTED/S", "SENT/S", "DEAD/S", "WAITING", "DUE", "OLDEST DUE SINCE", "BREAKERS"},
          {number(accepted), number(sent), number(dead), now.waiting.text(), now.due.text(),
           now.oldest.empty() ? "-" : now.oldest, now.breakers.empty() ? "all closed" : now.breakers}};
      if (is_terminal_) fmt::print("\x1b[H\x1b[2J");
      fmt::print("{}", text_table(rows));
    }
    std::fflush(stdout);
  }

  const ServerFlags& server_;
  const WatchFlags& flags_;
  const ApiClient api_;
  const ApiClient metrics_;  // open to all, so the token does not go there
  std::optional<Totals> before_;
  bool has_looked_ = false;
  const bool is_terminal_ = isatty(STDOUT_FILENO) == 1;
  const StopSignal stop_;  // the last one: what is made before may wait for a store of secrets
};

}  // namespace

void add_watch_command(CLI::App& app, Session& session) {
  const auto [command, flags] = add_server_command<WatchFlags>(
      app, session, "watch", "A live view of a server; Ctrl-C ends it",
      [](const ServerFlags& server, const WatchFlags& given) { return Watch(server, given).run(); });
  command->footer(
      "Examples:\n"
      "  eilbote watch\n"
      "  eilbote watch --json --interval 10 >> watch.jsonl\n"
      "Rates are of this instance, the queue is of all. Where EILBOTE_METRICS_LISTEN is set, --metrics says "
      "where that is;\n"
      "rates are missing otherwise. A + after a number: there are more than are counted. What waits in the "
      "database is\n"
      "counted; with a broker, jobs that are in its queues are not. Once it has seen the server it goes on "
      "while that is away.");
  command
      ->add_option("--metrics", flags->metrics_url,
                   "Where /metrics is, when it is not on the server's address")
      ->option_text("URL");
  command->add_option("--count", flags->count, "End after so many looks; 0: never")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  command->add_option("--interval", flags->interval, "Seconds between two looks")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
}

}  // namespace eilbote::cli
