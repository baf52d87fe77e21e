// The rows of an answer, read in binary form. A column is read with the type the statement gives it; a
// mismatch is a bug in the statement and stops the program.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace eilbote::postgres {

class Row;

class Rows {
 public:
  Rows() = default;
  explicit Rows(PGresult* result) : result_(result, &PQclear) {}  // null: no answer

  int size() const { return result_ ? PQntuples(result_.get()) : 0; }
  bool empty() const { return size() == 0; }
  Row operator[](int row) const;
  // PGRES_BAD_RESPONSE when there is no answer at all.
  ExecStatusType status() const { return result_ ? PQresultStatus(result_.get()) : PGRES_BAD_RESPONSE; }
  std::string sqlstate() const;  // of a failure; empty when the server did not say
  // What a failure says, without the values of a row: neither DETAIL nor CONTEXT, nor what is in quotes after a value was
  // refused.
  std::string message() const;
  // How many rows an UPDATE, INSERT or DELETE without RETURNING touched.
  int affected() const;

  class Iterator;
  Iterator begin() const;
  Iterator end() const;

 private:
  std::shared_ptr<PGresult>
      result_;  // shared: rows are handed around by value, the answer is one block of memory
};

// One row; valid as long as its Rows.
class Row {
 public:
  Row(const PGresult* result, int row) : result_(result), row_(row) {}

  bool is_null(int column) const { return PQgetisnull(result_, row_, column) != 0; }
  std::int32_t int4(int column) const;
  std::int64_t int8(int column) const;
  bool boolean(int column) const;
  // text, bytea and json; null reads as empty.
  std::string_view text(int column) const;
  std::string_view jsonb(int column) const;
  TimePoint time(int column) const;
  std::optional<TimePoint> time_or_none(int column) const;

 private:
  std::string_view raw(int column, std::size_t size) const;
  const PGresult* result_;
  int row_;
};

class Rows::Iterator {
 public:
  Iterator(const Rows* rows, int row) : rows_(rows), row_(row) {}
  Row operator*() const { return (*rows_)[row_]; }
  Iterator& operator++() {
    ++row_;
    return *this;
  }
  bool operator!=(const Iterator& other) const { return row_ != other.row_; }

 private:
  const Rows* rows_;
  int row_;
};

inline Row Rows::operator[](int row) const {
  return Row(result_.get(), row);
}
inline Rows::Iterator Rows::begin() const {
  return {this, 0};
}
inline Rows::Iterator Rows::end() const {
  return {this, size()};
}

}  // namespace eilbote::postgres
