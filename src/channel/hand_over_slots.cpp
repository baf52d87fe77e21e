#include "channel/hand_over_slots.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>

#include "base/assert.h"

namespace eilbote {
namespace {

// The file, in the machine's own byte order, as it never leaves the machine (docs/decisions/0011):
//
//   offset  bytes  what
//        0     16  kMagic; its last two characters are the version of everything here
//       16     40  the boot's name, filled up with zeros
//       56      4  how many slots follow
//       60      4  nothing
//       64    320  each slot:  0 token (8), 8 job (8), 16 stage (4), 20 reply code (4), 24 check (8),
//                  32 accepted (128: a bit per recipient), 160 taken (128), 288 nothing (32)
//
// A process of another version reads this file after an upgrade. Whoever moves a field counts the version up: the
// assertions below are there to remind of it.
constexpr std::array<char, 16> kMagic{'e', 'i', 'l', 'b', 'o', 't', 'e', '-',
                                      's', 'l', 'o', 't', 's', '-', '0', '3'};

using Bits = std::array<std::atomic<std::uint64_t>, kHandOverRecipients / 64>;

// The check ties a stage to the hand-over it was marked for: a slot that was torn, or
// whose file was damaged, is not taken for a mark.
struct alignas(64) Slot {
  std::atomic<std::int64_t> token;
  std::atomic<std::int64_t> job;
  std::atomic<std::uint32_t> stage;
  std::atomic<std::int32_t> reply_code;
  std::atomic<std::uint64_t> check;
  Bits accepted, taken;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(sizeof(Slot) == 320 && offsetof(Slot, stage) == 16 && offsetof(Slot, check) == 24 &&
              offsetof(Slot, accepted) == 32 && offsetof(Slot, taken) == 160);

std::uint64_t check_of(std::int64_t token, std::int64_t job) {
  return (static_cast<std::uint64_t>(token) * 0x9E3779B97F4A7C15ULL) ^
         (static_cast<std::uint64_t>(job) + 0x5DEECE66DULL);
}

std::bitset<kHandOverRecipients> read_bits(const Bits& bits) {
  std::bitset<kHandOverRecipients> all;
  for (std::size_t i = 0; i < kHandOverRecipients; ++i)
    all[i] = (bits[i / 64].load() >> (i % 64) & 1) != 0;
  return all;
}
void clear_bits(Bits& bits) {
  for (auto& word : bits)
    word.store(0, std::memory_order_relaxed);
}

std::string errno_text(const std::string& doing) {
  return doing + ": " + std::strerror(errno);
}

}  // namespace

// The head of the file; the slots follow.
struct alignas(64) HandOverSlots::File {
  std::array<char, 16> magic;
  std::array<char, 40> boot_id;
  std::uint32_t count;

