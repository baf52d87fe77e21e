// One thing that `eilbote doctor` looked at: how it is, what was seen, and what to do about it. Made by those who look
// (store/examine, app/doctor_*), printed by the command line. Never holds a secret.
#pragma once

#include <string>
#include <utility>

#include "base/enum_names.h"

namespace eilbote {

enum class Severity { ok, warning, error };
inline constexpr auto kSeverityNames =
    enum_names<Severity>({{Severity::ok, "ok"}, {Severity::warning, "warning"}, {Severity::error, "error"}});
static_assert(kSeverityNames.complete());

struct Finding {
  Severity severity = Severity::ok;
  std::string what;    // "database schema"
  std::string seen;    // "008_broker, as this program wants it"
  std::string advice;  // empty when all is well

  static Finding ok(std::string what, std::string seen) {
    return {Severity::ok, std::move(what), std::move(seen), ""};
  }
  static Finding warning(std::string what, std::string seen, std::string advice) {
    return {Severity::warning, std::move(what), std::move(seen), std::move(advice)};
  }
  static Finding error(std::string what, std::string seen, std::string advice) {
    return {Severity::error, std::move(what), std::move(seen), std::move(advice)};
  }
};

}  // namespace eilbote
