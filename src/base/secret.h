// Secret: a text that cannot be printed, logged, formatted or compared by accident.
// `reveal()` at the one place where it is used; grep for it to see them all.
#pragma once

#include <string>
#include <utility>

namespace eilbote {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  const std::string& reveal() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

}  // namespace eilbote
