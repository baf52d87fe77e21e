#include "channel/mailbox_rate.h"

#include <algorithm>
#include <iterator>

#include "base/assert.h"

namespace eilbote {
namespace {

constexpr std::size_t kIdleMailboxesMax =
    1000;  // mailboxes that have nothing to say are forgotten from here on

}  // namespace

void MailboxRate::erase_time(Line& line, Steady at) {
  if (const auto found = line.times.find(at); found != line.times.end()) line.times.erase(found);
}

void MailboxRate::forget_old(Line& line, Steady now) {
  while (!line.sent.empty() && line.sent.front() + kWindow <= now) {
    erase_time(line, line.sent.front());
    line.sent.pop_front();
  }
  if (now < line.next_tidy) return;
  line.next_tidy = now + kTurnLife;
  for (auto turn = line.turns.begin(); turn != line.turns.end();) {
    const bool is_over = turn->second + kTurnLife <= now;
    if (is_over) erase_time(line, turn->second);
    turn = is_over ? line.turns.erase(turn) : std::next(turn);
  }
}

void MailboxRate::forget_idle(Steady now) {
  for (auto one = lines_.begin(); one != lines_.end();) {
    Line& line = one->second;
    forget_old(line, now);
    const bool is_idle = line.times.empty() && line.sending == 0 && line.pause.until <= now;
    one = is_idle ? lines_.erase(one) : std::next(one);
  }
}

// Behind everybody who has a turn, and a window behind the one who is as many places before. Turns in the future keep a
// distance, so that mails come back one after the other.
MailboxRate::Steady MailboxRate::next_turn(const Line& line, Steady now) const {
  Steady at = std::max(now, line.pause.until);
  const auto places = static_cast<std::size_t>(per_minute_);
  if (line.times.size() >= places) at = std::max(at, *std::prev(line.times.end(), per_minute_) + kWindow);
  if (!line.times.empty() && at > now)
    at = std::max(at, *line.times.rbegin() + Duration{std::chrono::minutes{1}} / (4 * per_minute_));
  return at;
}

MailboxRate::Steady MailboxRate::turn_of(const std::string& mailbox, JobId mail, Steady now) {
  if (lines_.size() >= kIdleMailboxesMax && !lines_.contains(mailbox)) forget_idle(now);
  Line& line = lines_[mailbox];
  forget_old(line, now);
  if (const auto found = line.turns.find(mail); found != line.turns.end()) {
    if (found->second >= line.pause.until || line.pause.until <= now) return found->second;
    leave(mailbox, mail);  // a pause came in between: in line again, or all would come back at its end
  }
  const Steady at = next_turn(line, now);
  if (line.turns.size() < kTurnsMax) {
    line.turns.emplace(mail, at);
    line.times.insert(at);
  }
  EILBOTE_DEBUG_ASSERT(is_consistent());
  return at;
}

void MailboxRate::leave(const std::string& mailbox, JobId mail) {
  const auto line = lines_.find(mailbox);
  if (line == lines_.end()) return;
  const auto turn = line->second.turns.find(mail);
  if (turn == line->second.turns.end()) return;
  erase_time(line->second, turn->second);
  line->second.turns.erase(turn);
}

std::optional<MailboxRate::Steady> MailboxRate::begin_send(const std::string& mailbox, Steady now) {
  Line& line = lines_[mailbox];
  forget_old(line, now);
  if (line.pause.until > now) return line.pause.until;
  if (static_cast<int>(line.sent.size()) + line.sending < per_minute_) {
    ++line.sending;
    return std::nullopt;
  }
  // With all places taken by sends without an answer, one of them must end first: soon, they have a timeout.
  if (line.sent.empty()) return now + std::chrono::seconds{1};
  return line.sent.front() + kWindow;
}

void MailboxRate::end_send(const std::string& mailbox, JobId mail, bool was_sent, Steady now) {
  leave(mailbox, mail);
  Line& line = lines_[mailbox];
  EILBOTE_ASSERT(line.sending > 0);
  --line.sending;
  if (!was_sent) return;
  line.sent.push_back(now);
  line.times.insert(now);
  EILBOTE_DEBUG_ASSERT(is_consistent());
}

void MailboxRate::pause(const std::string& mailbox, Pause pause) {
  Pause& known = lines_[mailbox].pause;
  if (pause.until > known.until) known = std::move(pause);
}

const MailboxRate::Pause* MailboxRate::paused(const std::string& mailbox, Steady now) const {
  const auto line = lines_.find(mailbox);
  return line != lines_.end() && line->second.pause.until > now ? &line->second.pause : nullptr;
}

bool MailboxRate::is_consistent() const {
  return std::all_of(lines_.begin(), lines_.end(), [](const auto& one) {
    const Line& line = one.second;
    return line.times.size() == line.turns.size() + line.sent.size() && line.sending >= 0;
  });
}

}  // namespace eilbote
