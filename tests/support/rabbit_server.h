// A real RabbitMQ of the test's own: a node in a temporary folder, on free ports of the loopback, with an Erlang port mapper of
// its own. Unpacked by `./dev test`, not installed. Started by the constructor, gone with the object or with the test program,
// however that ends. What goes wrong throws std::runtime_error with what it said, which fails the test.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/temp_folder.h"
#include "support/tls_identity.h"

namespace eilbote::test {

class RabbitServer {
 public:
  static constexpr const char* kUser = "shop";
  static constexpr const char* kPassword = "not-the-guest-4711";

  // Why there can be none on this machine; empty: there can.
  static std::string missing();
  // One broker for the whole test program, started when it is first asked for.
  static RabbitServer& shared();

  RabbitServer();
  ~RabbitServer();

  std::uint16_t port() const { return port_; }
  std::uint16_t tls_port() const { return tls_port_; }
  // With the password; through `port` when a proxy stands in front.
  std::string url(const std::string& vhost, std::uint16_t port = 0) const;
  std::string tls_url(const std::string& vhost) const;
  // The certificate that signs the broker's, which is for the name localhost.
  std::string ca_file() const { return folder_ / "certificate.pem"; }
  // An empty virtual host that nobody had before.
  std::string new_vhost();

  // With what it had on disk before.
  void start();
  void stop();  // asks it to end, and waits
  void kill();  // as a crash: kill -9
  bool is_running() const { return node_ != nullptr; }

  // rabbitmqctl; what it printed.
  std::string control(const std::vector<std::string>& arguments) const;
  // The memory alarm: the broker takes no messages while it is on.
  void set_memory_alarm(bool on) const;
  // Messages in a queue, those included that are out and not acknowledged; -1: there is no such queue.
  int messages(const std::string& vhost, const std::string& queue) const;
  void delete_queue(const std::string& vhost, const std::string& queue) const;

 private:
  void write_settings() const;
  std::map<std::string, std::string> environment() const;

  const TempFolder folder_;
  const std::uint16_t port_, tls_port_, mapper_port_, node_port_;
  int vhosts_ = 0;
  std::unique_ptr<ChildProcess> mapper_, node_;
};

}  // namespace eilbote::test
