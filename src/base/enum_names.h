// EnumNames: the one table between an enum and its texts, used by JSON, SQL, logs and metrics alike.
// Texts are spelled like the enumerators wherever the outside allows it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace eilbote {

template <class Enum, std::size_t N>
struct EnumNames {
  std::array<std::pair<Enum, std::string_view>, N> entries;

  constexpr std::string_view text(Enum value) const {
    for (const auto& [e, name] : entries)
      if (e == value) return name;
    return "?";
  }
  constexpr std::optional<Enum> parse(std::string_view name) const {
    for (const auto& [e, text] : entries)
      if (text == name) return e;
    return std::nullopt;
  }
  // "a, b, c": for messages that say what would have been right.
  std::string list() const {
    std::string all;
    for (const auto& entry : entries) {
      if (!all.empty()) all += ", ";
      all += entry.second;
    }
    return all;
  }
  // True when every enumerator from the first to the last appears once, in order; static_assert it beside the
  // table.
  constexpr bool complete() const {
    for (std::size_t i = 0; i < N; ++i)
      if (static_cast<std::size_t>(entries[i].first) != i) return false;
    return true;
  }
};

template <class Enum, std::size_t N>
constexpr EnumNames<Enum, N> enum_names(const std::pair<Enum, std::string_view> (&list)[N]) {
  EnumNames<Enum, N> names{};
  for (std::size_t i = 0; i < N; ++i)
    names.entries[i] = list[i];
  return names;
}

}  // namespace eilbote
