// Who is asking. Made in one place; as long as there is no identity the only caller is `local`, who may do
// everything.
#pragma once

#include <optional>

#include "domain/ids.h"
#include "ports/http.h"

namespace eilbote {

struct Caller {
  ClientName client;
  bool operator_ = false;

  // Whose jobs this caller may see and touch; absent: everybody's.
  std::optional<ClientName> only() const { return operator_ ? std::nullopt : std::optional(client); }
};

inline Caller caller_of(const HttpRequest&) {
  return Caller{ClientName{"local"}, true};
}

}  // namespace eilbote
