// A disk in memory that can be full at a moment's notice: its size is set to what is used, and back. For root: the program has to
// be in a mount namespace of its own, with which the disk goes.
#pragma once

#include <string>

namespace eilbote::chaos {

// Leaves the mount namespace of this machine; before there are threads. False: not allowed here.
bool enter_own_mounts();

class SmallDisk {
 public:
  // Mounted over this folder, which exists.
  explicit SmallDisk(std::string folder);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // Nothing more can be written; false: as much as before again.
  void fill(bool on);

 private:
  void resize(unsigned long long bytes);
  const std::string folder_;
};

}  // namespace eilbote::chaos
