// A source of secrets that the test owns: what is at hand, what a fresh look finds, and when that answers. Header only.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ports/secret_source.h"

namespace eilbote::test {

class SecretsByHand final : public SecretSource {
 public:
  explicit SecretsByHand(std::string secret) : at_hand_(Secret(secret)), fresh_(Secret(std::move(secret))) {}

  // Changed where it is kept: a fresh look finds it, and from then on it is at hand.
  void rotate(const std::string& secret) {
    const std::lock_guard lock(mutex_);
    fresh_ = Secret(secret);
  }
  // Nothing is known yet: at_hand has nothing to say until a fresh look was answered.
  void forget() {
    const std::lock_guard lock(mutex_);
    at_hand_.reset();
  }
  void fail_with(Error error) {
    const std::lock_guard lock(mutex_);
    at_hand_ = fresh_ = fail(std::move(error));
  }
  // Fresh looks are not answered until let_go().
  void hold() {
    const std::lock_guard lock(mutex_);
    is_holding_ = true;
  }
  void let_go() {
    std::vector<Done> held;
    {
      const std::lock_guard lock(mutex_);
      is_holding_ = false;
      held.swap(held_);
    }
    for (const Done& done : held)
      done(fresh());
  }
  int renewals() const {
    const std::lock_guard lock(mutex_);
    return renewals_;
  }

  Result<Secret> resolve(std::string_view) override { return fresh(); }
  std::optional<Result<Secret>> at_hand(std::string_view) override {
    const std::lock_guard lock(mutex_);
    return at_hand_;
  }
  void renew(std::string_view, Done done) override {
    {
      const std::lock_guard lock(mutex_);
      ++renewals_;
      if (is_holding_) return held_.push_back(std::move(done));
    }
    done(fresh());
  }

 private:
  Result<Secret> fresh() {
    const std::lock_guard lock(mutex_);
    at_hand_ = fresh_;
    return fresh_;
  }

  mutable std::mutex mutex_;
  std::optional<Result<Secret>> at_hand_;
  Result<Secret> fresh_;
  std::vector<Done> held_;
  bool is_holding_ = false;
  int renewals_ = 0;
};

}  // namespace eilbote::test
