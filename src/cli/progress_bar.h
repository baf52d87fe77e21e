// A line on standard error that shows how far a long command has come; nothing where that is no terminal.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace eilbote::cli {

class ProgressBar {
 public:
  // `part` is 0 to 1.
  void draw(double part, const std::string& text) {
    if (!is_terminal_) return;
    const int filled = static_cast<int>(std::clamp(part, 0.0, 1.0) * kWidth);
    fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {:3.0f} %  {}", "", filled, "", kWidth - filled, part * 100, text);
    std::fflush(stderr);
    drawn_ = true;
  }
  void end() {
    if (drawn_) fmt::print(stderr, "\n");
    drawn_ = false;
  }

 private:
  static constexpr int kWidth = 40;
  const bool is_terminal_ = isatty(STDERR_FILENO) == 1;
  bool drawn_ = false;
};

}  // namespace eilbote::cli
