// write_mime: exact bytes where they matter, and that nothing in a mail, checked or not, adds a header or a
// part.
#include "domain/mime.h"

#include <gtest/gtest.h>

#include <sstream>

namespace eilbote::mime_test {
namespace {

using namespace std::string_literals;

const MimeStamp kStamp{JobId{38},
                       TimePoint{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} +
                                 std::chrono::hours{9} + std::chrono::seconds{7}},
                       "mail.example.org"};

Mail plain() {
  Mail mail;
  mail.from = {"sender@example.org", "Sender"};
  mail.to = {{"to@example.com", ""}};
  mail.subject = "Hello";
  mail.text = "Hi there";
  return mail;
}

TEST(Mime, a_plain_mail_to_the_byte) {
  EXPECT_EQ(write_mime(plain(), kStamp),
            "From: Sender <sender@example.org>\r\n"
            "To: to@example.com\r\n"
            "Subject: Hello\r\n"
            "Date: Thu, 01 Jan 2026 09:00:07 +0000\r\n"
            "Message-ID: <0000000000016@mail.example.org>\r\n"
            "MIME-Version: 1.0\r\n"
            "Content-Type: text/plain; charset=utf-8\r\n"
            "Content-Transfer-Encoding: quoted-printable\r\n"
            "\r\n"
            "Hi there\r\n");
}

TEST(Mime, every_level_to_the_byte) {
  Mail mail = plain();
  mail.from.name = "Müller, Jürgen";
  mail.to = {{"a@müller.de", "O'Neil Jr."}};
  mail.cc = {{"c@example.org", "C"}};
  mail.bcc = {{"hidden@example.org", "Hidden"}};
  mail.reply_to = {{"r@example.org", ""}};
  mail.subject = "Größe";
  mail.html = "<p>Hi</p>";
  mail.headers = {{"X-Foo", "bar"}};
  mail.attachments = {{"Größe.pdf", "application/pdf", "pdf", "", false},
                      {"l.png", "image/png", "png", "l@x", true}};
  EXPECT_EQ(write_mime(mail, kStamp),
            "From: =?UTF-8?B?TcO8bGxlciwgSsO8cmdlbg==?= <sender@example.org>\r\n"
            "To: \"O'Neil Jr.\" <a@xn--mller-kva.de>\r\n"
            "Cc: C <c@example.org>\r\n"
            "Reply-To: r@example.org\r\n"
            "Subject: =?UTF-8?B?R3LDtsOfZQ==?=\r\n"
            "Date: Thu, 01 Jan 2026 09:00:07 +0000\r\n"
            "Message-ID: <0000000000016@mail.example.org>\r\n"
            "MIME-Version: 1.0\r\n"
            "X-Foo: bar\r\n"
            "Content-Type: multipart/mixed;\r\n boundary=\"=_0000000000016_mixed\"\r\n"
            "\r\n"
            "--=_0000000000016_mixed\r\n"
            "Content-Type: multipart/related; type=\"multipart/alternative\";\r\n"
            " boundary=\"=_0000000000016_related\"\r\n"
            "\r\n"
            "--=_0000000000016_related\r\n"
            "Content-Type: multipart/alternative;\r\n boundary=\"=_0000000000016_alternative\"\r\n"
            "\r\n"
            "--=_0000000000016_alternative\r\n"
            "Content-Type: text/plain; charset=utf-8\r\n"
            "Content-Transfer-Encoding: quoted-printable\r\n"
            "\r\n"
            "Hi there\r\n"
            "\r\n--=_0000000000016_alternative\r\n"
            "Content-Type: text/html; charset=utf-8\r\n"
            "Content-Transfer-Encoding: quoted-printable\r\n"
            "\r\n"
            "<p>Hi</p>\r\n"
            "\r\n--=_0000000000016_alternative--\r\n"
            "\r\n--=_0000000000016_related\r\n"
            "Content-Type: image/png\r\n"
            "Content-Transfer-Encoding: base64\r\n"
            "Content-ID: <l@x>\r\n"
            "Content-Disposition: inline;\r\n filename=\"l.png\"\r\n"
            "\r\n"
            "cG5n\r\n"
            "\r\n--=_0000000000016_related--\r\n"
            "\r\n--=_0000000000016_mixed\r\n"
            "Content-Type: application/pdf;\r\n name=\"Gr__e.pdf\"\r\n"
            "Content-Transfer-Encoding: base64\r\n"
            "Content-Disposition: attachment;\r\n filename*=UTF-8''Gr%C3%B6%C3%9Fe.pdf\r\n"
            "\r\n"
            "cGRm\r\n"
            "\r\n--=_0000000000016_mixed--\r\n");
}

TEST(Mime, message_id_is_the_job) {
  EXPECT_EQ(message_id(kStamp), "<0000000000016@mail.example.org>");
  EXPECT_EQ(message_id({JobId{0}, {}, ""}), "<0000000000000@localhost>");
}

TEST(Mime, is_a_pure_function) {
  Mail mail = plain();
  mail.html = "<b>x</b>";
  mail.attachments = {{"a", "a/b", "c", "", false}};
  EXPECT_EQ(write_mime(mail, kStamp), write_mime(mail, kStamp));
  MimeStamp other = kStamp;
  other.id = JobId{39};
  EXPECT_NE(write_mime(mail, kStamp), write_mime(mail, other));
}

TEST(Mime, dates_of_every_weekday_and_month) {
  const char* const want[] = {"Thu, 15 Jan", "Sun, 15 Feb", "Sun, 15 Mar", "Wed, 15 Apr",
                              "Fri, 15 May", "Mon, 15 Jun", "Wed, 15 Jul", "Sat, 15 Aug",
                              "Tue, 15 Sep", "Thu, 15 Oct", "Sun, 15 Nov", "Tue, 15 Dec"};
  for (unsigned month = 1; month <= 12; ++month) {
    MimeStamp stamp = kStamp;
    stamp.date = TimePoint{std::chrono::sys_days{std::chrono::year{2026} / std::chrono::month{month} / 15}};
    EXPECT_NE(write_mime(plain(), stamp).find("Date: "s + want[month - 1] + " 2026 00:00:00 +0000\r\n"),
              std::string::npos)
        << want[month - 1];
  }
}

TEST(Mime, nobody_visible_is_undisclosed) {
  Mail mail = plain();
  mail.to.clear();
  mail.bcc = {{"hidden@example.org", "Hidden"}};
  const std::string bytes = write_mime(mail, kStamp);
  EXPECT_NE(bytes.find("\r\nTo: undisclosed-recipients:;\r\n"), std::string::npos);
  EXPECT_EQ(bytes.find("idden"), std::string::npos);
}

TEST(Mime, list_unsubscribe_is_never_encoded) {
  Mail mail = plain();
  const std::string url = "<https://example.org/u?" + std::string(300, 'q') + "=_x>,";
  mail.headers = {{"List-Unsubscribe", url + " <mailto:u@example.org?subject==?UTF-8?Q?x?=>"}};
  EXPECT_NE(write_mime(mail, kStamp)
                .find("List-Unsubscribe: " + url + "\r\n <mailto:u@example.org?subject==?UTF-8?Q?x?=>\r\n"),
            std::string::npos);
}

// The names of all headers of a message, of its parts too, in order.
std::vector<std::string> header_names(const std::string& bytes) {
  std::vector<std::string> names;
  bool head = true;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = bytes.find("\r\n", at);
    const std::string line = bytes.substr(at, end - at);
    if (line.starts_with("--=_"))
      head = !line.ends_with("--");
    else if (line.empty())
      head = false;
    else if (head && line.front() != ' ')
      names.push_back(line.substr(0, line.find(':')));
    at = end + 2;
  }
  return names;
}

