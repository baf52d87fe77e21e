// Who is asking, as a handler sees it: made in one place, api/gate.cpp, before the handler runs.
#pragma once

#include <optional>
#include <string>

#include "domain/identity.h"
#include "domain/job.h"

namespace eilbote {

class Caller {
 public:
  // Nobody: sees nothing. What routes without a scope get.
  Caller() = default;
  // `across`: the scope that let them in acts across clients.
  Caller(Identity identity, bool across) : identity_(std::move(identity)), across_(across) {}
  // Without identity (EILBOTE_AUTH=off): may do everything.
  static Caller local() {
    Caller caller({ClientName{std::string(kLocalClient)}, "", ScopeSet::all()}, true);
    caller.name_ = kOperatorActor;
    return caller;
  }

  // A provider, known by its signature: reports on everybody's mails.
  static Caller provider() { return Caller({ClientName{"provider"}, "", {}}, true); }

  bool is_local() const { return !name_.empty(); }
  const ClientName& client() const { return identity_.client; }
  bool has(Scope scope) const { return identity_.scopes.has(scope); }
  // Whose jobs this caller may see and touch here; absent: everybody's. Every question to the store takes it.
  std::optional<ClientName> only() const { return across_ ? std::nullopt : std::optional(client()); }
  // Who it was, for the records.
  std::string actor() const {
    if (!name_.empty()) return name_;
    const bool is_named = !identity_.subject.empty() && identity_.subject != client().value();
    return is_named ? client().value() + "/" + identity_.subject : client().value();
  }

 private:
  Identity identity_;
  bool across_ = false;
  std::string name_;
};

}  // namespace eilbote
