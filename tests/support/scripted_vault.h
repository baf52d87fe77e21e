// A small HashiCorp Vault after its documented API: KV version 2, tokens with a life, AppRole and Kubernetes logins, renewal,
// namespaces, and its faults: sealed, standby, denied, too many requests, slow. On the loopback.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/scripted_http.h"

namespace eilbote::test {

class ScriptedVault {
 public:
  ScriptedVault();

  // "http://127.0.0.1:PORT"
  std::string addr() const;
  // A new version of the secret at this path of the mount `secret`.
  void put(const std::string& path, const std::map<std::string, std::string>& secret);
  void remove(const std::string& path);

  // A token that works from now on, until it is revoked.
  std::string new_token();
  void revoke_all();
  void allow_role(const std::string& role_id, const std::string& secret_id);
  void allow_kubernetes(const std::string& role, const std::string& jwt);
  // Of the tokens given out from now on.
  void lease(int seconds, bool renewable);
  void need_namespace(const std::string& name);

  // Every request is answered with this until it is taken back.
  void answer_all(std::optional<HttpScene> scene);
  void seal(bool sealed);

  int logins() const;
  int renewals() const;
  int reads() const;
  std::vector<HttpSeen> seen() const { return http_.seen(); }

 private:
  HttpScene decide(const HttpSeen& request);
  HttpScene log_in(const std::string& body);
  HttpScene read(const std::string& path);

  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::optional<std::map<std::string, std::string>>>> secrets_;
  std::set<std::string> tokens_;
  std::map<std::string, std::string> roles_;
  std::map<std::string, std::string> jwts_;
  std::string namespace_;
  std::optional<HttpScene> always_;
  int lease_seconds_ = 1200;
  bool renewable_ = true;
  int made_ = 0, logins_ = 0, renewals_ = 0, reads_ = 0;
  ScriptedHttp http_;  // last: its threads use all of the above
};

}  // namespace eilbote::test
