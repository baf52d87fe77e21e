// Where the data key is: behind a reference, or in a file of its own that is made when it is first needed.
#pragma once

#include <string>

#include "ports/secret_source.h"
#include "secrets/encrypted.h"

namespace eilbote {

struct DataKeyOptions {
  std::string key_ref;       // base64 of 32 bytes behind a reference; empty: the key file
  std::string previous_ref;  // the key before the last change, still opens what it closed
  std::string key_file;      // used when there is no key_ref; empty: there is no data key
};

// Read at every call, so that a changed key is seen. `references` resolves all but encrypted://.
Result<DataKeys> read_data_keys(const DataKeyOptions& options, SecretSource& references);

// The same; makes the key file (mode 0600) when it is needed and not there. Two that make it at once get one key.
Result<DataKeys> read_or_make_data_keys(const DataKeyOptions& options, SecretSource& references);

// Whether what is referred to is a key.
Result<void> check_data_keys(const DataKeyOptions& options, SecretSource& references);

}  // namespace eilbote
