// A fresh SQLite store in a folder of its own, for tests of what only that store has: its file, its threads,
// its plans.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/tsid.h"
#include "store/sqlite/database.h"
#include "store/store.h"
#include "support/temp_folder.h"

namespace eilbote::test {

class SqliteFile : public ::testing::Test {
 protected:
  std::string path() const { return folder_ / "deeper/outbox.db"; }
  StoreOptions options() const {
    StoreOptions options;
    options.url = "sqlite:" + path();
    return options;
  }
  std::unique_ptr<Outbox> open() {
    auto opened = open_outbox(options(), clock_);
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }
  // A connection of the test's own.
  std::unique_ptr<sqlite::Database> connect() {
    auto opened = sqlite::Database::open(path());
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }

  NewJob new_job() {
    NewJob job;
    job.id = ids_.next(clock_.now());
    job.client = ClientName{"shop"};
    job.pool = "mail";
    job.expires_at = clock_.now() + std::chrono::hours{120};
    job.mail.sender = "shop@example.org";
    job.mail.recipients = {{RecipientKind::to, "user" + std::to_string(job.id.value()) + "@example.org",
                            RecipientStatus::waiting, ""}};
    job.mail.meta = R"({"subject":"Hello"})";
    job.mail.mime = std::string(1024, 'x');
    return job;
  }
  std::vector<NewJob> new_jobs(int n) {
    std::vector<NewJob> jobs;
    for (int i = 0; i < n; ++i)
      jobs.push_back(new_job());
    return jobs;
  }
  static Result<std::vector<AcceptOutcome>> accept(Outbox& outbox, const NewJob& job,
                                                   AcceptRun run = AcceptRun::first) {
    return outbox.accept(std::span(&job, 1), run);
  }

  TempFolder folder_;
  FakeClock clock_;
  TsidFactory ids_{Epoch{1}};
};

}  // namespace eilbote::test
