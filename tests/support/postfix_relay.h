// A Postfix of the test's own, as root: with TLS and logins required, passing everything on to one port. Its configuration
// and its queue are in a temporary folder and its accounts in a namespace, so nothing on the machine changes.
#pragma once

#include <memory>

#include "support/server_packages.h"
#include "support/temp_folder.h"
#include "support/tls_identity.h"

namespace eilbote::test {

class PostfixRelay {
 public:
  PostfixRelay(const TlsIdentity& identity, std::uint16_t passes_on_to);

  static std::string missing();

  static constexpr const char* kUser = "shop";
  static constexpr const char* kPassword = "open sesame";
  static constexpr const char* kUnknown = "nobody@example.org";  // 550 at RCPT
  static constexpr int kBytesMax = 60'000;                       // of a message

  std::uint16_t port() const { return port_; }          // STARTTLS; AUTH PLAIN and LOGIN
  std::uint16_t tls_port() const { return tls_port_; }  // TLS from the start; AUTH LOGIN only
  std::uint16_t silent_size_port() const {
    return silent_size_port_;
  }  // like the first, without SIZE in EHLO
  std::string log() const;
  // Waits until the mail with this queue id has gone on.
  bool has_passed_on(const std::string& queue_id) const;

 private:
  void configure(std::uint16_t passes_on_to) const;
  void write_password() const;
  void make_queue(const Account& owner, const Account& submitters) const;

  TempFolder folder_;
  std::uint16_t port_ = free_port(), tls_port_ = free_port(), silent_size_port_ = free_port();
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace eilbote::test
