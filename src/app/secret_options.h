// Where the data key is, out of the configuration; for everything that resolves or keeps secrets.
#pragma once

#include "config/config.h"
#include "secrets/secrets.h"

namespace eilbote {

inline DataKeyOptions secret_options(const Config& config) {
  return {config.data_key_ref, config.data_key_previous_ref, config.data_dir + "/data.key"};
}

}  // namespace eilbote
