// A regular expression out of a JSON Schema, safe to run on any text: a match that would take too long is given up.
// Unlike std::regex it does not recurse over the text, which a payload of a megabyte could use to end the program.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"

namespace eilbote {

class TextPattern {
 public:
  enum class Found { yes, no, too_complex };

  // The error says what is wrong with it. At most 1,000 characters.
  static Result<TextPattern> make(std::string_view pattern);
  // Anywhere in the text, in characters rather than bytes.
  Found search(std::string_view text) const;

 private:
  struct Machine;
  explicit TextPattern(std::shared_ptr<const Machine> machine) : machine_(std::move(machine)) {}
  std::shared_ptr<const Machine> machine_;  // a schema and its copies share what was compiled
};

}  // namespace eilbote
