#include "store/sqlite/database.h"

#include "base/utf8.h"
#include "store/sqlite/joined_writes.h"

namespace eilbote::sqlite {
namespace {

// No row comes near it (a request has at most 32 MiB); what does is refused instead of being copied around.
constexpr int kValueBytesMax = 128 * 1024 * 1024;

}  // namespace

ErrorKind kind_of(int code) {
  switch (code & 0xFF) {
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
      return ErrorKind::rejected_data;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_NOMEM:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PROTOCOL:
    case SQLITE_INTERRUPT:
      return ErrorKind::unavailable;
    default:
      return ErrorKind::internal;
  }
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, joined_writes());
  std::unique_ptr<Database> database(new Database(handle));
  if (code != SQLITE_OK) {
    database->fail_with_code(code, "open " + path);
    return fail(database->take_error());
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kValueBytesMax);
  if (const int given = register_given_rows(handle); given != SQLITE_OK) {
    database->fail_with_code(given, "open " + path);
    return fail(database->take_error());
  }
  return database;
}

Database::~Database() {
  for (const auto& entry : statements_)
    sqlite3_finalize(entry.second);
  sqlite3_close(handle_);
}

Run Database::run(const sql::Text& text) {
  if (failed()) return Run(*this, nullptr, text.name);
  sqlite3_stmt*& statement = statements_[&text];
  if (statement == nullptr) {
    const int code = sqlite3_prepare_v3(handle_, text.text.data(), static_cast<int>(text.text.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) fail_with_code(code, text.name);
  }
  return Run(*this, failed() ? nullptr : statement, text.name);
}

void Database::script(const sql::Text& text) {
  if (failed()) return;
  const int code = sqlite3_exec(handle_, std::string(text.text).c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail_with_code(code, text.name);
}

Error Database::take_error() {
  Error error = error_ ? *error_ : Error{ErrorKind::internal, "no error"};
  error_.reset();
  failure_code_ = SQLITE_OK;
  return error;
}

void Database::fail_with(Error error, int code) {
  if (error_) return;
  error_ = std::move(error);
  failure_code_ = code;
}

// SQLite's messages name tables, columns and files, never values.
void Database::fail_with_code(int code, std::string_view doing) {
  const std::string message = (code & 0xFF) == SQLITE_INTERRUPT ? "took too long"
                              : handle_ != nullptr              ? sqlite3_errmsg(handle_)
                                                                : sqlite3_errstr(code);
  fail_with(Error{kind_of(code), "sqlite: " + std::string(doing) + ": " + message}, code);
}

Run::~Run() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Run::check(int code) {
  if (code == SQLITE_OK) return;
  database_.fail_with_code(code, name_);
}

bool Run::is_storable(const Cell& cell) {
  if (cell.kind != Cell::Kind::text) return true;
  if (cell.bytes.find('\0') == std::string_view::npos && is_utf8(cell.bytes)) return true;
  database_.fail_with(Error{ErrorKind::rejected_data,
                            "sqlite: " + std::string(name_) + ": a text is not UTF-8 or holds U+0000"},
                      SQLITE_MISMATCH);
  return false;
}

void Run::bind(const Cell& cell) {
  if (statement_ == nullptr || !is_storable(cell)) return;
  const int parameter = ++parameter_;
  // An empty view may have no data pointer, which would bind NULL.
  const char* data = cell.bytes.empty() ? "" : cell.bytes.data();
  switch (cell.kind) {
    case Cell::Kind::null:
      return check(sqlite3_bind_null(statement_, parameter));
    case Cell::Kind::integer:
      return check(sqlite3_bind_int64(statement_, parameter, cell.integer));
    case Cell::Kind::text:
      return check(
          sqlite3_bind_text64(statement_, parameter, data, cell.bytes.size(), SQLITE_STATIC, SQLITE_UTF8));
    case Cell::Kind::blob:
      return check(sqlite3_bind_blob64(statement_, parameter, data, cell.bytes.size(), SQLITE_STATIC));
  }
}

void Run::bind(const GivenRows& rows) {
  if (statement_ == nullptr) return;
  for (const Cell& cell : rows.cells())
    if (!is_storable(cell)) return;
  check(bind_given_rows(statement_, ++parameter_, rows));
}

bool Run::row() {
  if (statement_ == nullptr || database_.failed()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail_with_code(code, name_);
  return false;
}

int Run::done() {
  while (row()) {
  }
  return database_.failed() ? 0 : sqlite3_changes(database_.handle());
}

bool Run::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Run::int8(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string_view Run::text(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::optional<TimePoint> Run::time_or_none(int column) const {
  if (is_null(column)) return std::nullopt;
  return time(column);
}

}  // namespace eilbote::sqlite
