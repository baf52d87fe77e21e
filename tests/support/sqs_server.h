// An SQS for tests: npm's fauxqs as a program of its own (tests/node/sqs_server.mjs), in memory, on the loopback. Gone with
// the object or with the test program, however that ends. What goes wrong throws std::runtime_error, which fails the test.
#pragma once

#include <boost/json.hpp>
#include <memory>
#include <string>

#include "support/child_process.h"
#include "support/temp_folder.h"

namespace eilbote::test {

class SqsServer {
 public:
  // Why there can be none on this machine; empty: there can.
  static std::string missing();
  // One for the whole test program, started when it is first asked for.
  static SqsServer& shared();

  SqsServer();

  // "http://127.0.0.1:PORT"
  std::string url() const { return "http://127.0.0.1:" + port_; }
  // Letters that no queue of this server begins with yet.
  std::string new_prefix();

  // Cuts every connection and lets no new one in, until recover(); what is in the queues stays.
  void trouble() const { control("/trouble"); }
  void recover() const { control("/recover"); }

  // A request of SQS's JSON protocol, by nobody in particular; the answer, whatever it is.
  boost::json::value ask(const std::string& action, const boost::json::object& request) const;
  bool has_queue(const std::string& name) const;
  void delete_queue(const std::string& name) const;
  // -1: there is no such queue.
  int waiting(const std::string& name) const { return count(name, "approximateMessageCount"); }
  int in_flight(const std::string& name) const { return count(name, "approximateInflightCount"); }

 private:
  void control(const std::string& path) const;
  int count(const std::string& name, const char* member) const;
  std::string address(const std::string& name) const;

  TempFolder folder_;
  std::unique_ptr<ChildProcess> process_;
  std::string port_, control_port_;
  int prefixes_ = 0;
};

}  // namespace eilbote::test
