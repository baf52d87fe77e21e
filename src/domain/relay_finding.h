// One line of a test of a mail relay, in plain words: found by channel/relay_probe, printed by `eilbote send --probe`.
#pragma once

#include <string>

namespace eilbote {

struct RelayFinding {
  bool good = true;
  std::string what;    // "login as shop"
  std::string text;    // "refused: 535 5.7.8 no"
  std::string advice;  // empty when good
};

}  // namespace eilbote
