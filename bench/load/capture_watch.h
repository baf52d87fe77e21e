// Sees mails arrive in the capture folder (inotify) and measures from the POST to the file. A file may appear
// before the POST is answered, so either end of a pair may come first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "load/samples.h"

namespace eilbote::load {

class CaptureWatch {
 public:
  // Throws std::system_error when the folder cannot be watched.
  explicit CaptureWatch(const std::string& folder);
  ~CaptureWatch();
  CaptureWatch(const CaptureWatch&) = delete;
  CaptureWatch& operator=(const CaptureWatch&) = delete;

  int descriptor() const { return descriptor_; }
  // The mail `id` was accepted; its POST was due at `sent`.
  void accepted(std::string_view id, std::int64_t sent);
  // Takes what the kernel has to tell.
  void read(std::int64_t now);
  std::size_t missing() const { return accepted_only_; }
  bool overflowed() const { return overflowed_; }
  Samples& samples() { return samples_; }

 private:
  void appeared(std::string_view file, std::int64_t now);

  int descriptor_;
  std::unordered_map<std::string, std::int64_t> sent_;      // accepted, no file yet
  std::unordered_map<std::string, std::int64_t> appeared_;  // a file, not answered yet (or not ours)
  std::size_t accepted_only_ = 0;
  bool overflowed_ = false;
  Samples samples_;
};

}  // namespace eilbote::load
