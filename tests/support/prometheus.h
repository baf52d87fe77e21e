// A real Prometheus with the alert rules of deploy/prometheus: it scrapes the servers of a test every second and says which
// alerts' conditions hold. And promtool, which comes with it. Debian's package, unpacked into build/servers by `./dev test`.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/temp_folder.h"

namespace eilbote::test {

class Prometheus {
 public:
  // Why there is none here, in words; empty when there is.
  static std::string missing();

  // `targets`: "127.0.0.1:PORT" each. Returns when all of them were scraped. Throws when that does not happen.
  Prometheus(const TempFolder& folder, const std::vector<std::string>& targets);

  // The alerts whose condition holds now; how long it must hold before somebody is woken is not waited for.
  std::set<std::string> alerts() const;
  // Waits until that one is among them.
  bool raises(const std::string& alert, std::chrono::milliseconds patience = std::chrono::seconds{60}) const;

 private:
  std::string ask(const std::string& path) const;

  std::string url_, log_file_;
  std::unique_ptr<ChildProcess> process_;
};

// promtool with these arguments; `input`: a file for its standard input, or empty.
CommandResult promtool(const std::vector<std::string>& arguments, const std::string& input = "");

}  // namespace eilbote::test
