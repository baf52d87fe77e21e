// The table of nasty mails.
#include "support/mime_cases.h"

#include <fmt/format.h>

#include <functional>

namespace eilbote::test {
namespace {

using namespace std::string_literals;

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

// A plain mail with one thing changed.
struct Row {
  std::string name;
  std::function<void(Mail&)> change;
  std::string shape = "text/plain";
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

std::vector<Row> header_cases() {
  return {
      {"plain", [](Mail&) {}},
      {"name-umlaut", [](Mail& m) { m.from.name = "Jürgen Müller"; }},
      {"name-quoted", [](Mail& m) { m.from.name = "Müller, Jürgen \"der\" \\ (x) <y@z.org>"; }},
      {"name-specials", [](Mail& m) { m.from.name = "Doe, John \"JD\" \\ (x) <y@z.org>; a.b: @"; }},
      {"name-long", [](Mail& m) { m.from.name = times(18, "Langer Name, ") + "Ende"; }},
      {"name-long-atoms", [](Mail& m) { m.from.name = times(30, "atom ") + "end"; }},
      {"name-one-long-word", [](Mail& m) { m.from.name = times(255, "x"); }},
      {"name-blanks", [](Mail& m) { m.from.name = " a  b "; }},
      {"name-like-encoded", [](Mail& m) { m.from.name = "=?UTF-8?Q?x?="; }},
      {"name-emoji",
       [](Mail& m) { m.from.name = "😀 Ada 👩‍👩‍👧 & 🇩🇪, " + times(20, "👍🏽"); }},
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
       }},
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
             {"X-Blanks", "a" + times(1200, " ") + "b"},
             {"X-Empty", ""},
             {times(76, "N"), "größer"},
             {"List-Unsubscribe", "<https://example.org/u?" + times(300, "q") + ">, <mailto:u@example.org>"},
             {"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"},
             {"X-Looks-Encoded", "=?UTF-8?Q?evil?= =?x"}};
       }},
  };
}

std::vector<Row> shifted_subject_cases() {
  std::vector<Row> cases;
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

std::vector<Row> subject_cases() {
  std::vector<Row> cases;
  const std::vector<std::string> subjects{
      "x",
      times(998, "x"),
      times(998, "ü"),
      times(998, "😀"),
      "お知らせ：" + times(80, "漢字"),
      "a" + times(80, "漢字") + "b",
      times(300, "ab "),
      "  edge blanks  ",
      "inner    blanks     stay " + times(60, "x") + "      here",
      "=?UTF-8?Q?looks_encoded?=",
      "=?utf-8?b?xx?= " + times(90, "x") + " =?",
      "a:b; c, <d> \"e\" \\ (f)",
      "Größe",
      "trailing ü ",
      "_under=equals?question_ü",
      times(74, "x") + " y",
      times(64, "x") + " " + times(80, "y") + " z",
  };
  for (std::size_t i = 0; i < subjects.size(); ++i)
    cases.push_back({fmt::format("subject-{}", i), [=](Mail& m) { m.subject = subjects[i]; }});
  return cases;
}

std::vector<Row> body_cases() {
  std::vector<Row> cases;
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
      times(2000, "x") + "\n" + times(2000, "ü") + "\n.\n" + times(2000, ".") + "\n",
      times(75, "x") + " ",
      times(76, "x") + "\n" + times(77, "x") + "\n" + times(75, "x") + "\t\n" + times(74, "x") + " y\n",
      times(74, "x") + "ü\n" + times(75, "x") + "ü\n" + times(73, "x") + "=\n",
      times(200, "größe und menge\n"),
      times(300, "漢字😀"),
      times(300, "漢字\n"),
      "control \x01\x02\x1B\x7F characters\n",
      times(400, "a b "),
      "\n\n\n",
      "\n",
      "\r",
      "\r\n",
      " ",
  };
  for (std::size_t i = 0; i < bodies.size(); ++i)
    cases.push_back({fmt::format("body-{}", i), [=](Mail& m) { m.text = bodies[i]; }});
  return cases;
}

std::vector<Row> structure_cases() {
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

}  // namespace

std::vector<MimeCase> nasty_mails() {
  std::vector<MimeCase> mails;
  for (const auto& rows :
       {header_cases(), shifted_subject_cases(), subject_cases(), body_cases(), structure_cases()})
    for (const Row& row : rows) {
      mails.push_back({row.name, plain(), row.shape});
      row.change(mails.back().mail);
    }
  return mails;
}

}  // namespace eilbote::test
