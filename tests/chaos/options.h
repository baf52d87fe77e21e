// What `./dev chaos` was asked for. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace eilbote::chaos {

struct ChaosOptions {
  int seconds = 300;
  std::optional<std::uint64_t> seed;  // none: EILBOTE_TEST_SEED, or another one each time
  bool on_postgres = false;
  bool with_broker = false;  // RabbitMQ
  int rate = 150;            // jobs handed in a second
  std::string keep;          // a folder for histories and logs; empty: a temporary one
  std::string json;          // a file for the report; empty: none
  std::string judge;         // a kept history to judge again, instead of a run
  bool help = false;

  // The short run of the tests: leases are short, so that their loss is seen too.
  bool is_short() const { return seconds <= 120; }
};

struct OptionsRead {
  ChaosOptions options;
  std::string trouble;  // why they cannot be read; empty: they can
};
OptionsRead read_options(const std::vector<std::string>& words);

extern const char* const kUsage;

}  // namespace eilbote::chaos
