#include "simulation/children.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "base/log.h"
#include "metrics/metrics.h"
#include "simulation/history_run.h"

namespace eilbote::sim {
namespace {

// A history takes less than a millisecond; one that takes so many seconds goes round in circles.
constexpr unsigned kSecondsMax = 20;
constexpr int kFailed = 3;

// What the processes tell each other by; all of it atomics and plain bytes.
struct Board {
  std::atomic<bool> is_over{false};
  std::array<char, 256> rule{};
  struct Worker {
    std::atomic<std::uint64_t> seed{0}, histories{0}, jobs{0};
  };
  std::array<Worker, 64> workers;
};

class MappedBoard {
 public:
  MappedBoard() {
    void* page = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::runtime_error("no memory");
    board_ = new (page) Board;
  }
  ~MappedBoard() { munmap(board_, sizeof(Board)); }
  MappedBoard(const MappedBoard&) = delete;
  MappedBoard& operator=(const MappedBoard&) = delete;
  Board* operator->() const { return board_; }

 private:
  Board* board_;
};

void be_quiet() {
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDERR_FILENO);
}

pid_t run_in_child(const std::function<int()>& body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child > 0) return child;
  log::configure(log::Format::text, log::Level::error);
  _exit(body());
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int work_through(const Range& range, std::size_t worker, std::size_t workers, MappedBoard& board) {
  be_quiet();
  Metrics metrics;
  Board::Worker& mine = board->workers[worker];
  for (std::uint64_t n = worker; n < range.count && !board->is_over; n += workers) {
    mine.seed = range.from + n;
    alarm(kSecondsMax);
    const Outcome outcome = run_plan(draw_plan(range.from + n), metrics);
    mine.jobs += static_cast<std::uint64_t>(outcome.jobs);
    ++mine.histories;
    if (outcome.violation) return kFailed;
  }
  return 0;
}

std::string ending_of(int status, const Board& board) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "it goes round in circles";
  if (WIFSIGNALED(status)) return fmt::format("the program stops: {}", strsignal(WTERMSIG(status)));
  return WEXITSTATUS(status) == 0 ? "" : std::string(board.rule.data());
}

}  // namespace

Searched search(const Range& range, int processes) {
  MappedBoard board;
  const auto workers = static_cast<std::size_t>(processes);
  std::vector<pid_t> children;
  for (std::size_t worker = 0; worker < workers; ++worker)
    children.push_back(run_in_child([&] { return work_through(range, worker, workers, board); }));
  Searched searched;
  for (std::size_t ended = 0; ended < workers; ++ended) {
    int status = 0;
    const pid_t child = waitpid(-1, &status, 0);
    for (std::size_t worker = 0; worker < workers; ++worker) {
      if (children[worker] != child || status == 0) continue;
      board->is_over = true;
      const std::uint64_t seed = board->workers[worker].seed;
      if (!searched.failed || seed < *searched.failed) searched.failed = seed;
    }
  }
  for (const Board::Worker& worker : board->workers) {
    searched.histories += worker.histories;
    searched.jobs += worker.jobs;
  }
  return searched;
}

std::string fault_of(const Plan& plan) {
  MappedBoard board;
  const pid_t child = run_in_child([&] {
    be_quiet();
    alarm(kSecondsMax);
    Metrics metrics;
    const Outcome outcome = run_plan(plan, metrics);
    if (!outcome.violation) return 0;
    outcome.violation->rule.copy(board->rule.data(), board->rule.size() - 1);
    return kFailed;
  });
  const int status = wait_for(child);
  return ending_of(status, *board.operator->());
}

void print_history(const Plan& plan) {
  fmt::print("{} instance{}{}{}\n", plan.setup.instances, plan.setup.instances == 1 ? "" : "s",
             plan.setup.triggered ? ", mails go out when they are ordered" : "",
             plan.setup.settles_orphans ? ", mails of dead instances are uncertain" : "");
  const pid_t child = run_in_child([&] {
    alarm(kSecondsMax);
    Metrics metrics;
    const Outcome outcome = run_plan(plan, metrics, [](const std::string& line) {
      fmt::print("{}\n", line);
      std::fflush(stdout);
    });
    if (outcome.violation) fmt::print("BROKEN: {}: {}\n", outcome.violation->rule, outcome.violation->what);
    std::fflush(stdout);
    return 0;
  });
  MappedBoard nothing;
  if (const std::string end = ending_of(wait_for(child), *nothing.operator->()); !end.empty())
    fmt::print("BROKEN: {}\n", end);
}

}  // namespace eilbote::sim
