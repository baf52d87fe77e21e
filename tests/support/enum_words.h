// The texts of an enum table as a set: for tests that hold SQL against domain/names.h.
#pragma once

#include <set>
#include <string>

#include "base/enum_names.h"

namespace eilbote::test {

using Words = std::set<std::string>;

template <class Enum, std::size_t N>
Words words_of(const EnumNames<Enum, N>& names) {
  Words words;
  for (const auto& [value, text] : names.entries)
    words.emplace(text);
  return words;
}

}  // namespace eilbote::test
