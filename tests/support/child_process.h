// A child process with its standard output readable line by line and its standard error in a file. Killed
// with this object.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace eilbote::test {

struct ChildOptions {
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;  // added to this process's own
  std::string stderr_file;                         // empty: this process's
  std::string folder;                              // working folder; empty: this process's
};

class ChildProcess {
 public:
  explicit ChildProcess(const ChildOptions& options);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // The next line of standard output; nullopt at its end or after `patience`.
  std::optional<std::string> read_line(std::chrono::milliseconds patience);
  // Everything until the end of standard output.
  std::string read_all(std::chrono::milliseconds patience);
  void signal(int number) const;
  // Waits for its end: the exit code, 128 + signal when it was killed; nullopt when it is still running.
  std::optional<int> wait(std::chrono::milliseconds patience);
  bool running();

 private:
  bool fill(std::chrono::steady_clock::time_point until);

  pid_t pid_ = -1;
  int pidfd_ = -1;
  int out_ = -1;
  std::string buffer_;
  std::optional<int> exit_code_;
};

struct CommandResult {
  int exit_code = -1;
  std::string out;
  std::string err;
};
// Runs a command to its end.
CommandResult run_command(const std::vector<std::string>& command,
                          const std::map<std::string, std::string>& environment = {},
                          std::chrono::milliseconds patience = std::chrono::seconds{60});

}  // namespace eilbote::test