  Slot& slot(std::size_t n) {
    static_assert(sizeof(File) == 64 && offsetof(File, boot_id) == 16 && offsetof(File, count) == 56);
    return reinterpret_cast<Slot*>(this + 1)[n];
  }
};

namespace {

// What is there of a process before this one.
template <class File>
HandOverSlots::LeftBehind read(File& file, std::size_t bytes, std::string_view boot_id) {
  HandOverSlots::LeftBehind found;
  const std::string_view boot(file.boot_id.data(), ::strnlen(file.boot_id.data(), file.boot_id.size()));
  if (file.magic != kMagic || boot_id.empty() || boot != boot_id ||
      bytes < sizeof(File) + file.count * sizeof(Slot)) {
    found.is_known = false;
    return found;
  }
  for (std::uint32_t i = 0; i < file.count; ++i) {
    const Slot& slot = file.slot(i);
    const std::uint32_t stage = slot.stage.load(std::memory_order_acquire);
    if (stage == static_cast<std::uint32_t>(HandOverStage::free)) continue;
    const std::int64_t token = slot.token.load(), job = slot.job.load();
    if (stage > static_cast<std::uint32_t>(HandOverStage::replied) ||
        slot.check.load() != check_of(token, job)) {
      found.is_known = false;
      found.hand_overs.clear();
      return found;
    }
    const auto known = static_cast<HandOverStage>(stage);
    HandOver one{LeaseToken{token}, JobId{job}, known};
    if (known == HandOverStage::replied) one.reply_code = slot.reply_code.load();
    one.accepted = read_bits(slot.accepted);
    one.taken = read_bits(slot.taken);
    found.hand_overs.push_back(one);
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<HandOverSlots>> HandOverSlots::open(const std::string& path, int count,
                                                           const std::string& boot_id) {
  EILBOTE_ASSERT(count > 0 && boot_id.size() < sizeof(File::boot_id));
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return fail(ErrorKind::internal, errno_text("open " + path));
  struct stat facts {};
  const std::size_t wanted = sizeof(File) + static_cast<std::size_t>(count) * sizeof(Slot);
  std::size_t bytes = wanted;
  std::size_t before = 0;
  bool sized = ::fstat(fd, &facts) == 0;
  if (sized) {
    before = static_cast<std::size_t>(facts.st_size);
    bytes = std::max(wanted, before);
    // posix_fallocate, not ftruncate: a full disk is an error now, not a signal at the first mark.
    errno = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
    sized = errno == 0;
  }
  void* const memory = sized ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  const std::string trouble = memory == MAP_FAILED ? errno_text("map " + path) : "";
  ::close(fd);
  if (memory == MAP_FAILED) return fail(ErrorKind::internal, trouble);

  File* const file = static_cast<File*>(memory);
  LeftBehind left_behind;  // an empty file is that of a first start: nothing is left, and that is known
  if (before > 0) left_behind = read(*file, before, boot_id);
  return std::unique_ptr<HandOverSlots>(
      new HandOverSlots(file, bytes, count, boot_id, std::move(left_behind)));
}

HandOverSlots::HandOverSlots(File* file, std::size_t bytes, int count, std::string boot_id,
                             LeftBehind left_behind)
    : file_(file),
      bytes_(bytes),
      count_(count),
      boot_id_(std::move(boot_id)),
      left_behind_(std::move(left_behind)) {}

void HandOverSlots::begin() {
  std::memset(static_cast<void*>(file_), 0, bytes_);
  std::copy(boot_id_.begin(), boot_id_.end(), file_->boot_id.begin());
  file_->count = static_cast<std::uint32_t>(count_);
  file_->magic = kMagic;
  const MutexLock lock(mutex_);
  free_.clear();
  for (int i = count_; i-- > 0;)
    free_.push_back(i);
}

HandOverSlots::~HandOverSlots() {
  ::munmap(file_, bytes_);
}

std::optional<int> HandOverSlots::take(LeaseToken token, JobId job) {
  int index = 0;
  {
    const MutexLock lock(mutex_);
    if (free_.empty()) return std::nullopt;
    index = free_.back();
    free_.pop_back();
  }
  Slot& slot = file_->slot(static_cast<std::size_t>(index));
  clear_bits(slot.accepted);
  clear_bits(slot.taken);
  slot.token.store(token.value(), std::memory_order_relaxed);
  slot.job.store(job.value(), std::memory_order_relaxed);
  slot.check.store(check_of(token.value(), job.value()), std::memory_order_relaxed);
  slot.stage.store(static_cast<std::uint32_t>(HandOverStage::begun), std::memory_order_release);
  return index;
}

void HandOverSlots::mark_dot(int index, const std::vector<int>& accepted) {
  Slot& slot = file_->slot(static_cast<std::size_t>(index));
  clear_bits(slot.accepted);
  for (const int recipient : accepted) {
    const auto bit = static_cast<std::size_t>(recipient);
    if (bit < kHandOverRecipients)
      slot.accepted[bit / 64].fetch_or(std::uint64_t{1} << (bit % 64), std::memory_order_relaxed);
  }
  slot.stage.store(static_cast<std::uint32_t>(HandOverStage::dot), std::memory_order_release);
}

void HandOverSlots::mark_reply(int index, int code) {
  Slot& slot = file_->slot(static_cast<std::size_t>(index));
  if (code >= 200 && code < 300)
    for (std::size_t i = 0; i < slot.taken.size(); ++i)
      slot.taken[i].fetch_or(slot.accepted[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
  slot.reply_code.store(code, std::memory_order_relaxed);
  slot.stage.store(static_cast<std::uint32_t>(HandOverStage::replied), std::memory_order_release);
}

void HandOverSlots::give_back(int slot) {
  file_->slot(static_cast<std::size_t>(slot))
      .stage.store(static_cast<std::uint32_t>(HandOverStage::free), std::memory_order_release);
  const MutexLock lock(mutex_);
  free_.push_back(slot);
}

Result<std::string> running_boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  if (!(file >> id)) return fail(ErrorKind::internal, "cannot read /proc/sys/kernel/random/boot_id");
  return id;
}

}  // namespace eilbote
