#include "store/postgres/rows.h"

#include <cstdlib>
#include <limits>

#include "base/assert.h"
#include "store/postgres/params.h"

namespace eilbote::postgres {
namespace {

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes)
    value = (value << 8) | static_cast<unsigned char>(c);
  return value;
}

}  // namespace

int Rows::affected() const {
  if (!result_) return 0;
  return std::atoi(PQcmdTuples(result_.get()));
}

std::string Rows::sqlstate() const {
  const char* state = result_ ? PQresultErrorField(result_.get(), PG_DIAG_SQLSTATE) : nullptr;
  return state ? state : "";
}

std::string Rows::message() const {
  const char* primary = result_ ? PQresultErrorField(result_.get(), PG_DIAG_MESSAGE_PRIMARY) : nullptr;
  std::string text = primary ? primary : "";
  // 22, data exceptions: `invalid input syntax for type integer: "..."`.
  const auto first = text.find('"'), last = text.rfind('"');
  if (sqlstate().starts_with("22") && first < last) text.replace(first + 1, last - first - 1, "***");
  return text;
}

std::string_view Row::raw(int column, std::size_t size) const {
  EILBOTE_ASSERT(static_cast<std::size_t>(PQgetlength(result_, row_, column)) == size);
  return {PQgetvalue(result_, row_, column), size};
}

std::int32_t Row::int4(int column) const {
  return static_cast<std::int32_t>(big_endian(raw(column, 4)));
}

std::int64_t Row::int8(int column) const {
  return static_cast<std::int64_t>(big_endian(raw(column, 8)));
}

bool Row::boolean(int column) const {
  return raw(column, 1)[0] != 0;
}

std::string_view Row::text(int column) const {
  return {PQgetvalue(result_, row_, column), static_cast<std::size_t>(PQgetlength(result_, row_, column))};
}

std::string_view Row::jsonb(int column) const {
  std::string_view bytes = text(column);
  if (!bytes.empty()) bytes.remove_prefix(1);  // the version byte
  return bytes;
}

TimePoint Row::time(int column) const {
  const std::int64_t micros = int8(column);
  // A foreign program may write 'infinity'; it stays at the end of our clock.
  if (micros == std::numeric_limits<std::int64_t>::max()) return TimePoint::max();
  if (micros == std::numeric_limits<std::int64_t>::min()) return TimePoint::min();
  return TimePoint{Duration{micros + kPostgresEpochMicros}};
}

std::optional<TimePoint> Row::time_or_none(int column) const {
  if (is_null(column)) return std::nullopt;
  return time(column);
}

}  // namespace eilbote::postgres
