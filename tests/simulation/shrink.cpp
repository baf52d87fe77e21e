#include "simulation/shrink.h"

#include <algorithm>

namespace eilbote::sim {
namespace {

class Shrinker {
 public:
  Shrinker(Plan plan, const std::function<bool(const Plan&)>& fails, int tries_max)
      : plan_(std::move(plan)), fails_(fails), tries_left_(tries_max) {}

  Plan run() {
    do {
      smaller_ = false;
      drop_steps();
      simplify_setup();
      simplify_numbers();
    } while (smaller_ && tries_left_ > 0);
    return plan_;
  }

 private:
  bool keep_if_fails(Plan candidate) {
    if (tries_left_ <= 0 || candidate == plan_) return false;
    --tries_left_;
    if (!fails_(candidate)) return false;
    plan_ = std::move(candidate);
    return smaller_ = true;
  }

  // Runs of steps, long ones first, from the end: what comes late seldom matters.
  void drop_steps() {
    for (std::size_t length = std::max<std::size_t>(plan_.steps.size() / 2, 1); length > 0; length /= 2)
      for (std::size_t end = plan_.steps.size(); end >= length; end = std::min(end - 1, plan_.steps.size())) {
        Plan candidate = plan_;
        const auto from = candidate.steps.begin() + static_cast<std::ptrdiff_t>(end - length);
        candidate.steps.erase(from, from + static_cast<std::ptrdiff_t>(length));
        keep_if_fails(std::move(candidate));
        if (end == 0) break;
      }
  }

  void simplify_setup() {
    Plan alone = plan_;
    alone.setup.instances = 1;
    if (!keep_if_fails(alone)) {
      Plan two = plan_;
      two.setup.instances = std::min(two.setup.instances, 2);
      keep_if_fails(two);
    }
    Plan by_itself = plan_;
    by_itself.setup.triggered = false;
    keep_if_fails(by_itself);
    Plan plain = plan_;
    plain.setup.settles_orphans = false;
    keep_if_fails(plain);
  }

  void simplify_numbers() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i)
      for (std::uint32_t Step::*const number : {&Step::a, &Step::b, &Step::c})
        for (const std::uint32_t simple : {0U, 1U, plan_.steps[i].*number % 8, plan_.steps[i].*number % 64}) {
          if (plan_.steps[i].*number <= simple) break;
          Plan candidate = plan_;
          candidate.steps[i].*number = simple;
          if (keep_if_fails(std::move(candidate))) break;
        }
  }

  Plan plan_;
  const std::function<bool(const Plan&)>& fails_;
  int tries_left_;
  bool smaller_ = false;
};

}  // namespace

Plan shrink(Plan plan, const std::function<bool(const Plan&)>& fails, int tries_max) {
  return Shrinker(std::move(plan), fails, tries_max).run();
}

}  // namespace eilbote::sim
