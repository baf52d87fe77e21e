// The bytes of the requests a run sends: mails, the same but for the recipient's number, or a text that was given. Used by load_run.cpp.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "load/load_run.h"

namespace eilbote::load {

// In a given text, twenty of these become the time at which the request was due (CLOCK_MONOTONIC, ns), with blanks behind it: whoever
// gets the text in the end can tell how long it took.
inline constexpr std::string_view kDuePlace = "@@@@@@@@@@@@@@@@@@@@";

class RequestText {
 public:
  RequestText(const LoadOptions& options, const std::string& token) {
    const std::string body = options.body.empty() ? mail(options.text_bytes) : options.body;
    const std::string identity = token.empty() ? "" : fmt::format("Authorization: Bearer {}\r\n", token);
    bytes_ = fmt::format(
        "POST {} HTTP/1.1\r\nHost: {}:{}\r\nContent-Type: application/json\r\n{}Content-Length: {}\r\n\r\n",
        options.path, options.host, options.port, identity, body.size());
    const std::size_t start = bytes_.size();
    bytes_ += body;
    if (options.body.empty())
      number_at_ = start + kMailHead.size();
    else
      due_at_ = bytes_.find(kDuePlace, start);
  }

  const std::string& next(std::int64_t due) {
    if (number_at_ != std::string::npos) count_up();
    if (due_at_ != std::string::npos) write_due(due);
    return bytes_;
  }

 private:
  static constexpr std::string_view kMailHead = R"({"from":"bench@example.org","to":["u)";
  static constexpr std::string_view kNumber = "0000000000";

  static std::string mail(std::size_t text_bytes) {
    std::string text;
    while (text.size() < text_bytes)
      text += "The quick brown fox jumps over the lazy dog. ";
    text.resize(text_bytes);
    return fmt::format(R"({}{}@example.org"],"subject":"A mail of the benchmark","body":{{"text":"{}"}}}})",
                       kMailHead, kNumber, text);
  }

  void count_up() {
    for (std::size_t digit = kNumber.size(); digit-- > 0;) {
      char& c = bytes_[number_at_ + digit];
      if (c != '9') {
        ++c;
        break;
      }
      c = '0';
    }
  }

  void write_due(std::int64_t due) {
    char* const place = bytes_.data() + due_at_;
    char* const end = place + kDuePlace.size();
    std::fill(std::to_chars(place, end, due).ptr, end, ' ');
  }

  std::string bytes_;
  std::size_t number_at_ = std::string::npos, due_at_ = std::string::npos;
};

// One text for each token, in turn.
class RequestTexts {
 public:
  explicit RequestTexts(const LoadOptions& options) {
    for (const std::string& token : options.tokens)
      texts_.emplace_back(options, token);
    if (texts_.empty()) texts_.emplace_back(options, "");
  }
  const std::string& next(std::int64_t due) { return texts_[turn_++ % texts_.size()].next(due); }

 private:
  std::vector<RequestText> texts_;
  std::size_t turn_ = 0;
};

}  // namespace eilbote::load
