// Where secrets come from: a reference (`env://NAME`, `vault://path#key`) in, a Secret out. Never logged, never in
// an error.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

namespace eilbote {

class SecretSource {
 public:
  using Done = std::function<void(Result<Secret>)>;
  virtual ~SecretSource() = default;

  // May block: for a file, or for a store on the network. The error names the reference, never the secret.
  virtual Result<Secret> resolve(std::string_view reference) = 0;

  // For threads that must not wait for the network: what is known now. Nothing: it is being asked for, and is known
  // a moment later.
  virtual std::optional<Result<Secret>> at_hand(std::string_view reference) { return resolve(reference); }

  // For whoever was refused with the secret: it may have been changed, so its store is asked afresh. Never waits for the
  // network; `done` is called once, at once or later from another thread.
  virtual void renew(std::string_view reference, Done done) { done(resolve(reference)); }
};

}  // namespace eilbote
