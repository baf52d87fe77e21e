// Postfix's smtp-sink: takes mails, or fails at a stage as its options say.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/server_packages.h"
#include "support/temp_folder.h"

namespace eilbote::test {

class SmtpSink {
 public:
  // `options` are its own: {"-q", "RCPT"}.
  explicit SmtpSink(const std::vector<std::string>& options = {});

  static std::string missing() { return missing_servers({{"postfix", "usr/sbin/smtp-sink"}}); }

  std::uint16_t port() const { return port_; }
  // The files of the messages that were taken: X- lines with the envelope (X-Mail-Args, X-Rcpt-Args), and the message.
  std::vector<std::string> files() const;

 private:
  TempFolder folder_;
  std::uint16_t port_ = free_port();
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace eilbote::test
