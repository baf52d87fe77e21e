// What write_mime writes, read back by Python's email package: a table of mails, each compared in full.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <boost/json.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

#include "domain/address.h"
#include "domain/mime.h"
#include "domain/mime_body.h"

namespace eilbote {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::string_literals;

constexpr TimePoint kDate{std::chrono::sys_days{std::chrono::year{2026} / 7 / 9} + std::chrono::hours{8}};

std::string times(std::size_t n, const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i)
    out += text;
  return out;
}

Mail plain() {
  Mail mail;
  mail.from = {"sender@example.org", "Sender"};
  mail.to = {{"to@example.com", ""}};
  mail.subject = "Hello";
  mail.text = "Hi there\n";
  return mail;
}

struct Case {
  std::string name;
  std::function<void(Mail&)> change;
  std::string shape = "text/plain";
  bool utf8 = false;
};

Attachment file(std::string name, std::string content, std::string type = "application/pdf") {
  return {std::move(name), std::move(type), std::move(content), "", false};
}
Attachment picture(std::string id) {
  return {"logo.png", "image/png", "\x89PNG\r\n\x1a\n", std::move(id), true};
}
std::string all_bytes() {
  std::string bytes;
  for (int i = 0; i < 1024; ++i)
    bytes += static_cast<char>(i & 255);
  return bytes;
}

std::vector<Case> header_cases() {
  std::vector<Case> cases{
      {"plain", [](Mail&) {}},
      {"name-umlaut", [](Mail& m) { m.from.name = "Jürgen Müller"; }},
      {"name-quoted", [](Mail& m) { m.from.name = "Müller, Jürgen \"der\" \\ (x) <y@z.org>"; }},
      {"name-specials", [](Mail& m) { m.from.name = "Doe, John \"JD\" \\ (x) <y@z.org>; a.b: @"; }},
      {"name-long", [](Mail& m) { m.from.name = times(18, "Langer Name, ") + "Ende"; }},
      {"name-long-atoms", [](Mail& m) { m.from.name = times(30, "atom ") + "end"; }},
      {"name-one-long-word", [](Mail& m) { m.from.name = times(255, "x"); }},
      {"name-blanks", [](Mail& m) { m.from.name = " a  b "; }},
      {"name-like-encoded", [](Mail& m) { m.from.name = "=?UTF-8?Q?x?="; }},
      {"name-cjk",
       [](Mail& m) {
         m.to = {{"a@example.org", times(60, "漢字")}, {"b@example.org", "かな"}};
       }},
      {"many",
       [](Mail& m) {
         m.to.clear();
         for (int i = 0; i < 300; ++i)
           m.to.push_back(
               {fmt::format("recipient.{}@example.com", i), i % 3 == 0 ? "" : fmt::format("R {} ü", i)});
         m.cc = m.to;
       }},
      {"cc-and-reply",
       [](Mail& m) {
         m.cc = {{"c@example.org", "C"}};
         m.reply_to = {{"r1@example.org", ""}, {"r2@example.org", "Résponse"}};
         m.bcc = {{"hidden@example.org", "Hidden"}};
       }},
      {"idn",
       [](Mail& m) {
         m.to = {{"info@müller.de", "Müller"}, {"a@例え.テスト", ""}};
       }},
      {"smtputf8",
       [](Mail& m) {
         m.to = {{"jürgen@müller.de", "Jürgen"}};
       },
       "text/plain", true},
      {"quoted-local",
       [](Mail& m) {
         m.to = {{"\"john doe\"@example.org", "John"}, {"\"a@b\"@example.org", ""}};
       }},
      {"literal-domain",
       [](Mail& m) {
         m.to = {{"root@[192.0.2.1]", ""}};
       }},
      {"long-address",
       [](Mail& m) {
         m.to = {{times(64, "x") + "@" + times(60, "y") + "." + times(60, "z"), "N"}};
       }},
      {"custom-headers",
       [](Mail& m) {
         m.headers = {
             {"X-Plain", "value"},
             {"X-Umlaut", "grün, sehr grün"},
             {"X-Long", times(100, "word ") + "end"},
             {"X-Unbroken", times(2000, "y")},
             {times(76, "N"), "größer"},
             {"List-Unsubscribe", "<https://example.org/u?" + times(300, "q") + ">, <mailto:u@example.org>"},
             {"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"},
             {"X-Looks-Encoded", "=?UTF-8?Q?evil?= =?x"}};
       }},
  };
  // A text of 1- to 4-byte characters whose start moves, so that every fold border meets every byte of each.
  for (int shift = 0; shift < 48; ++shift) {
    const auto shifted = [shift](const std::string& unit) {
      return [=](Mail& m) { m.subject = times(static_cast<std::size_t>(shift), "a") + times(60, unit); };
    };
    cases.push_back({fmt::format("emoji-{}", shift), shifted("😀")});
    cases.push_back({fmt::format("mixed-{}", shift), shifted("aü€😀 ")});
    cases.push_back({fmt::format("latin-{}", shift), shifted("größe und ")});
  }
  return cases;
}

