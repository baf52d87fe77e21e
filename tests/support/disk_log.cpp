#include "support/disk_log.h"

#include <algorithm>

namespace eilbote::test {
namespace {

using Content = std::optional<std::string>;

void put(std::string& bytes, std::size_t at, std::string_view piece) {
  if (bytes.size() < at + piece.size()) bytes.resize(at + piece.size());
  bytes.replace(at, piece.size(), piece);
}

void apply(const DiskEvent& event, Content& bytes) {
  switch (event.kind) {
    case DiskEvent::Kind::write:
      if (!bytes) bytes.emplace();
      return put(*bytes, event.at, event.bytes);
    case DiskEvent::Kind::truncate:
      if (!bytes) bytes.emplace();
      return bytes->resize(event.at);
    case DiskEvent::Kind::remove:
      bytes.reset();
      return;
    case DiskEvent::Kind::sync:
    case DiskEvent::Kind::sync_folder:
      return;
  }
}

// Calls `visit` with each piece of a write that lies in one sector of the file.
void for_each_sector(const DiskEvent& write,
                     const std::function<void(std::size_t at, std::string_view piece)>& visit) {
  std::string_view rest = write.bytes;
  std::size_t at = write.at;
  while (!rest.empty()) {
    const std::size_t n = std::min(rest.size(), kSectorBytes - at % kSectorBytes);
    visit(at, rest.substr(0, n));
    rest.remove_prefix(n);
    at += n;
  }
}

void apply_beginning(const DiskEvent& write, std::mt19937_64& random, Content& bytes) {
  std::size_t sectors = 0, kept = 0;
  for_each_sector(write, [&](std::size_t, std::string_view) { ++sectors; });
  kept = std::uniform_int_distribution<std::size_t>(0, sectors - 1)(random);
  for_each_sector(write, [&](std::size_t at, std::string_view piece) {
    if (kept == 0) return;
    --kept;
    if (!bytes) bytes.emplace();
    put(*bytes, at, piece);
  });
}

void apply_some(const DiskEvent& write, std::mt19937_64& random, Content& bytes) {
  for_each_sector(write, [&](std::size_t at, std::string_view piece) {
    if (random() % 2 == 0) return;
    if (!bytes) bytes.emplace();
    put(*bytes, at, piece);
  });
}

}  // namespace

int DiskLog::note(DiskEvent event, const std::function<int()>& act) {
  const std::lock_guard lock(mutex_);
  const int code = act();
  if (code == 0) events_.push_back(std::move(event));
  return code;
}

std::size_t DiskLog::size() const {
  const std::lock_guard lock(mutex_);
  return events_.size();
}

void PowerCut::go_on_to(std::size_t n) {
  while (done_ < n)
    take(done_++);
}

void PowerCut::take(std::size_t number) {
  const DiskEvent& event = events_[number];
  File& file = files_[static_cast<std::size_t>(event.file)];
  if (event.kind == DiskEvent::Kind::sync) return settle(file, file.since.size());
  if (event.kind != DiskEvent::Kind::sync_folder) return file.since.push_back(number);
  // What files there are is settled, for all of them; what is in them is not.
  for (File& one : files_) {
    const auto last = std::find_if(one.since.rbegin(), one.since.rend(),
                                   [&](std::size_t n) { return events_[n].kind == DiskEvent::Kind::remove; });
    settle(one, static_cast<std::size_t>(one.since.rend() - last));
  }
}

// The first n of its events are on the disk for good.
void PowerCut::settle(File& file, std::size_t n) {
  const auto end = file.since.begin() + static_cast<std::ptrdiff_t>(n);
  for (auto one = file.since.begin(); one != end; ++one)
    apply(events_[*one], file.synced);
  file.since.erase(file.since.begin(), end);
}

DiskImage PowerCut::image(Survives what, std::uint64_t seed) const {
  std::mt19937_64 random(seed);
  DiskImage image;
  for (std::size_t i = 0; i < kDiskFiles; ++i) {
    image[i] = files_[i].synced;
    if (what != Survives::nothing) replay(files_[i], what, random, image[i]);
  }
  return image;
}

void PowerCut::replay(const File& file, Survives what, std::mt19937_64& random, Content& bytes) const {
  for (const std::size_t number : file.since) {
    const DiskEvent& event = events_[number];
    const bool is_write = event.kind == DiskEvent::Kind::write;
    if (what == Survives::torn && is_write && number == done_ - 1) {
      apply_beginning(event, random, bytes);
    } else if (what == Survives::shuffled && is_write && random() % 4 != 0) {
      apply_some(event, random, bytes);
    } else if (what != Survives::shuffled || is_write) {
      apply(event, bytes);
    } else if (random() % 2 == 0) {
      apply(event, bytes);
    } else if (event.kind == DiskEvent::Kind::remove) {
      return;  // the old file is still there; what was written since is in another one that has no name
    }
  }
}

}  // namespace eilbote::test
