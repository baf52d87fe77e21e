#include "support/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "support/private_texts.h"
#include "support/program.h"
#include "support/temp_folder.h"

extern char** environ;

namespace eilbote::test {
namespace {

using Steady = std::chrono::steady_clock;

int millis_until(Steady::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now()).count();
  return left < 0 ? 0 : static_cast<int>(left);
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    // Settings of the machine the tests run on must not reach the program under test.
    if (text.starts_with("EILBOTE_") || text.starts_with("DISPATCH_")) continue;
    all[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : added)
    all[name] = value;
  std::vector<std::string> merged;
  for (const auto& [name, value] : all)
    merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts)
    list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// A secret is shown by the command that makes it, and by no other; what keeps a server from starting is like its log.
void search(const std::vector<std::string>& command, const CommandResult& result) {
  PrivateTexts& texts = PrivateTexts::of_this_test();
  texts.expect_none(texts.search_secrets(result.out + result.err), "what a command says");
  texts.note_shown_secrets(result.out);
  if (command.size() > 1 && command[1] == "serve") texts.expect_none(texts.search(result.err), "the log");
}

}  // namespace

ChildProcess::ChildProcess(const ChildOptions& options) {
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  std::vector<std::string> command = options.command;
  std::vector<std::string> environment = merged_environment(options.environment);
  const auto argv = pointers(command), envp = pointers(environment);
  const int err = options.stderr_file.empty()
                      ? -1
                      : ::open(options.stderr_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(pipe_ends[1], 1);
    if (err >= 0) ::dup2(err, 2);
    if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) _exit(126);
    ::execvpe(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  ::close(pipe_ends[1]);
  if (err >= 0) ::close(err);
  out_ = pipe_ends[0];
  pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
}

ChildProcess::~ChildProcess() {
  if (running()) {
    signal(SIGKILL);
    wait(std::chrono::seconds{10});
  }
  ::close(out_);
  ::close(pidfd_);
}

bool ChildProcess::fill(Steady::time_point until) {
  pollfd waiting{out_, POLLIN, 0};
  if (::poll(&waiting, 1, millis_until(until)) <= 0) return false;
  char bytes[4096];
  const ssize_t n = ::read(out_, bytes, sizeof bytes);
  if (n <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(n));
  return true;
}

std::optional<std::string> ChildProcess::read_line(std::chrono::milliseconds patience) {
  const auto until = Steady::now() + patience;
  while (true) {
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (!fill(until)) return std::nullopt;
  }
}

std::string ChildProcess::read_all(std::chrono::milliseconds patience) {
  const auto until = Steady::now() + patience;
  while (fill(until)) {
  }
  return std::exchange(buffer_, {});
}

void ChildProcess::signal(int number) const {
  if (!exit_code_) ::kill(pid_, number);
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds patience) {
  if (exit_code_) return exit_code_;
  pollfd waiting{pidfd_, POLLIN, 0};
  if (::poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) return std::nullopt;
  int status = 0;
  ::waitpid(pid_, &status, 0);
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return exit_code_;
}

bool ChildProcess::running() {
  return !wait(std::chrono::milliseconds{0});
}

CommandResult run_command(const std::vector<std::string>& command,
                          const std::map<std::string, std::string>& environment,
                          std::chrono::milliseconds patience) {
  const TempFolder folder;
  const std::string err_file = folder / "stderr";
  const bool is_ours = command.front() == program_under_test();
  if (is_ours) PrivateTexts::of_this_test().note_command(command, environment);
  CommandResult result;
  {
    ChildProcess child({command, environment, err_file, ""});
    result.out = child.read_all(patience);
    result.exit_code = child.wait(patience).value_or(-1);
  }
  std::ostringstream err;
  err << std::ifstream(err_file).rdbuf();
  result.err = err.str();
  if (is_ours) search(command, result);
  return result;
}

}  // namespace eilbote::test
