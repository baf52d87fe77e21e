// The database of a chaos run: a SQLite file, or a PostgreSQL server and, where asked for, a second one that follows it
// synchronously and takes its place.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "support/history.h"
#include "support/postgres_server.h"
#include "support/raw_sql.h"

namespace eilbote::chaos {

class Database {
 public:
  virtual ~Database() = default;

  // A link of the chaos run's own. Throws when the database is away.
  virtual std::unique_ptr<test::RawSql> open() const = 0;
  virtual test::HistoryStore dialect() const = 0;

  // Of PostgreSQL only; others do nothing.
  virtual std::uint16_t port() const { return 0; }
  // With {} where the port belongs.
  virtual std::string url_pattern() const { return ""; }
  virtual void restart(bool fast) { (void)fast; }
  // Starts it when it has ended by itself.
  virtual void revive() {}
  // Ends one backend, chosen by `draw`; false: there was none.
  virtual bool end_backend(std::uint64_t draw) {
    (void)draw;
    return false;
  }
  virtual bool has_standby() const { return false; }
  // The server is killed, the one that follows it goes on in its place, at another port.
  virtual void fail_over() {}
  // Makes the next one that follows.
  virtual void make_standby() {}
};

std::unique_ptr<Database> open_sqlite(const std::string& file);
std::unique_ptr<Database> open_postgres(bool with_standby);

}  // namespace eilbote::chaos