// Not one of these would pass check_mail; the writer must hold even so.
TEST(Mime, nothing_can_be_injected) {
  const std::string evil = "x\r\nBcc: evil@example.org\r\n\r\n--=_0000000000016_mixed\r\nevil\n.\r\n\0"s;
  Mail mail;
  mail.from = {"sender@example.org", evil};
  mail.to = {{"to@example.com", evil}, {evil, "dropped"}, {"a@b.org\r\nBcc: evil@example.org", ""}};
  mail.cc = {{evil, evil}};
  mail.subject = evil;
  mail.text = evil;
  mail.html = evil;
  mail.headers = {
      {"X-Text", evil}, {evil, "x"}, {"List-Id", evil}, {"Bcc", "evil@example.org"}, {"References", "ü"}};
  mail.attachments = {{evil, evil, evil, evil, false},
                      {evil, "text/plain; a=\"\r\nBcc: e\"", evil, "l\r\nBcc: e", true}};
  const std::string bytes = write_mime(mail, kStamp);
  EXPECT_EQ(header_names(bytes), (std::vector<std::string>{"From",
                                                           "To",
                                                           "Subject",
                                                           "Date",
                                                           "Message-ID",
                                                           "MIME-Version",
                                                           "X-Text",
                                                           "Content-Type",
                                                           "Content-Type",
                                                           "Content-Type",
                                                           "Content-Type",
                                                           "Content-Transfer-Encoding",
                                                           "Content-Type",
                                                           "Content-Transfer-Encoding",
                                                           "Content-Type",
                                                           "Content-Transfer-Encoding",
                                                           "Content-Disposition",
                                                           "Content-Type",
                                                           "Content-Transfer-Encoding",
                                                           "Content-Disposition"}));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    ASSERT_NE(bytes[i], '\0');
    if (bytes[i] == '\n') {
      ASSERT_EQ(bytes[i - 1], '\r');
    }
    if (bytes[i] == '\r') {
      ASSERT_EQ(bytes[i + 1], '\n');
    }
  }
}

