// The writer: everything that waits shares one commit, and what fails, fails alone. Readers: bounded in time.
#include "store/sqlite/writer.h"

#include <future>

#include "store/sqlite/readers.h"
#include "support/sqlite_file.h"

namespace eilbote::test::sqlite_writer_test {
namespace {

namespace q = sql::sqlite;

class SqliteWriter : public SqliteFile {
 protected:
  SqliteWriter() { open(); }

  // The parts as the store puts them together; the writer does not run yet.
  struct Parts {
    sqlite::ReadGate gate;
    sqlite::Checkpointer checkpointer;
    sqlite::Writer writer;
    Parts(std::unique_ptr<sqlite::Database> copying, std::unique_ptr<sqlite::Database> writing,
          const Clock& clock)
        : checkpointer(std::move(copying), gate), writer(std::move(writing), clock, checkpointer) {}
  };

  static int count_commit(void* commits) {
    ++*static_cast<int*>(commits);
    return 0;
  }
  std::vector<std::string> clients() {
    std::vector<std::string> names;
    const auto database = connect();
    for (sqlite::Run run = database->run(q::find_clients); run.row();)
      names.emplace_back(run.text(1));
    std::sort(names.begin(), names.end());
    return names;
  }

  int commits_ = 0;
};

void insert_client(sqlite::Session& session, std::string_view name) {
  static const sql::Text kInsert{"insert_client", "INSERT INTO clients (name) VALUES (?1)"};
  session.database.run(kInsert).with(name).done();
}

TEST_F(SqliteWriter, commits_everything_that_waits_at_once_and_fails_what_fails_alone) {
  auto writing = connect();
  sqlite3_commit_hook(writing->handle(), count_commit, &commits_);
  Parts parts(connect(), std::move(writing), clock_);
  const auto submit = [&](std::vector<std::string> names) {
    return std::async(std::launch::async, [&parts, names] {
      return parts.writer.run([&](sqlite::Session& session) {
        for (const std::string& name : names)
          insert_client(session, name);
      });
    });
  };
  auto good = submit({"ann", "bob"});
  auto bad = submit({"carl", "dora", "carl"});
  auto also_good = submit({"emil"});
  while (parts.writer.waiting() < 3)
    std::this_thread::yield();
  parts.writer.start();

  EXPECT_TRUE(good.get());
  EXPECT_TRUE(also_good.get());
  const Result<void> failed = bad.get();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::rejected_data);
  EXPECT_EQ(clients(), (std::vector<std::string>{"ann", "bob", "emil"}));
  EXPECT_EQ(commits_, 1);
}

TEST_F(SqliteWriter, finishes_what_waits_when_it_stops_and_then_refuses) {
  Parts parts(connect(), connect(), clock_);
  auto waiting = std::async(std::launch::async, [&] {
    return parts.writer.run([](sqlite::Session& session) { insert_client(session, "last"); });
  });
  while (parts.writer.waiting() < 1)
    std::this_thread::yield();
  parts.writer.start();
  parts.writer.stop();
  EXPECT_TRUE(waiting.get());
  const auto refused = parts.writer.run([](sqlite::Session& session) { insert_client(session, "too late"); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(clients(), std::vector<std::string>{"last"});
}

TEST_F(SqliteWriter, a_bad_accept_beside_a_good_one_leaves_no_lane_behind) {
  const auto outbox = open();
  NewJob bad = new_job();
  bad.client = ClientName{"newcomer"};
  bad.mail.meta = "this is not JSON";
  const auto refused = accept(*outbox, bad);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data);
  EXPECT_TRUE(clients().empty());
  // The memory of the writer does not remember what was undone either.
  bad.mail.meta = "{}";
  const auto accepted = accept(*outbox, bad);
  ASSERT_TRUE(accepted) << accepted.error().message;
  const auto found = outbox->find(bad.id, ClientName{"newcomer"});
  EXPECT_TRUE(found && *found);
}

TEST_F(SqliteWriter, texts_that_are_not_utf8_are_refused_field_by_field) {
  const auto outbox = open();
  const std::string broken = "caf\xE9", with_nul("a\0b", 3);
  for (const std::string& text : {broken, with_nul}) {
    const std::vector<std::function<void(NewJob&)>> faults = {
        [&](NewJob& job) { job.client = ClientName{text}; },
        [&](NewJob& job) { job.pool = text; },
        [&](NewJob& job) { job.mail.sender = text; },
        [&](NewJob& job) { job.mail.meta = "{\"subject\":\"" + text + "\"}"; },
        [&](NewJob& job) { job.trace_id = text; },
        [&](NewJob& job) { job.idempotency_key = text; },
    };
    for (std::size_t i = 0; i < faults.size(); ++i) {
      NewJob job = new_job();
      faults[i](job);
      const auto refused = accept(*outbox, job);
      ASSERT_FALSE(refused) << "field " << i;
      EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data) << "field " << i;
    }
  }
  EXPECT_TRUE(accept(*outbox, new_job())) << "and the store goes on";
}

TEST_F(SqliteWriter, a_value_too_large_is_refused) {
  const auto outbox = open();
  NewJob job = new_job();
  job.mail.mime.assign(129 * 1024 * 1024, 'x');
  const auto refused = accept(*outbox, job);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::rejected_data);
  EXPECT_TRUE(accept(*outbox, new_job()));
}

TEST_F(SqliteWriter, a_read_that_takes_too_long_is_ended) {
  static const sql::Text kEndless{
      "endless", "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"};
  sqlite::ReadGate gate;
  std::vector<std::unique_ptr<sqlite::Database>> connections;
  connections.push_back(connect());
  sqlite::Readers readers(std::move(connections), clock_, gate);
  const auto ended =
      readers.read([](sqlite::Reading& reading) { return reading.database.run(kEndless).row(); });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::unavailable);
  const auto next =
      readers.read([](sqlite::Reading& reading) { return reading.database.run(q::find_migrations).row(); });
  EXPECT_TRUE(next && *next) << "the connection is good for the next one";
}

}  // namespace
}  // namespace eilbote::test::sqlite_writer_test
