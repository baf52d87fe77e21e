// StrongType<Tag, T>: two things of the same machine type that must not be mixed up are two types.
// No implicit conversion in either direction; `.value()` where the raw value is needed.
#pragma once

#include <compare>
#include <functional>
#include <utility>

namespace eilbote {

template <class Tag, class T>
class StrongType {
 public:
  constexpr StrongType() = default;
  constexpr explicit StrongType(T value) : value_(std::move(value)) {}
  constexpr const T& value() const { return value_; }
  friend constexpr auto operator<=>(const StrongType&, const StrongType&) = default;
  friend constexpr bool operator==(const StrongType&, const StrongType&) = default;

 private:
  T value_{};
};

}  // namespace eilbote

template <class Tag, class T>
struct std::hash<eilbote::StrongType<Tag, T>> {
  std::size_t operator()(const eilbote::StrongType<Tag, T>& id) const noexcept {
    return std::hash<T>{}(id.value());
  }
};
