#include "support/relay_scenario.h"

#include <gmock/gmock.h>

#include "support/child_process.h"
#include "support/eventually.h"
#include "support/server_packages.h"

namespace eilbote::test {
namespace {

using testing::HasSubstr;

const std::string kSubject = "Grüße aus Köln – 你好, 🚂";
// A dot alone, lines that begin with dots, a line too long for SMTP, spaces at an end, a From that mbox would escape.
const std::string kText = "Schöne Grüße,\n.\n..\n.Punkt\n" + std::string(1200, 'w') +
                          "\nzwei Leerzeichen:  \nFrom here on: 100 % = hundert\n\tÄÖÜ ß € 🚂\n";
const std::string kHtml = "<p>Schöne <b>Grüße</b> &amp; bis bald – 你好</p>\n.\n";
const std::string kFileName = "Übersicht März.bin";
// Every byte, and line ends of all kinds.
const std::string kFileBase64 =
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0-P0BBQkNERUZH"
    "SElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn-AgYKDhIWGh4iJiouMjY6P"
    "kJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq-wsbKztLW2t7i5uru8vb6_wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX"
    "2Nna29zd3t_g4eLj5OXm5-jp6uvs7e7v8PHy8_T19vf4-fr7_P3-_w0KLg0KLgoNDQoKDQ";

}  // namespace

std::unique_ptr<EilboteProcess> RelayScenario::start_server(const std::string& url,
                                                            std::map<std::string, std::string> more) const {
  more.insert({{"EILBOTE_MAIL_PROVIDER", "smtp"},
               {"EILBOTE_SMTP_URL", url},
               {"EILBOTE_SMTP_CONNECT_RETRIES", "none"},
               {"EILBOTE_BREAKER_PROBE", "1h"},
               {"EILBOTE_MESSAGE_ID_DOMAIN", "mail.example.org"}});
  auto server = std::make_unique<EilboteProcess>(folder_ / "data", std::move(more));
  server->start();
  return server;
}

std::string RelayScenario::ca_file(const std::string& certificate) const {
  write_text_file(folder_ / "ca.pem", certificate);
  return folder_ / "ca.pem";
}

bool RelayScenario::is_tried(const MailApi& api, const std::string& id) {
  return eventually([&] { return !api.attempts(id).empty(); }, std::chrono::seconds{60});
}

void RelayScenario::expect_it_waits_for_a_person(const MailApi& api, const std::string& id,
                                                 const std::string& why) {
  ASSERT_TRUE(is_tried(api, id));
  const json::value message = api.message(id);
  EXPECT_EQ(text_at(message, "/status"), "RETRY_PENDING") << message;
  EXPECT_EQ(number_at(message, "/details/retryCount"), 0) << message;
  EXPECT_TRUE(eventually([&] { return breaker_state(api) == "open"; }));
  EXPECT_THAT(text_at(api.read("/breakers"), "/data/0/reason"), HasSubstr(why));
}

std::string breaker_state(const MailApi& api) {
  return text_at(api.read("/breakers"), "/data/0/state");
}

std::string recipients_of(const json::value& message) {
  std::string all;
  for (const json::value& one : message.at_pointer("/details/recipients").as_array()) {
    const std::string address = text_at(one, "/address");
    all += (all.empty() ? "" : ", ") + address.substr(0, address.find('@')) + " " + text_at(one, "/status");
  }
  return all;
}

std::string rich_mail() {
  return json::serialize(json::value{{"from", "shop@example.org"},
                                     {"to", {"ann@example.org"}},
                                     {"cc", {"bob@example.org"}},
                                     {"bcc", {"cid@example.org"}},
                                     {"subject", kSubject},
                                     {"body", {{"text", kText}, {"html", kHtml}}},
                                     {"attachments", json::array{{{"name", kFileName},
                                                                  {"contentType", "application/octet-stream"},
                                                                  {"content", kFileBase64}}}}});
}

json::value read_mail(const std::string& path) {
  const CommandResult read = run_command({"python3", EILBOTE_SOURCE_DIR "/tests/support/read_mail.py", path});
  if (read.exit_code != 0) throw std::runtime_error("read_mail.py: " + read.err);
  return json::parse(read.out);
}

void expect_rich_mail(const json::value& arrived, const std::string& id) {
  EXPECT_EQ(text_at(arrived, "/messageId"), "<" + id + "@mail.example.org>");
  EXPECT_EQ(text_at(arrived, "/from"), "shop@example.org");
  EXPECT_EQ(text_at(arrived, "/to"), "ann@example.org");
  EXPECT_EQ(text_at(arrived, "/cc"), "bob@example.org");
  EXPECT_EQ(text_at(arrived, "/bcc"), "");
  EXPECT_EQ(text_at(arrived, "/subject"), kSubject);
  EXPECT_EQ(text_at(arrived, "/text"), kText);
  EXPECT_EQ(text_at(arrived, "/html"), kHtml);
  EXPECT_EQ(text_at(arrived, "/attachments/0/name"), kFileName);
  EXPECT_EQ(text_at(arrived, "/attachments/0/contentType"), "application/octet-stream");
  EXPECT_EQ(text_at(arrived, "/attachments/0/content"), kFileBase64);
  EXPECT_EQ(text_at(arrived, "/defects"), "[]");
}

}  // namespace eilbote::test
