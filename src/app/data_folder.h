// The name an instance keeps over restarts: a random text in its data folder. A restarted instance takes back
// what its former life held at once; two processes must therefore never share one, and a lock on the folder
// sees to it.
#pragma once

#include <string>

#include "base/random.h"
#include "base/result.h"

namespace eilbote {

// Held for the life of the process.
class DataFolder {
 public:
  // Makes the folder when it is missing (mode 0700), locks it, and reads or makes the instance's name.
  // The error says when another process has it.
  static Result<DataFolder> open(const std::string& path, Random& random);
  DataFolder(DataFolder&& other) noexcept;
  DataFolder& operator=(DataFolder&&) = delete;
  ~DataFolder();
  const std::string& instance_name() const { return name_; }

 private:
  DataFolder(int lock, std::string name) : lock_(lock), name_(std::move(name)) {}
  int lock_;
  std::string name_;
};

}  // namespace eilbote
