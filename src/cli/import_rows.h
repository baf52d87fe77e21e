// Reads rows of a table that was written to a file: JSON lines, or CSV with a heading (RFC 4180). Used by `eilbote import`.
#pragma once

#include <boost/json/object.hpp>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace eilbote::cli {

struct ImportRow {
  int line = 0;               // where it begins, from 1
  boost::json::object cells;  // by column; of CSV all are texts, and empty ones are null
};

class ImportRows {
 public:
  // JSON lines when the first character is a brace, else CSV. `delimiter`: between the cells of CSV.
  ImportRows(std::istream& in, char delimiter);

  // The next row; nothing at the end. An error is about one row, and the next call goes on behind it.
  std::optional<Result<ImportRow>> next();
  // Of the row that was read last.
  int line() const { return row_line_; }

 private:
  std::optional<Result<ImportRow>> next_json();
  std::optional<Result<ImportRow>> next_csv();
  // False at the end.
  bool read_line(std::string& line);
  bool read_record(std::vector<std::string>& cells);

  std::istream& in_;
  const char delimiter_;
  bool is_json_ = false;
  std::vector<std::string> columns_;
  int lines_read_ = 0;
  int row_line_ = 0;
};

}  // namespace eilbote::cli
