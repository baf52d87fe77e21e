// A thin wrapper around one sqlite3 connection and its prepared statements. A connection belongs to one
// thread at a time. Used by everything in store/sqlite; nothing outside sees sqlite3.
//
// Errors stick: the first one is kept, and from then on every statement of the connection does nothing and
// answers no rows, so that a piece of work reads as a plain sequence. Whoever began the transaction asks
// failed() at its end, takes the error and rolls back.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "base/time.h"
#include "sql/sqlite.h"
#include "store/sqlite/given_rows.h"

namespace eilbote::sqlite {

class Database;

// One execution of a prepared statement; the statement is ready for the next one when this goes out of scope.
// Texts are not copied: what is bound must outlive it.
class Run {
 public:
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Binds all parameters in their order. Text that is not UTF-8, or holds a NUL, fails with rejected_data:
  // SQLite would take it, PostgreSQL would not, and readers should not meet it.
  template <class... Values>
  Run& with(const Values&... values) {
    (bind(values), ...);
    return *this;
  }

  // Steps to the next row; false at the end and after an error.
  bool row();
  // Runs to the end; answers how many rows were changed.
  int done();

  bool is_null(int column) const;
  // The names are postgres::Row's, so that one reader does for both stores (store/row_readers.h).
  std::int64_t int8(int column) const;
  std::int32_t int4(int column) const { return static_cast<std::int32_t>(int8(column)); }
  bool boolean(int column) const { return int8(column) != 0; }
  // Valid until the next step; empty for NULL.
  std::string_view text(int column) const;
  std::string_view jsonb(int column) const { return text(column); }
  TimePoint time(int column) const { return TimePoint{Duration{int8(column)}}; }
  std::optional<TimePoint> time_or_none(int column) const;

 private:
  friend class Database;
  Run(Database& database, sqlite3_stmt* statement, std::string_view name)
      : database_(database), statement_(statement), name_(name) {}

  void bind(const Cell& cell);
  void bind(const GivenRows& rows);
  template <class Value>
  void bind(const Value& value) {
    bind(cell_of(value));
  }
  bool is_storable(const Cell& cell);
  void check(int code);

  Database& database_;
  sqlite3_stmt* statement_;  // null when the database has failed: everything does nothing
  std::string_view name_;
  int parameter_ = 0;
};

class Database {
 public:
  // Opens an existing file (the store makes it, so that its mode is right).
  static Result<std::unique_ptr<Database>> open(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Prepares the text once and keeps it.
  Run run(const sql::Text& text);
  // A text of several statements without parameters: settings, migrations.
  void script(const sql::Text& text);

  bool failed() const { return error_.has_value(); }
  // The sqlite3 code (extended) behind the error; SQLITE_OK when there is none.
  int failure_code() const { return failure_code_; }
  // Answers the error and forgets it.
  Error take_error();
  // Sets the error unless there is one.
  void fail_with(Error error, int code = SQLITE_ERROR);

  bool in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }
  sqlite3* handle() { return handle_; }

 private:
  friend class Run;
  explicit Database(sqlite3* handle) : handle_(handle) {}
  void fail_with_code(int code, std::string_view doing);

  sqlite3* handle_;
  std::unordered_map<const sql::Text*, sqlite3_stmt*> statements_;
  std::optional<Error> error_;
  int failure_code_ = SQLITE_OK;
};

// What an sqlite3 code means to callers of the outbox.
ErrorKind kind_of(int code);

}  // namespace eilbote::sqlite
