// The checks of `eilbote doctor`: a list of names and functions, an area per file (doctor_machine, doctor_services,
// doctor_certificates). They run side by side, each with a deadline, so that a dependency that hangs is a finding and not a
// hanging doctor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/loader.h"
#include "domain/finding.h"

namespace eilbote {

// A check may outlive the call that gave it up, so it owns what it looks at.
struct Check {
  std::string name;
  std::string when_late;  // what to do when it has not come back in time
  std::function<std::vector<Finding>()> run;
};
using Checks = std::vector<Check>;
using SharedConfig = std::shared_ptr<const LoadedConfig>;

inline constexpr Duration kCheckPatience = std::chrono::seconds{5};
// Of a single step within a check: short enough that the check itself can say what it waited for.
inline constexpr Duration kStepPatience = std::chrono::seconds{4};

void add_machine_checks(Checks& checks, const SharedConfig& loaded);      // data folder, disk
void add_certificate_checks(Checks& checks, const SharedConfig& loaded);  // files of TLS
void add_service_checks(Checks& checks, const SharedConfig& loaded);  // secrets, broker, mail route, issuer

// The findings in the order of the checks. One that is late is given up, and its thread left behind.
std::vector<Finding> run_checks(const Checks& checks, Duration patience);
// Whether one was: its thread may still run, so nothing it could use may be torn down (see main).
bool has_late_checks();

// All of them, for a configuration without faults.
std::vector<Finding> examine(const LoadedConfig& loaded);

}  // namespace eilbote
