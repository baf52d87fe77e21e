// What scenarios with a relay share: a server on SQLite whose mails leave by SMTP, tried once, and one mail with everything
// in it that can get lost on the way.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "support/eilbote_process.h"
#include "support/mail_api.h"
#include "support/temp_folder.h"

namespace eilbote::test {

class RelayScenario : public testing::Test {
 protected:
  // A server that hands mails to `url`. A broken route is tried once and then left alone, so that a test can look.
  std::unique_ptr<EilboteProcess> start_server(const std::string& url,
                                               std::map<std::string, std::string> more = {}) const;
  // Writes the certificate where EILBOTE_SMTP_CA_FILE finds it.
  std::string ca_file(const std::string& certificate) const;
  // Waits until the mail was tried once.
  static bool is_tried(const MailApi& api, const std::string& id);
  // The mail waits, burnt no attempt and is on no wire: somebody has to mend the route first. `why` is in the breaker's reason.
  static void expect_it_waits_for_a_person(const MailApi& api, const std::string& id, const std::string& why);

  TempFolder folder_;
};

std::string breaker_state(const MailApi& api);
// "ann taken, bob refused": the recipients of a message by their local parts.
std::string recipients_of(const json::value& message);

// A mail to ann, bob (cc) and cid (bcc), all @example.org, with text, HTML and an attachment, beyond ASCII everywhere.
std::string rich_mail();
// A mail in a file as read_mail.py reads it.
json::value read_mail(const std::string& path);
// What arrived is the rich mail with this id.
void expect_rich_mail(const json::value& arrived, const std::string& id);

}  // namespace eilbote::test
