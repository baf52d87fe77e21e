#include "cli/import_rows.h"

#include <fmt/format.h>

#include <boost/json.hpp>

namespace eilbote::cli {
namespace {

// No row of a mail is longer than a request may be.
constexpr std::size_t kRowBytesMax = 64UL * 1024 * 1024;
// Of three bytes; it stands in front of what Windows programs write. Neither a brace nor a column we look for begins so.
constexpr int kByteOrderMarkBegin = 0xEF;

}  // namespace

ImportRows::ImportRows(std::istream& in, char delimiter) : in_(in), delimiter_(delimiter) {
  if (in_.peek() == kByteOrderMarkBegin) in_.ignore(3);
  while (in_.peek() == '\n' || in_.peek() == '\r' || in_.peek() == ' ') {
    if (in_.peek() == '\n') ++lines_read_;
    in_.get();
  }
  is_json_ = in_.peek() == '{';
  if (!is_json_) read_record(columns_);
}

std::optional<Result<ImportRow>> ImportRows::next() {
  return is_json_ ? next_json() : next_csv();
}

bool ImportRows::read_line(std::string& line) {
  line.clear();
  if (!std::getline(in_, line)) return false;
  ++lines_read_;
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

std::optional<Result<ImportRow>> ImportRows::next_json() {
  std::string line;
  do
    if (!read_line(line)) return std::nullopt;
  while (line.empty());
  row_line_ = lines_read_;
  if (line.size() > kRowBytesMax) return fail(ErrorKind::invalid, "the row is longer than 64 MiB");
  boost::system::error_code error;
  auto value = boost::json::parse(line, error);
  if (error || !value.is_object())
    return fail(ErrorKind::invalid,
                "must be a JSON object on one line" + (error ? ": " + error.message() : std::string()));
  return ImportRow{row_line_, std::move(value.get_object())};
}

std::optional<Result<ImportRow>> ImportRows::next_csv() {
  std::vector<std::string> cells;
  do
    if (!read_record(cells)) return std::nullopt;
  while (cells.size() == 1 && cells[0].empty());
  if (cells.size() != columns_.size())
    return fail(ErrorKind::invalid, fmt::format("has {} cells, the heading has {}; is the delimiter right?",
                                                cells.size(), columns_.size()));
  ImportRow row{row_line_, {}};
  for (std::size_t i = 0; i < cells.size(); ++i)
    row.cells[columns_[i]] = cells[i].empty() ? boost::json::value() : boost::json::value(cells[i]);
  return row;
}

// Quotes may hold delimiters, line breaks, and quotes that are doubled.
bool ImportRows::read_record(std::vector<std::string>& cells) {
  cells.clear();
  std::string line;
  if (!read_line(line)) return false;
  row_line_ = lines_read_;
  cells.emplace_back();
  bool is_quoted = false;
  for (std::size_t i = 0, size = 0;; ++i) {
    if (i == line.size()) {
      size += line.size();
      if (!is_quoted || size > kRowBytesMax || !read_line(line)) return true;
      cells.back() += '\n';
      i = static_cast<std::size_t>(-1);
      continue;
    }
    const char c = line[i];
    if (is_quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"')
      is_quoted = !is_quoted;
    else if (c == delimiter_ && !is_quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
}

}  // namespace eilbote::cli
