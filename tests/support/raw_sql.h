// A database link of the test's own, beside the store's: plants rows, moves time, and looks at what was
// really written. Any refused statement throws std::runtime_error with the database's message, which fails
// the test.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace eilbote::test {

// NULL reads as "NULL".
using SqlRow = std::vector<std::string>;

class RawSql {
 public:
  virtual ~RawSql() = default;
  virtual std::vector<SqlRow> rows(const std::string& sql) = 0;
  // Runs one or more statements; the number of rows the last one changed.
  virtual int run(const std::string& sql) = 0;
};

std::unique_ptr<RawSql> open_raw_postgres(const std::string& url);
std::unique_ptr<RawSql> open_raw_sqlite(const std::string& path);

}  // namespace eilbote::test
