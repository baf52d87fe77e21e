// A history sorted by what it is about: jobs, deliveries, faults, pools. What the rules of history_checker.h are decided on.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/history.h"

namespace eilbote::test {

// One time a receiver had a job in its hands.
struct SeenDelivery {
  std::int64_t begun = 0, ended = 0;  // ended 0: it was never seen to end
  std::string id, wire_id, group;
  int place = 0;
  int answer = 0;
  std::string by, mode, pool;
  bool taken() const { return answer >= 200 && answer < 300; }
  // When it was over; the end of time when nobody saw that.
  std::int64_t over() const;
};

struct RecordedAttempt {
  std::int64_t from = 0, until = 0;
  std::string verdict;
};

struct StruckFault {
  std::int64_t from = 0, until = 0;
  std::string kind, by, what;
};

// What is known of one job.
struct ToldJob {
  bool acknowledged = false;
  std::int64_t cancelled_at = 0;  // when a client was told so first; 0: nobody was
  const HistoryEvent* stored = nullptr;
  std::vector<const SeenDelivery*> deliveries;  // by begun
  std::vector<RecordedAttempt> attempts;        // by from
};

struct SortedHistory {
  std::map<std::string, std::set<std::string>> ids_of_name;
  std::map<std::string, int>
      refused_again;  // by the client's name: acknowledged before, and then refused with this
  std::map<std::string, ToldJob> jobs;
  std::map<std::int64_t, SeenDelivery> deliveries;
  std::vector<StruckFault> faults;             // by from
  std::map<std::string, HistoryEvent> limits;  // by pool
  std::int64_t longest_fault = 0;

  // The faults that touch a stretch of time and concern this instance, which may be unknown.
  std::vector<const StruckFault*> faults_between(std::int64_t from, std::int64_t until,
                                                 const std::string& by = "") const;
};

// `events` outlive it.
SortedHistory sort_history(const std::vector<HistoryEvent>& events);

}  // namespace eilbote::test
