// How many mails a mailbox sends in a minute: never more than allowed in any 60 seconds as the other side counts them. A send
// counts from its begin, and until 60 seconds after its answer, so that no difference in travel times can bring two closer
// together than they left. Mails whose turn is far away are given its time, one after the other, and come back then; another
// mailbox does not wait for them. Time is handed in. Used on the Graph channel's thread only; begins anew with the process.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"
#include "domain/ids.h"

namespace eilbote {

class MailboxRate {
 public:
  using Steady = Clock::Steady;
  // Beyond what the 60 seconds need: a clock that is not quite ours.
  static constexpr Duration kMargin = std::chrono::milliseconds{500};
  static constexpr Duration kWindow = std::chrono::seconds{60} + kMargin;
  // A turn that nobody came for is forgotten: its mail was cancelled, or went another way.
  static constexpr Duration kTurnLife = std::chrono::minutes{2};
  static constexpr std::size_t kTurnsMax =
      20'000;  // kept per mailbox; later mails share the last turn's time

  struct Pause {
    Steady until{};
    std::string code;  // why, as a delivery code
    std::string text;
  };

  explicit MailboxRate(int per_minute) : per_minute_(per_minute) {}

  // The mail's turn: now, or the time it should come back. The same mail gets the same turn again until it left.
  Steady turn_of(const std::string& mailbox, JobId mail, Steady now);
  // It was sent, or failed: its turn, if it was not used, is free again.
  void leave(const std::string& mailbox, JobId mail);

  // Counts a send that begins now; or says when to ask again.
  std::optional<Steady> begin_send(const std::string& mailbox, Steady now);
  // The send's answer is there, or will not come. Not sent after all: it does not count.
  void end_send(const std::string& mailbox, JobId mail, bool was_sent, Steady now);

  // Nothing is sent before that.
  void pause(const std::string& mailbox, Pause pause);
  // Null: it is not paused.
  const Pause* paused(const std::string& mailbox, Steady now) const;

  // What is counted can be counted again.
  bool is_consistent() const;

 private:
  struct Line {
    std::map<JobId, Steady> turns;
    std::multiset<Steady> times;  // turns, and sends that were answered; in order
    std::deque<Steady> sent;      // the answers of sends within the window
    int sending = 0;
    Pause pause;
    Steady next_tidy{};
  };

  void forget_old(Line& line, Steady now);
  void forget_idle(Steady now);
  Steady next_turn(const Line& line, Steady now) const;
  static void erase_time(Line& line, Steady at);

  const int per_minute_;
  std::map<std::string, Line> lines_;
};

}  // namespace eilbote