std::vector<Case> subject_cases() {
  std::vector<Case> cases;
  const std::vector<std::string> subjects{
      "x",
      times(998, "x"),
      times(998, "ü"),
      times(998, "😀"),
      times(300, "ab "),
      "  edge blanks  ",
      "inner    blanks     stay " + times(60, "x") + "      here",
      "=?UTF-8?Q?looks_encoded?=",
      "=?utf-8?b?xx?= " + times(90, "x") + " =?",
      "a:b; c, <d> \"e\" \\ (f)",
      "Größe",
      "trailing ü",
      "_under=equals?question_ü",
      times(74, "x") + " y",
      times(64, "x") + " " + times(80, "y") + " z",
  };
  for (std::size_t i = 0; i < subjects.size(); ++i)
    cases.push_back(
        {fmt::format("subject-{}", i), [=](Mail& m) { m.subject = subjects[i] + (i == 11 ? " " : ""); }});
  return cases;
}

std::vector<Case> body_cases() {
  std::vector<Case> cases;
  const std::vector<std::string> bodies{
      "no line end",
      "unix\nlines\n",
      "dos\r\nlines\r\n",
      "old\rmac\rlines\r",
      "mixed\r\n\n\r\r\nend",
      "trailing blank \ntrailing tab\t\n \n\t\n",
      ".\n..\n.dot first\nFrom the start\n--boundary\n--=_0000000000000_mixed\n",
      "equals = and =3D and =\n",
      times(5000, "x"),
      times(75, "x") + " ",
      times(76, "x") + "\n" + times(77, "x") + "\n" + times(75, "x") + "\t\n" + times(74, "x") + " y\n",
      times(74, "x") + "ü\n" + times(75, "x") + "ü\n" + times(73, "x") + "=\n",
      times(200, "größe und menge\n"),
      times(300, "漢字😀"),
      times(300, "漢字\n"),
      "control \x01\x02\x1B\x7F characters\n",
      times(400, "a b "),
      "\n\n\n",
  };
  for (std::size_t i = 0; i < bodies.size(); ++i)
    cases.push_back({fmt::format("body-{}", i), [=](Mail& m) { m.text = bodies[i]; }});
  return cases;
}

std::vector<Case> structure_cases() {
  const std::string html = "<p>Hallo <b>Jürgen</b>, <a href=\"https://example.org\">hier</a></p>";
  const auto set_html = [html](Mail& m) { m.html = html; };
  return {
      {"alternative", set_html, "alternative(text/plain, text/html)"},
      {"derived", [=](Mail& m) { m.text.clear(), set_html(m); }, "alternative(text/plain, text/html)"},
      {"html-of-pictures", [](Mail& m) { m.text.clear(), m.html = "<img src=x>"; }, "text/html"},
      {"mixed-text", [](Mail& m) { m.attachments = {file("a.pdf", all_bytes())}; },
       "mixed(text/plain, application/pdf)"},
      {"mixed-alternative",
       [=](Mail& m) {
         set_html(m), m.attachments = {file("a.pdf", "x"), file("b.pdf", "")};
       },
       "mixed(alternative(text/plain, text/html), application/pdf, application/pdf)"},
      {"related", [=](Mail& m) { set_html(m), m.attachments = {picture("logo@example.org")}; },
       "related(alternative(text/plain, text/html), image/png)"},
      {"related-html-only",
       [](Mail& m) { m.text.clear(), m.html = "<img src=cid:l>", m.attachments = {picture("l")}; },
       "related(text/html, image/png)"},
      {"everything",
       [=](Mail& m) {
         set_html(m), m.attachments = {file("a.pdf", "x"), picture("l1"), file("b", "y"), picture("l2")};
       },
       "mixed(related(alternative(text/plain, text/html), image/png, image/png), application/pdf, "
       "application/pdf)"},
      {"inline-without-html", [](Mail& m) { m.attachments = {picture("l1")}; },
       "mixed(text/plain, image/png)"},
      {"file-names",
       [](Mail& m) {
         for (const std::string& name :
              {"plain.pdf"s, "with blank.pdf"s, "q\"uote;s%.pdf"s, "Größe.pdf"s, times(120, "漢字") + ".pdf",
               times(250, "x") + ".pdf", "😀"s, "semi;colon='x'.pdf"s, "a%20b*.pdf"s, "=?UTF-8?Q?x?=.pdf"s})
           m.attachments.push_back(file(name, "x"));
       },
       "mixed(text/plain" + times(10, ", application/pdf") + ")"},
      {"content-type-parameters",
       [](Mail& m) { m.attachments = {file("a.csv", "a;b\r\n", "text/csv; charset=utf-8; header=present")}; },
       "mixed(text/plain, text/csv)"},
  };
}

