#include "store/schema_version.h"

#include <fmt/format.h>

#include <algorithm>

namespace eilbote {
namespace {

bool takes_away(std::string_view migration) {
  constexpr std::size_t kDigits = 3;
  return migration.size() > kDigits && migration.substr(kDigits).starts_with("_contract_");
}

}  // namespace

Result<void> judge_version(const std::vector<std::string>& applied, std::string_view known) {
  const std::string_view found = applied.empty() ? std::string_view() : std::string_view(applied.back());
  if (found < known)
    return fail(
        ErrorKind::invalid,
        fmt::format("the database's schema ({}) is older than this program ({}): run `eilbote migrate`",
                    found.empty() ? "none" : found, known));
  const auto unfit = std::ranges::find_if(
      applied, [&](const std::string& name) { return name > known && takes_away(name); });
  if (unfit == applied.end()) return {};
  return fail(ErrorKind::invalid,
              fmt::format("the database's schema ({}) is newer than this program ({}): use a newer eilbote",
                          *unfit, known));
}

}  // namespace eilbote
