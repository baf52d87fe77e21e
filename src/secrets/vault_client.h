// Requests to HashiCorp Vault's HTTP API, and what its answers mean. Used by vault_token and vault_store.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "secrets/secret_http.h"

namespace eilbote {

struct VaultOptions {
  std::string addr;  // https://vault.example.org:8200; empty: there is no Vault
  std::string token_ref;
  std::string role_id, secret_id_ref;
  std::string k8s_role, k8s_token_file;
  std::string auth_mount;  // of the login; empty: approle or kubernetes
  std::string name_space;
  std::string mount = "secret";
  std::string ca_file;
  Duration timeout = std::chrono::seconds{5};
};

// An answer that says no, or none at all.
struct VaultRefusal {
  int status = 0;  // 0: no answer
  SecretTrouble why;
  boost::json::value body{};
};
using VaultReply = tl::expected<boost::json::value, VaultRefusal>;

class VaultClient {
 public:
  explicit VaultClient(const VaultOptions& options)
      : addr_(options.addr), name_space_(options.name_space), http_(options.ca_file, options.timeout) {}

  VaultReply get(const std::string& path, const Secret& token) { return call("GET", path, "", token); }
  VaultReply post(const std::string& path, const std::string& body, const Secret& token) {
    return call("POST", path, body, token);
  }

 private:
  VaultReply call(const char* method, const std::string& path, const std::string& body, const Secret& token);

  const std::string addr_, name_space_;
  SecretHttp http_;
};

}  // namespace eilbote
