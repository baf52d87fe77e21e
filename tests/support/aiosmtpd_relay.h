// A relay on aiosmtpd, in a process of its own.
#pragma once

#include <memory>

#include "support/server_packages.h"
#include "support/temp_folder.h"
#include "support/tls_identity.h"

namespace eilbote::test {

class AiosmtpdRelay {
 public:
  // With an identity it wants STARTTLS before anything else.
  explicit AiosmtpdRelay(const TlsIdentity* identity = nullptr);

  static std::string missing();

  std::uint16_t port() const { return port_; }
  // The files of the mails it took, for read_mail.
  std::vector<std::string> files() const;

 private:
  TempFolder folder_;
  std::unique_ptr<ChildProcess> process_;
  std::uint16_t port_ = 0;
};

}  // namespace eilbote::test
