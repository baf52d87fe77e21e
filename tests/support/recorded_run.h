// A run of the SQLite store on a disk that is written down (support/disk_log.h), with what the store promised when; and the
// judge of what a power cut leaves of it. Used by the tests of power loss.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ports/outbox.h"
#include "support/disk_log.h"
#include "support/faulty_vfs.h"
#include "support/sqlite_file.h"

namespace eilbote::test {

// Every row of every table, as text.
using FileContent = std::map<std::string, std::string>;
FileContent read_content(const std::string& file);

// What the store had answered when so many events were on record. From then on it holds, whatever happens to the power.
struct Promise {
  std::size_t events = 0;
  JobId id;
  bool is_sent = false;  // that it was settled as sent; else that it was accepted
};

class RecordedRun : public SqliteFile {
 protected:
  RecordedRun();
  void begin() { vfs_.log = &log_; }
  // Ends the recording; the store is closed by then.
  void end();

  // The store has answered. From any thread.
  void promised(const std::vector<NewJob>& accepted);
  void promised_sent(const std::vector<Settlement>& settled);
  // The store has answered, and nothing else is under way: what is in the file now.
  void note_content();

  struct Look {
    std::size_t events = 0, boundaries = 0, images = 0;
    std::string fault;  // of the first image with one
  };
  // Cuts the power at about so many boundaries after the first `from` events, spread evenly and drawn by the seed, in every way
  // it can go.
  Look look(std::size_t boundaries, std::uint64_t seed, std::size_t from = 0);
  std::size_t events() const { return log_.size(); }

  FaultyVfs vfs_;

 private:
  struct Content {
    std::size_t events = 0;
    FileContent content;
  };
  std::string fault_of(const DiskImage& image, std::size_t events);
  std::string fault_of_open_file(Outbox& outbox, std::size_t events);
  std::string fault_of_content(std::size_t events);
  std::string fault_of_jobs(Outbox& outbox, std::size_t events);
  void write(const DiskImage& image);

  DiskLog log_;
  std::mutex mutex_;
  std::vector<Promise> promises_;  // under the mutex
  std::map<JobId, NewJob> jobs_;   // under the mutex
  std::vector<Content> contents_;
};

}  // namespace eilbote::test
