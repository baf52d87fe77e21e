// Where secrets come from: a reference (`env://NAME`, `file://path`) in, a Secret out. Never logged, never in
// an error.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/secret.h"

namespace eilbote {

class SecretSource {
 public:
  virtual ~SecretSource() = default;
  // May block (files, later the network). The error names the reference, never the secret.
  virtual Result<Secret> resolve(std::string_view reference) = 0;
};

}  // namespace eilbote