TEST(Mime, a_run_of_blanks_makes_no_long_line) {
  const std::string blanks(1500, ' ');
  Mail mail = plain();
  mail.headers = {{"X-Text", "a" + blanks + "b"}};
  EXPECT_TRUE(check_mail(mail, {}, kStamp.date).empty());
  std::istringstream lines(write_mime(mail, kStamp));
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 77U) << line;
  mail.headers = {{"References", "<a@b>" + blanks + "<c@d>"}};
  EXPECT_FALSE(check_mail(mail, {}, kStamp.date).empty()) << "this one cannot be encoded";
}

TEST(Mime, only_the_last_base64_word_is_padded) {
  for (int shift = 0; shift < 30; ++shift) {
    for (const std::string unit : {"größe und ", "漢字", "😀", "aü€😀 "}) {
      Mail mail = plain();
      mail.subject = std::string(static_cast<std::size_t>(shift), 'a');
      for (int i = 0; i < 60; ++i)
        mail.subject += unit;
      const std::string bytes = write_mime(mail, kStamp);
      const std::string header = bytes.substr(0, bytes.find("\r\nDate:"));
      for (std::size_t at = header.find("?B?"); at != std::string::npos; at = header.find("?B?", at + 1)) {
        const std::size_t end = header.find("?=", at);
        if (header.find("?B?", end) == std::string::npos) break;
        EXPECT_NE(header[end - 1], '=') << header;
      }
    }
  }
}

TEST(Mime, content_like_a_boundary_is_no_boundary) {
  Mail mail = plain();
  mail.text = "--=_0000000000016_mixed\n--=_0000000000016_mixed--\n";
  mail.attachments = {{"a", "text/plain", "--=_0000000000016_mixed--", "", false}};
  const std::string bytes = write_mime(mail, kStamp);
  std::size_t count = 0;
  for (std::size_t at = bytes.find("\n--=_"); at != std::string::npos; at = bytes.find("\n--=_", at + 1))
    ++count;
  EXPECT_EQ(count, 3U) << "two delimiters and the end";
}

TEST(Mime, the_shorter_encoding_is_chosen) {
  const struct {
    const char* name;
    std::string text;
    const char* want;
  } cases[] = {{"ascii", "plain", "quoted-printable"},
               {"some umlauts", "Viele Grüße aus München, bis bald", "quoted-printable"},
               {"japanese", "こんにちは世界、これはメールです", "base64"},
               {"empty lines", "\n\n\n", "quoted-printable"}};
  for (const auto& c : cases) {
    Mail mail = plain();
    mail.text = c.text;
    EXPECT_NE(write_mime(mail, kStamp).find("Content-Transfer-Encoding: "s + c.want), std::string::npos)
        << c.name;
  }
}

}  // namespace
}  // namespace eilbote::mime_test
