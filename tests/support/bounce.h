// A delivery report as mail servers write it (RFC 3464): for tests that have one come back.
#pragma once

#include <string>

namespace eilbote::test {

struct Bounced {
  std::string message_id;  // of the mail it is about: "<..@..>"
  std::string address;
  std::string action = "failed";
  std::string status = "5.1.1";
  std::string diagnostic = "smtp; 550 5.1.1 no such user";
};

inline std::string bounce(const Bounced& said) {
  return "From: Mail Delivery System <MAILER-DAEMON@relay.example.net>\r\n"
         "To: sender@example.org\r\n"
         "Subject: Undelivered Mail Returned to Sender\r\n"
         "Auto-Submitted: auto-replied\r\n"
         "MIME-Version: 1.0\r\n"
         "Content-Type: multipart/report; report-type=delivery-status; boundary=\"b1\"\r\n"
         "\r\n"
         "--b1\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\n"
         "Your message could not be delivered to one of its recipients.\r\n\r\n"
         "--b1\r\nContent-Type: message/delivery-status\r\n\r\n"
         "Reporting-MTA: dns; relay.example.net\r\n\r\n"
         "Final-Recipient: rfc822; " +
         said.address + "\r\nAction: " + said.action + "\r\nStatus: " + said.status +
         "\r\nDiagnostic-Code: " + said.diagnostic +
         "\r\n\r\n"
         "--b1\r\nContent-Type: text/rfc822-headers\r\n\r\n"
         "From: sender@example.org\r\nMessage-ID: " +
         said.message_id + "\r\n\r\n--b1--\r\n";
}

}  // namespace eilbote::test
