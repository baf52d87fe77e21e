// A DNS server of the test's own: each name has a row of answers, one per question; the last one stays. On UDP, port 53 of an
// address of the loopback that nobody else uses, so for root only. Gone with the object.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace eilbote::test {

class ScriptedDns {
 public:
  // What a question for IPv4 addresses is answered with; empty: the name has none.
  using Answer = std::vector<std::string>;

  explicit ScriptedDns(std::map<std::string, std::vector<Answer>> script);
  ~ScriptedDns();
  ScriptedDns(const ScriptedDns&) = delete;
  ScriptedDns& operator=(const ScriptedDns&) = delete;

  const std::string& address() const { return address_; }
  // Questions for IPv4 addresses of this name so far.
  int asked(const std::string& name) const;

 private:
  void serve();
  std::string reply_to(const std::string& question);
  Answer next_answer(const std::string& name);

  const std::map<std::string, std::vector<Answer>> script_;
  std::string address_;
  int fd_ = -1;
  mutable std::mutex mutex_;
  std::map<std::string, int> asked_;
  std::thread thread_;
};

// The command with this server as its only resolver. The files it needs are written to `folder`.
std::vector<std::string> resolved_by(const ScriptedDns& dns, const std::string& folder,
                                     const std::vector<std::string>& command);

}  // namespace eilbote::test
