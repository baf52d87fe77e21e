// Who we are at Vault: a token from a reference, or from a login (AppRole, Kubernetes); renewed when two thirds of its life
// are over, and made anew when it cannot be. Used by vault_store, from its thread.
#pragma once

#include "base/clock.h"
#include "ports/secret_source.h"
#include "secrets/vault_client.h"

namespace eilbote {

struct Metrics;

class VaultToken {
 public:
  // `local` resolves what lies on this machine; all outlive it. Without metrics nothing is measured.
  VaultToken(const VaultOptions& options, VaultClient& vault, SecretSource& local, const Clock& clock,
             Metrics* metrics)
      : options_(options), vault_(vault), local_(local), clock_(clock), metrics_(metrics) {}

  // A token that should work.
  FromStore<Secret> get();
  // It did not: the next one is read or made anew.
  void forget() { token_ = Secret(); }

 private:
  FromStore<void> obtain();
  FromStore<void> take_given();
  FromStore<void> log_in(const std::string& mount, const std::string& body);
  // Whether the token lives on.
  bool renew();
  void lives_for(std::int64_t seconds, bool renewable);
  // Only of a token that was given: one from a login is followed by the next.
  void show_end(bool is_the_last) const;

  const VaultOptions& options_;
  VaultClient& vault_;
  SecretSource& local_;
  const Clock& clock_;
  Metrics* const metrics_;
  Secret token_;  // empty: none yet
  Secret given_;  // as read from the reference
  bool renewable_ = false;
  bool lives_forever_ = false;
  Clock::Steady renew_at_{}, dies_at_{};
};

}  // namespace eilbote
