// The bytes that all requests in memory may hold together. A reservation is taken before a body is read and
// lives as long as anyone keeps it (the intake does, until its commit), which may be longer than the server.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace eilbote {

class ByteBudget {
 public:
  explicit ByteBudget(std::size_t bytes) : limit_(bytes) {}

  bool take(std::size_t bytes) {
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit_ - used) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  void give_back(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

// What one request holds of the budget; it may grow while a chunked body comes in.
class BudgetShare {
 public:
  explicit BudgetShare(std::shared_ptr<ByteBudget> budget) : budget_(std::move(budget)) {}
  ~BudgetShare() { budget_->give_back(bytes_); }
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;

  bool grow_to(std::size_t bytes) {
    if (bytes <= bytes_) return true;
    if (!budget_->take(bytes - bytes_)) return false;
    bytes_ = bytes;
    return true;
  }
  void shrink_to(std::size_t bytes) {
    if (bytes >= bytes_) return;
    budget_->give_back(bytes_ - bytes);
    bytes_ = bytes;
  }

 private:
  const std::shared_ptr<ByteBudget> budget_;  // shared: a share may outlive the server
  std::size_t bytes_ = 0;
};

}  // namespace eilbote
