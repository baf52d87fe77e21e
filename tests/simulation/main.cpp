// The program behind ./dev simulate: runs the histories of a range of seeds, and of the first that breaks a rule prints the seed and
// what is left of it when everything is taken away that does not matter. Exit code 1: one did.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "simulation/children.h"
#include "simulation/shrink.h"

namespace eilbote::sim {
namespace {

constexpr std::uint64_t kSeedsByDefault = 300'000;

struct Wish {
  std::uint64_t from = 1, seeds = kSeedsByDefault;
  bool tells = false;  // one seed: print it, whatever becomes of it
};

std::optional<Wish> read_wish(int argc, char** argv) {
  Wish wish;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 >= argc) return std::nullopt;
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(argv[i + 1], &end, 10);
    if (*end != '\0') return std::nullopt;
    if (name == "--seeds") {
      wish.seeds = number;
    } else if (name == "--from") {
      wish.from = number;
    } else if (name == "--seed") {
      wish = {number, 1, true};
    } else {
      return std::nullopt;
    }
  }
  return wish;
}

int explain(std::uint64_t seed) {
  Plan plan = draw_plan(seed);
  const std::string fault = fault_of(plan);
  if (fault.empty()) {
    fmt::print("the seed {} failed, and does not when it is run again: the simulation is not deterministic\n",
               seed);
    return 1;
  }
  const std::size_t steps = plan.steps.size();
  plan = shrink(std::move(plan), [&](const Plan& candidate) { return fault_of(candidate) == fault; });
  fmt::print("BROKEN with the seed {}: {}\nof {} steps these {} are needed:\n", seed, fault, steps,
             plan.steps.size());
  print_history(plan);
  fmt::print("the whole of it: ./dev simulate --seed {}\n", seed);
  return 1;
}

int run(const Wish& wish) {
  if (wish.tells) {
    const Plan plan = draw_plan(wish.from);
    print_history(plan);
    return fault_of(plan).empty() ? 0 : explain(wish.from);
  }
  const auto began = std::chrono::steady_clock::now();
  const int cores = std::max(1, static_cast<int>(std::min(64U, std::thread::hardware_concurrency())));
  const Searched searched = search({wish.from, wish.seeds}, cores);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  fmt::print("{} histories with {} jobs in {:.1f} s on {} cores ({:.0f} a second)\n", searched.histories,
             searched.jobs, took, cores, static_cast<double>(searched.histories) / took);
  if (searched.failed) return explain(*searched.failed);
  fmt::print("all rules hold (seeds {} to {})\n", wish.from, wish.from + wish.seeds - 1);
  return 0;
}

}  // namespace
}  // namespace eilbote::sim

int main(int argc, char** argv) {
  const auto wish = eilbote::sim::read_wish(argc, argv);
  if (!wish) {
    fmt::print(stderr, "usage: simulation [--seeds N] [--from SEED] | --seed SEED\n");
    return 2;
  }
  return eilbote::sim::run(*wish);
}
