// The history of a run with faults: what clients were told, what receivers saw, what was broken, and what the database says in
// the end. One event per line, as JSON, so that a history that breaks a rule can be kept and judged again. Written from any
// thread; judged by history_checker.h.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"

namespace eilbote::test {

class RawSql;

enum class HistoryKind {
  asked,         // a client hands a job in
  acknowledged,  // and is told its id
  refused,       // or was told no
  begun,         // a receiver saw a delivery begin
  ended,         // and end: answered, or given up by its sender
  fault,         // somebody killed a process, stopped a server, cut a line
  attempt,       // an attempt on record, when it began
  stored,        // the job as the database has it in the end
  cancelled,     // a client was told that the job is cancelled
  leased,        // a process that was killed just now held the lease of this job
  limits,        // of a pool, as they are from here on
};
inline constexpr auto kHistoryKindNames =
    enum_names<HistoryKind>({{HistoryKind::asked, "asked"},
                             {HistoryKind::acknowledged, "acknowledged"},
                             {HistoryKind::refused, "refused"},
                             {HistoryKind::begun, "begun"},
                             {HistoryKind::ended, "ended"},
                             {HistoryKind::fault, "fault"},
                             {HistoryKind::attempt, "attempt"},
                             {HistoryKind::stored, "stored"},
                             {HistoryKind::cancelled, "cancelled"},
                             {HistoryKind::leased, "leased"},
                             {HistoryKind::limits, "limits"}});
static_assert(kHistoryKindNames.complete());

// Times are microseconds since 1970 by this machine's clock, which everybody in a test shares.
struct HistoryEvent {
  HistoryKind kind = HistoryKind::asked;
  std::int64_t at = 0;
  std::int64_t until = 0;  // fault, attempt: when it was over
  std::string
      name{};  // the client's own name of the job, the same for every try to hand it in; fault: its kind
  std::string id{};           // the job's
  std::string wire_id{};      // begun: the Message-ID or webhook-id
  std::int64_t delivery = 0;  // begun, ended: which of the receivers' deliveries
  int answer = 0;             // ended: the status the receiver gave; 200 is a success, 0: the sender was gone
  std::string group{};
  int place = 0;         // in its group, from 1
  std::string status{};  // stored: outbox.status; attempt: the verdict; fault: what was done
  std::string dead_reason{};
  int attempts = 0, budget = 0;  // stored: those that count, and how many may
  std::int64_t finished_at = 0;  // stored; 0: not
  std::string
      by{};  // begun: the instance that delivers; fault: the only one it strikes. Empty: not known, all
  std::string
      mode{};  // begun: how its group goes on after a failure; "hold": a mail that must not come twice
  std::string pool{};  // begun, limits
  int rate = 0, burst = 0,
      concurrency = 0;  // limits: starts a minute, starts at once, deliveries at once; 0: none
};

// The kinds of faults that rules ask for by name. After these, bytes that left in time arrive late: a process that was frozen, or
// a line that held them back.
namespace fault_kind {
inline constexpr std::string_view freeze = "freeze", endpoint_stall = "endpoint stall",
                                  endpoint_drip = "endpoint drip", starved = "machine starved",
                                  // These alone never make anything come twice.
    names_fail = "names fail", clock_jump = "clock jump";
}  // namespace fault_kind
bool delays_bytes(std::string_view fault_kind);

std::string history_line(const HistoryEvent& event);
// Nothing when the line is none of these.
std::optional<HistoryEvent> parse_history_line(std::string_view line);

std::int64_t history_now();

class History {
 public:
  // `at` is filled with now where it is 0.
  void add(HistoryEvent event);
  std::vector<HistoryEvent> events() const;
  // How many jobs were acknowledged so far.
  std::size_t acknowledged() const;
  // Writes it all down, for people.
  void save(const std::string& path) const;
  // Adds what was saved; the number of lines that are no events.
  int load(const std::string& path);

 private:
  mutable std::mutex mutex_;
  std::vector<HistoryEvent> events_;
  std::size_t acknowledged_ = 0;
};

// What add_stored has to speak.
enum class HistoryStore { postgres, sqlite };
// The id people see, of what the id column or eilbote_tsid() of such a database says.
std::string job_id_in(const std::string& column, HistoryStore store);
// Adds every job and attempt of a database.
void add_stored(RawSql& sql, History& history, HistoryStore store = HistoryStore::postgres);
// Adds what the capture routes wrote: each file is a delivery that began and ended well when it was written. The name of a mail
// is the first word of its address.
void add_captured(const std::vector<std::string>& folders, History& history);

}  // namespace eilbote::test
