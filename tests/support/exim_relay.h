// An Exim of the test's own, as root: STARTTLS and AUTH PLAIN required, passing everything on to one port. Its configuration,
// its spool and its account exist for it alone, as with PostfixRelay.
#pragma once

#include <memory>

#include "support/server_packages.h"
#include "support/temp_folder.h"
#include "support/tls_identity.h"

namespace eilbote::test {

class EximRelay {
 public:
  EximRelay(const TlsIdentity& identity, std::uint16_t passes_on_to);

  static std::string missing();

  static constexpr const char* kUser = "shop";
  static constexpr const char* kPassword = "open sesame";
  static constexpr const char* kUnknown = "nobody@example.org";  // 550 at RCPT

  std::uint16_t port() const { return port_; }
  std::string log() const;
  // Waits until the mail with this queue id has gone on.
  bool has_passed_on(const std::string& queue_id) const;

 private:
  TempFolder folder_;
  std::uint16_t port_ = free_port();
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace eilbote::test
