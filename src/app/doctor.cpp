#include "app/doctor.h"

#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <optional>
#include <thread>

#include "app/options.h"
#include "base/clock.h"
#include "base/duration.h"
#include "base/log.h"
#include "base/mutex.h"
#include "store/examine.h"

namespace eilbote {
namespace {

std::atomic<bool> was_given_up = false;

// What a check and whoever waits for it share; the last of them lets go of it.
struct Outcome {
  Mutex mutex;
  std::condition_variable_any done;
  std::optional<std::vector<Finding>> findings EILBOTE_GUARDED_BY(mutex);
};

struct Running {
  std::shared_ptr<Outcome> outcome;
  std::jthread thread;
};

std::vector<Finding> findings_of(const Check& check) {
  try {
    return check.run();
  } catch (const std::exception& error) {
    return {Finding::error(check.name, error.what(), "This is a bug of the doctor; please report it.")};
  }
}

// On a thread that nobody waits for longer than the patience: what hangs cannot be ended from outside.
Running begin(const Check& check) {
  auto outcome = std::make_shared<Outcome>();
  std::jthread thread([outcome, check] {
    pthread_setname_np(pthread_self(), "doctor");
    auto findings = findings_of(check);
    const MutexLock lock(outcome->mutex);
    outcome->findings = std::move(findings);
    outcome->done.notify_all();
  });
  return {std::move(outcome), std::move(thread)};
}

void add_database_checks(Checks& checks, const SharedConfig& loaded) {
  const auto with_options = [loaded](auto look) {
    return [loaded, look]() -> std::vector<Finding> {
      const auto options = store_options(loaded->config);
      if (!options)
        return {
            Finding::error("database", options.error().message, "Put the password where the option says.")};
      return look(*options);
    };
  };
  checks.push_back(
      {"database",
       "It takes the connection but does not answer: look at its load, its locks (pg_locks) and its disk.",
       with_options([](const StoreOptions& options) { return examine_store(options, SystemClock()); })});
  if (loaded->config.store_url.starts_with("sqlite:"))
    checks.push_back(
        {"database integrity",
         "A large file takes longer than that to read; `eilbote backup FILE` copies and verifies all of it.",
         with_options(verify_store)});
}

}  // namespace

std::vector<Finding> run_checks(const Checks& checks, Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::vector<Running> all_running;
  for (const Check& check : checks)
    all_running.push_back(begin(check));
  std::vector<Finding> all;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    Outcome& outcome = *all_running[i].outcome;
    const MutexLock lock(outcome.mutex);
    const auto is_there = [&]() EILBOTE_REQUIRES(outcome.mutex) { return outcome.findings.has_value(); };
    if (!outcome.done.wait_until(outcome.mutex, deadline, is_there)) {
      was_given_up = true;
      all_running[i].thread.detach();
      all.push_back(
          Finding::error(checks[i].name, "no answer within " + duration_text(patience), checks[i].when_late));
      continue;
    }
    for (Finding& finding : *outcome.findings)
      all.push_back(std::move(finding));
  }
  return all;
}

bool has_late_checks() {
  return was_given_up;
}

std::vector<Finding> examine(const LoadedConfig& loaded) {
  // What the parts log is for people who watch a server; here each finding says it.
  log::configure(loaded.config.log_format, log::Level::error);
  const auto shared = std::make_shared<const LoadedConfig>(loaded);
  Checks checks;
  add_machine_checks(checks, shared);
  add_certificate_checks(checks, shared);
  add_database_checks(checks, shared);
  add_service_checks(checks, shared);
  return run_checks(checks, kCheckPatience);
}

}  // namespace eilbote
