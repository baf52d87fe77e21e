// What a process knew about the hand-overs it had under way, in a file that outlives it: one slot per hand-over, mapped
// into memory, so that a mark costs no system call and survives kill -9. It does not survive a power cut, and says so:
// the file carries the boot it belongs to, and marks of another boot are not believed.
//
// The order that makes it worth something: `dot` is marked before the final dot is written, the reply before anything
// else is done with it, and a slot is free again only when the settle of its job is committed.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "domain/ids.h"

namespace eilbote {

enum class HandOverStage : std::uint32_t {
  free = 0,
  begun = 1,    // nothing was handed over yet: the mail can be sent again at once
  dot = 2,      // the final dot may have reached the server: uncertain
  replied = 3,  // the server's answer is known
};

// Recipients a slot has room for. What became of a mail with more is not known after a crash.
inline constexpr std::size_t kHandOverRecipients = 1024;

struct HandOver {
  LeaseToken token;
  JobId job;
  HandOverStage stage = HandOverStage::free;
  int reply_code = 0;  // of `replied`
  // By index. A mail may need several dots: whom the last one was for, and who was taken by it or by an earlier one.
  std::bitset<kHandOverRecipients> accepted{}, taken{};
  friend bool operator==(const HandOver&, const HandOver&) = default;
};

class HandOverSlots {
 public:
  struct LeftBehind {
    // False: the file is damaged, of another boot or another version. Every mail that its process held is uncertain.
    bool is_known = true;
    std::vector<HandOver> hand_overs;  // of the process before this one
  };

  // Opens or makes the file, which nobody else may use (the data folder's lock sees to that), and reads what is left from
  // the process before. `boot_id` names the running boot of this machine.
  static Result<std::unique_ptr<HandOverSlots>> open(const std::string& path, int count,
                                                     const std::string& boot_id);
  ~HandOverSlots();
  HandOverSlots(const HandOverSlots&) = delete;
  HandOverSlots& operator=(const HandOverSlots&) = delete;

  const LeftBehind& left_behind() const { return left_behind_; }
  // Clears the file, once what was left behind is settled; only then are there slots to take. A process that dies before
  // it leaves everything to the next one.
  void begin();

  // A slot of its own for this hand-over; nothing when all are taken. From any thread; each slot by one at a time.
  std::optional<int> take(LeaseToken token, JobId job);
  void mark_dot(int slot, const std::vector<int>& accepted);
  void mark_reply(int slot, int code);
  void give_back(int slot);

 private:
  struct File;
  HandOverSlots(File* file, std::size_t bytes, int count, std::string boot_id, LeftBehind left_behind);

  File* const file_;
  const std::size_t bytes_;
  const int count_;
  const std::string boot_id_;
  const LeftBehind left_behind_;
  Mutex mutex_;
  std::vector<int> free_ EILBOTE_GUARDED_BY(mutex_);
};

// The kernel's name of the running boot; an error where it cannot be read.
Result<std::string> running_boot_id();

}  // namespace eilbote
