// Rows in memory as a table: `FROM given(?1)` in a statement reads a GivenRows bound to ?1. So one statement
// writes a whole batch, as unnest() does on PostgreSQL; running it once per row would open a dozen index
// cursors for each.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/strong_type.h"
#include "base/time.h"

namespace eilbote::sqlite {

// Bytes that are not text.
struct Blob {
  std::string_view bytes;
};

// A value on its way into a statement. Texts are not copied.
struct Cell {
  enum class Kind { null, integer, text, blob };
  Kind kind = Kind::null;
  std::int64_t integer = 0;
  std::string_view bytes;
};

inline Cell cell_of(std::int64_t value) {
  return {Cell::Kind::integer, value, {}};
}
inline Cell cell_of(int value) {
  return cell_of(static_cast<std::int64_t>(value));
}
inline Cell cell_of(bool value) {
  return cell_of(static_cast<std::int64_t>(value));
}
inline Cell cell_of(TimePoint at) {
  return cell_of(static_cast<std::int64_t>(at.time_since_epoch().count()));
}
inline Cell cell_of(std::string_view text) {
  return {Cell::Kind::text, 0, text};
}
inline Cell cell_of(const std::string& text) {
  return cell_of(std::string_view{text});
}
inline Cell cell_of(const char* text) {
  return cell_of(std::string_view{text});
}
inline Cell cell_of(Blob blob) {
  return {Cell::Kind::blob, 0, blob.bytes};
}
inline Cell cell_of(std::nullopt_t) {
  return {};
}
template <class Tag, class T>
Cell cell_of(const StrongType<Tag, T>& value) {
  return cell_of(value.value());
}
template <class T>
Cell cell_of(const std::optional<T>& value) {
  return value ? cell_of(*value) : Cell{};
}

// Columns are called c1, c2, ... in the statement. What the cells view must outlive the statement's run.
class GivenRows {
 public:
  static constexpr int kColumnsMax = 19;

  template <class... Values>
  void add(const Values&... values) {
    static_assert(sizeof...(Values) <= kColumnsMax);
    columns_ = sizeof...(Values);
    (cells_.push_back(cell_of(values)), ...);
    ++rows_;
  }
  bool empty() const { return rows_ == 0; }
  std::size_t rows() const { return rows_; }
  Cell at(std::size_t row, int column) const {
    return static_cast<std::size_t>(column) < columns_
               ? cells_[row * columns_ + static_cast<std::size_t>(column)]
               : Cell{};
  }
  const std::vector<Cell>& cells() const { return cells_; }

 private:
  std::size_t columns_ = 0;
  std::size_t rows_ = 0;
  std::vector<Cell> cells_;
};

// Makes given() known to a connection; answers an sqlite3 code.
int register_given_rows(sqlite3* connection);
// Binds rows to a parameter; answers an sqlite3 code.
int bind_given_rows(sqlite3_stmt* statement, int parameter, const GivenRows& rows);

}  // namespace eilbote::sqlite
