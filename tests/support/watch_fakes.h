// What the Graph watch stands on, in memory: a door that a function answers, and a store of mailboxes and notices. Both write into
// one journal, so that a test can say what happened before what.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "channel/graph_door.h"
#include "ports/mailbox_watch.h"

namespace eilbote::test {

class WatchJournal {
 public:
  void write(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  // How many lines begin so.
  std::size_t count(std::string_view begin) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(
        lines_.begin(), lines_.end(), [&](const std::string& line) { return line.starts_with(begin); }));
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    lines_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

inline GraphAnswer door_answer(int status, std::string body = "", std::string code = "") {
  GraphAnswer answer;
  answer.status = status;
  answer.body = std::move(body);
  answer.code = std::move(code);
  return answer;
}

// Answers within the call, on the caller's thread.
class AnsweringDoor final : public GraphDoor {
 public:
  explicit AnsweringDoor(WatchJournal& journal) : journal_(journal) {}

  // Nothing in the optional: no answer ever comes.
  std::function<std::optional<GraphAnswer>(const GraphCall&)> answer = [](const GraphCall&) {
    return door_answer(404);
  };

  void call(GraphCall call, Done done) override {
    journal_.write(call.method + " " + call.path);
    if (auto given = answer(call)) done(std::move(*given));
  }
  void release_waiting() override {}

 private:
  WatchJournal& journal_;
};

class MemoryMailboxWatch final : public MailboxWatch {
 public:
  explicit MemoryMailboxWatch(WatchJournal& journal) : journal_(journal) {}

  // The name of an operation that fails, as often as said.
  void fail_next(const std::string& operation, int times = 1) {
    const std::lock_guard lock(mutex_);
    failing_[operation] = times;
  }
  WatchedMailbox row(const std::string& mailbox) const {
    const std::lock_guard lock(mutex_);
    const auto found = rows_.find(mailbox);
    return found == rows_.end() ? WatchedMailbox{} : found->second;
  }
  void set(const WatchedMailbox& row) {
    const std::lock_guard lock(mutex_);
    rows_[row.mailbox] = row;
  }
  std::size_t waiting_count() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(notices_.begin(), notices_.end(), [](const Kept& kept) { return !kept.is_read; }));
  }
  // Put-off notices wait again, whatever their time.
  void put_back() {
    const std::lock_guard lock(mutex_);
    for (Kept& kept : notices_)
      kept.is_put_off = false;
  }

  Result<std::vector<WatchedMailbox>> keep(Epoch, std::span<const std::string> mailboxes, Duration) override {
    const std::lock_guard lock(mutex_);
    if (fails("keep")) return fail(ErrorKind::unavailable, "keep");
    std::vector<WatchedMailbox> kept;
    for (const std::string& mailbox : mailboxes) {
      rows_[mailbox].mailbox = mailbox;
      kept.push_back(rows_[mailbox]);
    }
    return kept;
  }
  Result<std::vector<std::string>> known(int limit) override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, row] : rows_)
      if (static_cast<int>(names.size()) < limit) names.push_back(name);
    return names;
  }
  Result<void> save(const WatchedMailbox& row) override {
    const std::lock_guard lock(mutex_);
    if (fails("save")) return fail(ErrorKind::unavailable, "save");
    journal_.write("save subscription=" + row.subscription_id +
                   " state=" + (row.client_state.empty() ? "none" : "set") + " link=" + row.delta_link);
    const auto wants = rows_[row.mailbox].wants;
    rows_[row.mailbox] = row;
    rows_[row.mailbox].wants = wants == row.wants ? std::nullopt : wants;
    return {};
  }
  Result<std::vector<WatchedMailbox>> with_subscriptions(std::span<const std::string> ids) override {
    const std::lock_guard lock(mutex_);
    std::vector<WatchedMailbox> found;
    for (const auto& [name, row] : rows_)
      if (std::find(ids.begin(), ids.end(), row.subscription_id) != ids.end()) found.push_back(row);
    return found;
  }
  Result<void> want(const std::string& mailbox, GraphLifecycle wish) override {
    const std::lock_guard lock(mutex_);
    if (const auto found = rows_.find(mailbox); found != rows_.end()) found->second.wants = wish;
    return {};
  }
  Result<int> add(std::span<const MailNotice> notices) override {
    const std::lock_guard lock(mutex_);
    if (fails("add")) return fail(ErrorKind::unavailable, "add");
    int added = 0;
    for (const MailNotice& notice : notices) {
      const bool is_known = std::any_of(notices_.begin(), notices_.end(), [&](const Kept& kept) {
        return kept.notice.mailbox == notice.mailbox && kept.notice.message_id == notice.message_id;
      });
      if (is_known) continue;
      notices_.push_back({notice});
      notices_.back().notice.number = static_cast<std::int64_t>(notices_.size());
      ++added;
    }
    journal_.write("add " + std::to_string(added));
    return added;
  }
  Result<std::vector<MailNotice>> waiting(std::span<const std::string> mailboxes, int limit) override {
    const std::lock_guard lock(mutex_);
    if (fails("waiting")) return fail(ErrorKind::unavailable, "waiting");
    std::vector<MailNotice> found;
    for (const Kept& kept : notices_)
      if (!kept.is_read && !kept.is_put_off && static_cast<int>(found.size()) < limit &&
          std::find(mailboxes.begin(), mailboxes.end(), kept.notice.mailbox) != mailboxes.end())
        found.push_back(kept.notice);
    return found;
  }
  Result<void> read(std::span<const std::int64_t> numbers) override {
    const std::lock_guard lock(mutex_);
    if (fails("read")) return fail(ErrorKind::unavailable, "read");
    for (const std::int64_t number : numbers)
      notices_[static_cast<std::size_t>(number - 1)].is_read = true;
    return {};
  }
  Result<void> put_off(std::int64_t number, Duration delay) override {
    const std::lock_guard lock(mutex_);
    Kept& kept = notices_[static_cast<std::size_t>(number - 1)];
    ++kept.notice.tries;
    kept.is_put_off = true;
    journal_.write("put off for " +
                   std::to_string(std::chrono::duration_cast<std::chrono::seconds>(delay).count()) + " s");
    return {};
  }
  Result<int> forget_read(int) override { return 0; }

 private:
  struct Kept {
    MailNotice notice;
    bool is_read = false, is_put_off = false;
  };

  bool fails(const std::string& operation) {
    const auto found = failing_.find(operation);
    return found != failing_.end() && found->second-- > 0;
  }

  WatchJournal& journal_;
  mutable std::mutex mutex_;
  std::map<std::string, WatchedMailbox> rows_;
  std::vector<Kept> notices_;
  std::map<std::string, int> failing_;
};

}  // namespace eilbote::test
