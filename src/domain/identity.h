// Who calls, and what they may do. Made from a token by src/auth, held against the route table by src/api.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/enum_names.h"
#include "domain/ids.h"

namespace eilbote {

// The client of everybody while there is no identity (EILBOTE_AUTH=off).
inline constexpr std::string_view kLocalClient = "local";

enum class Scope {
  mail_send,
  mail_status_read,
  mailer_worker,
  webhook_send,
  webhook_status_read,
  ops_read,
  ops_admin
};
inline constexpr auto kScopeNames = enum_names<Scope>({{Scope::mail_send, "mail.send"},
                                                       {Scope::mail_status_read, "mail.status:read"},
                                                       {Scope::mailer_worker, "mailer.worker"},
                                                       {Scope::webhook_send, "webhook.send"},
                                                       {Scope::webhook_status_read, "webhook.status:read"},
                                                       {Scope::ops_read, "ops.read"},
                                                       {Scope::ops_admin, "ops.admin"}});
static_assert(kScopeNames.complete());

class ScopeSet {
 public:
  constexpr ScopeSet() = default;
  constexpr ScopeSet(std::initializer_list<Scope> scopes) {
    for (const Scope scope : scopes)
      add(scope);
  }
  static constexpr ScopeSet all() {
    ScopeSet set;
    for (const auto& [scope, name] : kScopeNames.entries)
      set.add(scope);
    return set;
  }

  constexpr void add(Scope scope) { bits_ |= bit(scope); }
  constexpr bool has(Scope scope) const { return (bits_ & bit(scope)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr ScopeSet operator&(ScopeSet other) const {
    ScopeSet both;
    both.bits_ = bits_ & other.bits_;
    return both;
  }
  friend constexpr bool operator==(ScopeSet, ScopeSet) = default;

  // "mail.send ops.admin": as in a token and in WWW-Authenticate.
  std::string text() const {
    std::string words;
    for (const auto& [scope, name] : kScopeNames.entries)
      if (has(scope)) (words += words.empty() ? "" : " ") += name;
    return words;
  }

 private:
  static constexpr std::uint32_t bit(Scope scope) { return 1U << static_cast<unsigned>(scope); }
  std::uint32_t bits_ = 0;
};

// These act across clients; every other scope only on the token's own client.
inline constexpr ScopeSet kScopesAcrossClients{Scope::mailer_worker, Scope::ops_read, Scope::ops_admin};

struct Identity {
  ClientName client;
  std::string subject;  // the person or account behind the token; empty: none named
  ScopeSet scopes;
};

}  // namespace eilbote
