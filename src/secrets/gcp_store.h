// `gcp-secretmanager://projects/P/secrets/S[/versions/V][#KEY]`: Google's Secret Manager, with the access token of the
// machine's metadata server. Made by secrets.cpp.
#pragma once

#include <memory>
#include <string>

#include "secrets/secret_store.h"

namespace eilbote {

struct GcpOptions {
  std::string endpoint_url = "https://secretmanager.googleapis.com";
  std::string metadata_url = "http://metadata.google.internal";
  Duration timeout = std::chrono::seconds{5};
};

std::unique_ptr<SecretStore> make_gcp_store(GcpOptions options);

}  // namespace eilbote
