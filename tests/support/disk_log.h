// What a program did to its files, in the order in which it did it, and what a power cut at any point could have left of that.
// The events come from support/faulty_vfs.h.
//
// The model of the disk: what was synced is there. Of what was written since, any part may be there and any may not, in
// pieces of a sector: the page cache writes back in an order of its own, and a sector is written whole or not at all.
// A file that was removed is gone for certain only when its folder was synced: until then it may be back, as it was. The shared
// memory beside the WAL is no part of it: it is never synced, and nobody believes it after a start.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace eilbote::test {

enum class DiskFile { database, wal, journal };
inline constexpr std::size_t kDiskFiles = 3;
inline constexpr std::size_t kSectorBytes = 512;

struct DiskEvent {
  enum class Kind { write, truncate, sync, remove, sync_folder };
  Kind kind = Kind::write;
  DiskFile file = DiskFile::database;
  std::size_t at = 0;  // write: where it begins; truncate: the new size
  std::string bytes;   // write
};

class DiskLog {
 public:
  // Does it, and notes it when it answers 0. As one step: of two threads' events the log has the order in which they were done.
  int note(DiskEvent event, const std::function<int()>& act);
  std::size_t size() const;
  // Once nobody writes any more.
  const std::vector<DiskEvent>& events() const { return events_; }

 private:
  mutable std::mutex mutex_;
  std::vector<DiskEvent> events_;
};

// The files as they are found when the power is back; absent: there is none.
using DiskImage = std::array<std::optional<std::string>, kDiskFiles>;

// What of the events since the last sync of a file is there.
enum class Survives {
  nothing,
  everything,
  torn,      // everything, but of the last write only the first sectors
  shuffled,  // some sectors of some writes
};

// The power goes after the first n events; n only grows.
class PowerCut {
 public:
  explicit PowerCut(const std::vector<DiskEvent>& events) : events_(events) {}
  void go_on_to(std::size_t n);
  DiskImage image(Survives what, std::uint64_t seed) const;

 private:
  struct File {
    std::optional<std::string> synced;
    std::vector<std::size_t> since;  // events, by number
  };
  void take(std::size_t number);
  void settle(File& file, std::size_t n);
  void replay(const File& file, Survives what, std::mt19937_64& random,
              std::optional<std::string>& bytes) const;

  const std::vector<DiskEvent>& events_;
  std::size_t done_ = 0;
  std::array<File, kDiskFiles> files_;
};

}  // namespace eilbote::test
