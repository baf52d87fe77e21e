// The breaker desk: the breakers of all instances for those who watch, and a reset that reaches all of them. This instance's own
// come from its ledger, as they are now; those of the others from what they told the database (ports/breaker_board.h), at most an
// exchange old. Tells them its own in turn, and closes what people asked for at another instance.
//
// exchange() is a chore of upkeep, at the pace of the heartbeat; the rest is for any thread. Only what asks others may block.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/host_book.h"
#include "engine/instance.h"
#include "engine/ledger.h"
#include "ports/breaker_board.h"

namespace eilbote {

class BreakerDesk {
 public:
  // All of it outlives the desk. `shown_as`: how people know this instance.
  BreakerDesk(BreakerBoard& board, Ledger& ledger, const Instance& instance, const Clock& clock,
              std::string shown_as);

  Result<void> exchange();

  std::vector<RouteLoad> own() const;
  // None at once when this instance was alone at its last heartbeat.
  Result<std::vector<RouteLoad>> others() const;

  struct Reset {
    bool here = false;               // this instance has such a breaker, and closes it
    int asked = 0;                   // so many others do within an exchange
    std::optional<Error> not_asked;  // they could not be asked
  };
  Reset reset(const std::string& route);

 private:
  BreakerBoard& board_;
  Ledger& ledger_;
  const Instance& instance_;
  const Clock& clock_;
  const std::string shown_as_;
  // What others know; by upkeep's thread only.
  Epoch told_in_{0};
  std::vector<BreakerView> told_;
};

}  // namespace eilbote
