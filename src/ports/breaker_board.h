// Where instances tell each other of their breakers: each keeps its own in memory, where they decide, and writes here what people
// are to see of them; a breaker that a person resets at one instance is asked for here at the others. The rules of ports/outbox.h
// hold: blocking, safe from many threads. Called by engine/breaker_desk.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/ids.h"
#include "domain/overview.h"

namespace eilbote {

// Of one instance, and of the instances whose breakers are read: a picture for people needs no more.
inline constexpr std::size_t kBreakersToldMax = 50;
inline constexpr int kTellersMax = 200;

class BreakerBoard {
 public:
  virtual ~BreakerBoard() = default;

  // Replaces what this epoch told. `shown_as`: how people know the instance. After an ambiguous error it may have happened.
  virtual Result<void> tell(Epoch epoch, const std::string& shown_as,
                            std::span<const RouteLoad> breakers) = 0;
  // What the other instances told whose lease runs, by age of the instance.
  virtual Result<std::vector<RouteLoad>> told_by_others(Epoch own) = 0;
  // Asks the other instances whose lease runs and that told of a breaker of this route to close it; how many. Asking twice is asking
  // once.
  virtual Result<int> ask_reset(Epoch own, const std::string& route) = 0;
  // What this epoch was asked to close. What is asked for while this answers is answered again by the next call, with the rest;
  // a crash of the caller afterwards loses nothing, because its breakers go with it.
  virtual Result<std::vector<std::string>> take_resets(Epoch epoch) = 0;
};

}  // namespace eilbote