json::array boxes(const std::vector<Mailbox>& list) {
  json::array out;
  for (const Mailbox& box : list)
    out.push_back(json::array{box.name, parse_address(box.address).value().wire()});
  return out;
}

// A text part as a reader sees it: LF at the end of every line, the last included.
json::value text_part(const std::string& text) {
  if (text.empty()) return nullptr;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i] == '\r' ? '\n' : text[i];
  }
  if (!out.ends_with('\n')) out += '\n';
  return json::string(out);
}

json::array attachments_of(const Mail& mail) {
  json::array inline_first, rest;
  for (const Attachment& a : mail.attachments) {
    std::string hex;
    for (const char c : a.content)
      hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    json::object one{{"name", a.name},
                     {"type", a.content_type.substr(0, a.content_type.find(';'))},
                     {"content", hex},
                     {"contentId", a.content_id},
                     {"inline", a.is_inline}};
    (a.is_inline && !mail.html.empty() ? inline_first : rest).push_back(std::move(one));
  }
  for (json::value& one : rest)
    inline_first.push_back(std::move(one));
  return inline_first;
}

json::object expected(const Mail& mail, const Case& c) {
  json::object headers;
  for (const auto& [name, value] : mail.headers)
    headers[name] = value;
  const std::string text = mail.text.empty() ? mime::text_of_html(mail.html) : mail.text;
  return {{"utf8", c.utf8},
          {"from", boxes({mail.from})},
          {"to", boxes(mail.to)},
          {"cc", boxes(mail.cc)},
          {"replyTo", boxes(mail.reply_to)},
          {"subject", mail.subject},
          {"date", "2026-07-09T08:00:00+00:00"},
          {"messageId", "<0000000000016@mail.example.org>"},
          {"mimeVersion", "1.0"},
          {"shape", c.shape},
          {"text", text_part(text)},
          {"html", text_part(mail.html)},
          {"headers", headers},
          {"attachments", attachments_of(mail)}};
}

TEST(MimeOracle, python_reads_what_was_meant) {
  std::string folder = (fs::temp_directory_path() / "eilbote-mime-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::size_t written = 0;
  for (const auto& list : {header_cases(), subject_cases(), body_cases(), structure_cases()}) {
    for (const Case& c : list) {
      Mail mail = plain();
      c.change(mail);
      ASSERT_TRUE(check_mail(mail, {}, kDate).empty()) << c.name << " is no mail to begin with";
      std::ofstream(folder + "/" + c.name + ".eml", std::ios::binary)
          << write_mime(mail, {JobId{38}, kDate, "mail.example.org"});
      std::ofstream(folder + "/" + c.name + ".json") << json::serialize(expected(mail, c));
      ++written;
    }
  }
  const std::string command = "python3 " EILBOTE_SOURCE_DIR "/tests/unit/mime_oracle.py " + folder + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string said;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    said.append(buffer.data(), n);
  const int status = pclose(pipe);
  EXPECT_EQ(WEXITSTATUS(status), 0) << said;
  EXPECT_NE(said.find(fmt::format("{} messages read", written)), std::string::npos) << said;
  if (!HasFailure()) fs::remove_all(folder);
}

}  // namespace
}  // namespace eilbote
