// Secret: a text that cannot be printed, logged, formatted or compared by accident, and that is wiped from memory when it goes.
// `reveal()` at the one place where it is used; grep for it to see them all.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace eilbote {

// Overwrites what the text held, in a way no compiler leaves out, and empties it.
void wipe(std::string& text);

// Takes as long for a text that is nearly right as for one that is wrong from the start; the length shows.
bool same_in_constant_time(std::string_view one, std::string_view other);

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  ~Secret() { wipe(text_); }
  Secret(const Secret&) = default;
  Secret& operator=(const Secret& other) {
    if (this != &other) *this = Secret(other);
    return *this;
  }
  // A moved-from short text would stay where it was.
  Secret(Secret&& other) noexcept : text_(std::move(other.text_)) { wipe(other.text_); }
  Secret& operator=(Secret&& other) noexcept {
    text_.swap(other.text_);
    wipe(other.text_);
    return *this;
  }

  const std::string& reveal() const { return text_; }
  bool empty() const { return text_.empty(); }
  // In constant time.
  bool is_same_as(const Secret& other) const;

 private:
  std::string text_;
};

}  // namespace eilbote
