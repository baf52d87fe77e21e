#include "store/sqlite/given_rows.h"

#include <string>

#include "sql/sqlite.h"

namespace eilbote::sqlite {
namespace {

// The name under which the pointer travels; SQLite hands it to nobody who does not know it.
constexpr const char* kPointerType = "eilbote-given-rows";

struct Cursor {
  sqlite3_vtab_cursor base;  // must be first: SQLite sees this part only
  const GivenRows* rows;
  std::size_t row;
};

Cursor* mine(sqlite3_vtab_cursor* cursor) {
  return reinterpret_cast<Cursor*>(cursor);
}

int connect(sqlite3* connection, void*, int, const char* const*, sqlite3_vtab** table, char**) {
  static const std::string declaration(sql::sqlite::given_table.text);
  const int code = sqlite3_declare_vtab(connection, declaration.c_str());
  if (code != SQLITE_OK) return code;
  *table = new sqlite3_vtab{};
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete table;
  return SQLITE_OK;
}

// There is one plan: the hidden column (the argument) is given, and all rows are read in their order.
int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn != GivenRows::kColumnsMax || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!constraint.usable) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->estimatedCost = 1;
    info->estimatedRows = 10;
    return SQLITE_OK;
  }
  return SQLITE_CONSTRAINT;
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  *cursor = &(new Cursor{})->base;
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete mine(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int, const char*, int count, sqlite3_value** arguments) {
  mine(cursor)->rows =
      count == 1 ? static_cast<const GivenRows*>(sqlite3_value_pointer(arguments[0], kPointerType)) : nullptr;
  mine(cursor)->row = 0;
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
  ++mine(cursor)->row;
  return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* cursor) {
  const Cursor* self = mine(cursor);
  return self->rows == nullptr || self->row >= self->rows->rows();
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index) {
  const Cursor* self = mine(cursor);
  const Cell cell = self->rows->at(self->row, index);
  const char* data = cell.bytes.empty() ? "" : cell.bytes.data();
  switch (cell.kind) {
    case Cell::Kind::null:
      break;
    case Cell::Kind::integer:
      sqlite3_result_int64(context, cell.integer);
      break;
    case Cell::Kind::text:
      sqlite3_result_text64(context, data, cell.bytes.size(), SQLITE_STATIC, SQLITE_UTF8);
      break;
    case Cell::Kind::blob:
      sqlite3_result_blob64(context, data, cell.bytes.size(), SQLITE_STATIC);
      break;
  }
  return SQLITE_OK;
}

int row_number(sqlite3_vtab_cursor* cursor, sqlite3_int64* number) {
  *number = static_cast<sqlite3_int64>(mine(cursor)->row);
  return SQLITE_OK;
}

// No xCreate: the table exists by itself, as a function does.
sqlite3_module make_module() {
  sqlite3_module module{};
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = at_end;
  module.xColumn = column;
  module.xRowid = row_number;
  return module;
}
const sqlite3_module kModule = make_module();

}  // namespace

int register_given_rows(sqlite3* connection) {
  return sqlite3_create_module(connection, "given", &kModule, nullptr);
}

int bind_given_rows(sqlite3_stmt* statement, int parameter, const GivenRows& rows) {
  return sqlite3_bind_pointer(statement, parameter, const_cast<GivenRows*>(&rows), kPointerType, nullptr);
}

}  // namespace eilbote::sqlite
