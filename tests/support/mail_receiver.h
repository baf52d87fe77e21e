// A relay that takes mails and writes down what it sees in a history (history.h): a delivery begins when the message is there as a
// whole and ends when it is answered. How it answers is said by headers of the mail, as HookReceiver's are:
//   X-Fail: N, X-Refuse: 1   the first N deliveries are answered 451; every one 554
//   X-Group, X-Place, X-Mode a place in a group, and "hold" for a mail that must not come twice; go into the history
// The name of a mail is the first word of its address, its id the first word of its Message-ID.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "support/history.h"
#include "support/scripted_smtp.h"

namespace eilbote::test {

class MailReceiver {
 public:
  // `pause`: how long it thinks before it answers a message. `by`: who delivers here; empty: anybody.
  explicit MailReceiver(History& history, std::chrono::milliseconds pause = {}, std::string by = "");

  std::uint16_t port() const { return relay_.port(); }

 private:
  std::string take(const std::string& message, int connection);
  void taken(int connection);

  History& history_;
  const std::string by_;
  std::mutex mutex_;
  std::map<std::string, int> deliveries_;  // by id, of those that are to fail
  struct Under {
    std::int64_t delivery = 0;
    int answer = 0;
  };
  std::map<int, Under> under_way_;  // by connection
  ScriptedSmtp relay_;
};

}  // namespace eilbote::test
