#include "support/raw_sql.h"

#include <libpq-fe.h>
#include <sqlite3.h>

#include <stdexcept>

namespace eilbote::test {
namespace {

class PostgresSql final : public RawSql {
 public:
  explicit PostgresSql(const std::string& url) : link_(PQconnectdb(url.c_str()), &PQfinish) {
    if (PQstatus(link_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(link_.get()));
  }

  std::vector<SqlRow> rows(const std::string& sql) override {
    const Answer answer = ask(sql);
    std::vector<SqlRow> all(static_cast<std::size_t>(PQntuples(answer.get())));
    for (int r = 0; r < PQntuples(answer.get()); ++r)
      for (int c = 0; c < PQnfields(answer.get()); ++c)
        all[static_cast<std::size_t>(r)].emplace_back(
            PQgetisnull(answer.get(), r, c) ? "NULL" : PQgetvalue(answer.get(), r, c));
    return all;
  }

  int run(const std::string& sql) override {
    const Answer answer = ask(sql);
    const std::string changed = PQcmdTuples(answer.get());
    return changed.empty() ? 0 : std::stoi(changed);
  }

 private:
  using Answer = std::unique_ptr<PGresult, decltype(&PQclear)>;

  Answer ask(const std::string& sql) {
    Answer answer(PQexec(link_.get(), sql.c_str()), &PQclear);
    const auto status = PQresultStatus(answer.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
      throw std::runtime_error(std::string(PQerrorMessage(link_.get())) + "in: " + sql);
    return answer;
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> link_;
};

class SqliteSql final : public RawSql {
 public:
  explicit SqliteSql(const std::string& path) : link_(open(path), &sqlite3_close) {
    sqlite3_busy_timeout(link_.get(), 10'000);
  }

  std::vector<SqlRow> rows(const std::string& sql) override {
    std::vector<SqlRow> all;
    sqlite3_stmt* raw = nullptr;
    check(sqlite3_prepare_v2(link_.get(), sql.c_str(), -1, &raw, nullptr), sql);
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(raw, &sqlite3_finalize);
    int code = SQLITE_OK;
    while ((code = sqlite3_step(raw)) == SQLITE_ROW) {
      SqlRow& row = all.emplace_back();
      for (int c = 0; c < sqlite3_column_count(raw); ++c) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, c));
        row.emplace_back(text == nullptr ? "NULL" : text);
      }
    }
    check(code, sql);
    return all;
  }

  int run(const std::string& sql) override {
    check(sqlite3_exec(link_.get(), sql.c_str(), nullptr, nullptr, nullptr), sql);
    return sqlite3_changes(link_.get());
  }

 private:
  static sqlite3* open(const std::string& path) {
    sqlite3* link = nullptr;
    if (sqlite3_open_v2(path.c_str(), &link, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK)
      throw std::runtime_error("cannot open " + path);
    return link;
  }

  void check(int code, const std::string& sql) {
    if (code != SQLITE_OK && code != SQLITE_DONE)
      throw std::runtime_error(std::string(sqlite3_errmsg(link_.get())) + " in: " + sql);
  }

  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> link_;
};

}  // namespace

std::unique_ptr<RawSql> open_raw_postgres(const std::string& url) {
  return std::make_unique<PostgresSql>(url);
}
std::unique_ptr<RawSql> open_raw_sqlite(const std::string& path) {
  return std::make_unique<SqliteSql>(path);
}

}  // namespace eilbote::test
