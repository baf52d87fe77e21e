// The history of a load of numbered mails and the judgement over it: what clients were told, against what was captured
// and what the store says. A violation is printed as a page that names the mails.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "support/captured_mail.h"

namespace eilbote::test {

// A message as the store lists it at the end.
struct StoredMail {
  std::string id;
  std::string status;
};

struct Judgement {
  bool holds = true;
  std::string page;    // always filled: the counts, and what is wrong
  int duplicates = 0;  // files beyond the first of a message
};

class MailHistory {
 public:
  // The address the n-th mail goes to; this is how a captured file finds its number again.
  static std::string recipient(int n) { return "mail" + std::to_string(n) + "@example.org"; }

  // From any thread. A mail of which nothing but `asked` is known was cut off without an answer.
  void asked(int n);
  void acknowledged(int n, const std::string& id);
  void refused(int n, int status);
  std::size_t acknowledged_count() const;
  std::set<std::string> acknowledged_ids() const;

  struct Rules {
    bool duplicates_allowed = true;  // with faults: in the window between hand-over and commit
    bool all_acknowledged = false;   // no request may have been refused or cut off
  };
  // Holds when: every acknowledged mail is captured under its id; no number has two messages; copies of a message
  // carry one Message-ID; every stored message is SENT and captured; every captured one is stored.
  Judgement judge(const std::vector<CapturedMail>& captured, const std::vector<StoredMail>& stored,
                  Rules rules) const;

 private:
  struct Told {
    std::set<std::string> ids;  // more than one: a replay named another message
    int refused_with = 0;
  };
  mutable std::mutex mutex_;
  std::map<int, Told> told_;
};

}  // namespace eilbote::test
