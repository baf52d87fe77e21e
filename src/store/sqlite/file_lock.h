// The lock that keeps a second engine away from a file: FILE.lock, held with flock for as long as this lives,
// so it is free again after any kind of end, kill -9 included.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace eilbote::sqlite {

class FileLock {
 public:
  // Error conflict, naming the file and the process, when somebody has it.
  static Result<std::unique_ptr<FileLock>> take(const std::string& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// Makes the file and its folders where they are missing, readable by their owner only.
Result<void> make_file(const std::string& file);

}  // namespace eilbote::sqlite
