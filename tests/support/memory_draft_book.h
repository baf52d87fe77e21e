// A draft book in memory, with a clock and leases the test sets.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "ports/draft_book.h"

namespace eilbote::test {

class MemoryDraftBook final : public DraftBook {
 public:
  Result<std::vector<bool>> note(std::span<const DraftNote> notes) override {
    const std::lock_guard lock(mutex_);
    ++note_calls_;
    if (error_) return fail(*error_);
    std::vector<bool> noted;
    for (const DraftNote& one : notes) {
      const bool is_leased = !lost_.contains(one.draft.job);
      noted.push_back(is_leased);
      if (!is_leased) continue;
      drafts_[one.draft.job] = one.draft;
      drafts_[one.draft.job].noted_at = now_;
    }
    return noted;
  }
  Result<Found> find(std::span<const JobId> jobs) override {
    const std::lock_guard lock(mutex_);
    ++find_calls_;
    if (error_) return fail(*error_);
    Found found{{}, now_};
    for (const JobId job : jobs)
      if (const auto draft = drafts_.find(job); draft != drafts_.end()) found.drafts.push_back(draft->second);
    return found;
  }

  // An earlier attempt was about to send this draft so long ago.
  void had(JobId job, const std::string& mailbox, const std::string& id, Duration ago) {
    const std::lock_guard lock(mutex_);
    drafts_[job] = {job, mailbox, id, "", now_ - ago};
  }
  void lose_lease(JobId job) {
    const std::lock_guard lock(mutex_);
    lost_.insert(job);
  }
  void fail_with(std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
  }
  std::optional<Draft> draft(JobId job) const {
    const std::lock_guard lock(mutex_);
    const auto found = drafts_.find(job);
    return found == drafts_.end() ? std::nullopt : std::optional(found->second);
  }
  int find_calls() const {
    const std::lock_guard lock(mutex_);
    return find_calls_;
  }
  int note_calls() const {
    const std::lock_guard lock(mutex_);
    return note_calls_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<JobId, Draft> drafts_;
  std::set<JobId> lost_;
  std::optional<Error> error_;
  TimePoint now_{std::chrono::hours{500'000}};
  int find_calls_ = 0, note_calls_ = 0;
};

}  // namespace eilbote::test
