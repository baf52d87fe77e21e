#include "support/smtp_sink.h"

#include <unistd.h>

#include <filesystem>

namespace eilbote::test {

namespace fs = std::filesystem;

SmtpSink::SmtpSink(const std::vector<std::string>& options) {
  std::vector<std::string> command{path_of({"postfix", "usr/sbin/smtp-sink"}), "-4", "-d",
                                   folder_ / "mails/mail."};
  fs::create_directory(folder_ / "mails");
  if (::geteuid() == 0) {
    // It does not work for root, only for somebody root names.
    command.insert(command.end(), {"-u", "nobody"});
    fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::others_exec);
    fs::permissions(folder_ / "mails", fs::perms::all);
  }
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"127.0.0.1:" + std::to_string(port_), "100"});
  // Having changed its user it would outlive a test that is killed.
  if (missing_root().empty()) command = in_own_namespace({}, command);
  process_ =
      std::make_unique<ChildProcess>(ChildOptions{command, server_environment(), folder_ / "log", "/"});
  wait_for_port(*process_, port_, folder_ / "log");
}

std::vector<std::string> SmtpSink::files() const {
  return files_in(folder_ / "mails");
}

}  // namespace eilbote::test
