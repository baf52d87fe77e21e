#include "store/schema_version.h"

#include <fmt/format.h>

namespace eilbote {

Error newer_schema(std::string_view found, std::string_view known) {
  return {ErrorKind::invalid,
          fmt::format("the database's schema ({}) is newer than this program ({}): use a newer eilbote",
                      found, known)};
}

Result<void> judge_version(std::string_view found, std::string_view known) {
  if (found == known) return {};
  if (found > known) return fail(newer_schema(found, known));
  return fail(ErrorKind::invalid,
              fmt::format("the database's schema ({}) is older than this program ({}): run `eilbote migrate`",
                          found.empty() ? "none" : found, known));
}

}  // namespace eilbote
