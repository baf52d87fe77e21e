// Everything that can be set about a mail relay: plain data, filled by the configuration, used by the SMTP channel.
#pragma once

#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/time.h"
#include "domain/smtp_target.h"

namespace eilbote {

// What a refused login means for a mail: it waits for a person, or it is FAILED at once.
enum class SmtpAuthFailure { wait, fail };
inline constexpr auto kSmtpAuthFailureNames =
    enum_names<SmtpAuthFailure>({{SmtpAuthFailure::wait, "wait"}, {SmtpAuthFailure::fail, "fail"}});
static_assert(kSmtpAuthFailureNames.complete());

struct SmtpTimeouts {
  Duration dns = std::chrono::seconds{10}, connect = std::chrono::seconds{30},
           banner = std::chrono::seconds{60},
           command = std::chrono::seconds{60},  // EHLO, STARTTLS, AUTH, MAIL, RCPT, RSET
      data = std::chrono::seconds{120}, body = std::chrono::seconds{180}, dot = std::chrono::seconds{600},
           idle = std::chrono::seconds{30};  // an unused connection is closed

  friend bool operator==(const SmtpTimeouts&, const SmtpTimeouts&) = default;
};

struct SmtpOptions {
  std::string route = "smtp";  // its name in attempts, metrics and breakers
  SmtpTarget target;           // no host: there is no such relay
  std::string secret_ref;      // of the password or the token; empty: no login
  std::string ca_file;         // whom to trust instead of the system's authorities; empty: those
  std::string ehlo_name;
  SmtpTimeouts timeouts;
  int connections_max = 20;
  int mails_per_connection_max = 1000;
  double mails_per_second_max = 0;  // 0: as fast as it goes
  // Waits before a network fault is tried again within the same attempt.
  std::vector<Duration> connect_retries{std::chrono::seconds{5}, std::chrono::seconds{15},
                                        std::chrono::seconds{30}};
  SmtpAuthFailure auth_failure = SmtpAuthFailure::wait;
};

}  // namespace eilbote
