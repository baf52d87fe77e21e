#include "store/postgres/sql_error.h"

#include <algorithm>
#include <array>

namespace eilbote::postgres {

ErrorKind error_kind(std::string_view sqlstate, bool at_commit) {
  const std::string_view two = sqlstate.substr(0, 2);
  if (two == "22" || two == "23") return ErrorKind::rejected_data;
  // 08 connection, 57P shutdown, 25P03 idle in a transaction for too long (this process was frozen): farewell.
  if (two == "08" || sqlstate.starts_with("57P") || sqlstate == "25P03")
    return at_commit ? ErrorKind::ambiguous : ErrorKind::unavailable;
  // 53 resources (disk, memory, connections), 57014 cancelled, 55P03 lock timeout, 25006 read-only: a
  // standby.
  static constexpr std::array<std::string_view, 3> kAway{"57014", "55P03", "25006"};
  if (two == "53" || std::ranges::find(kAway, sqlstate) != kAway.end()) return ErrorKind::unavailable;
  if (lost_a_race(sqlstate)) return ErrorKind::unavailable;
  return ErrorKind::internal;
}

bool lost_a_race(std::string_view sqlstate) {
  return sqlstate == "40001" || sqlstate == "40P01";
}

bool names_are_lost(std::string_view sqlstate) {
  return sqlstate == "26000" || sqlstate == "42P05";
}

std::string lost_link(bool silent, const std::string& said) {
  return "the connection was lost: " + (silent          ? "no answer in 30 s"
                                        : !said.empty() ? said
                                                        : "the server ended it");
}

}  // namespace eilbote::postgres
