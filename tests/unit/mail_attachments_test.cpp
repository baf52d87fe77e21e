// check_mail: attachments, from both sides of every rule.
#include "unit/mail_cases.h"

namespace eilbote::mail_attachments_test {
namespace {

using namespace mail_cases;

TEST(CheckMail, attachments) {
  const auto with = [](std::function<void(Attachment&)> change) {
    return [change](Mail& m) {
      m.attachments = {pdf(), pdf()};
      change(m.attachments[1]);
    };
  };
  using A = Attachment;
  run({
      {"two", with([](A&) {})},
      {"empty content", with([](A& a) { a.content.clear(); })},
      {"any bytes", with([](A& a) { a.content = "\0\xFF\r\n"s; })},
      {"20", [](Mail& m) { m.attachments.assign(20, pdf()); }},
      {"21", [](Mail& m) { m.attachments.assign(21, pdf()); }, {"/attachments"}},
      {"3 MiB", with([](A& a) { a.content.assign(3 << 20, 'x'); })},
      {"3 MiB and a byte",
       with([](A& a) { a.content.assign((3 << 20) + 1, 'x'); }),
       {"/attachments/1/content"}},
      {"10 MiB together",
       [](Mail& m) {
         m.attachments = {pdf(3 << 20), pdf(3 << 20), pdf(3 << 20), pdf(1 << 20)};
       }},
      {"more together",
       [](Mail& m) {
         m.attachments = {pdf(3 << 20), pdf(3 << 20), pdf(3 << 20), pdf((1 << 20) + 1)};
       },
       {"/attachments"}},
      {"no name", with([](A& a) { a.name.clear(); }), {"/attachments/1/name"}},
      {"slash", with([](A& a) { a.name = "../etc/passwd"; }), {"/attachments/1/name"}},
      {"backslash", with([](A& a) { a.name = "C:\\x.pdf"; }), {"/attachments/1/name"}},
      {"dots", with([](A& a) { a.name = ".."; }), {"/attachments/1/name"}},
      {"line break in the name", with([](A& a) { a.name = "a\r\n.pdf"; }), {"/attachments/1/name"}},
      {"NUL in the name", with([](A& a) { a.name = "a\0.pdf"s; }), {"/attachments/1/name"}},
      {"name not UTF-8", with([](A& a) { a.name = "\xFF.pdf"; }), {"/attachments/1/name"}},
      {"name of 255", with([](A& a) { a.name = text(255, "ü"); })},
      {"name of 256", with([](A& a) { a.name = text(256); }), {"/attachments/1/name"}},
      {"name of any signs", with([](A& a) { a.name = "Angebot \"März\" (1); 100%.pdf"; })},
      {"inline with contentId", with([](A& a) { a.is_inline = true, a.content_id = "logo@example.org"; })},
      {"inline without", with([](A& a) { a.is_inline = true; }), {"/attachments/1/contentId"}},
      {"contentId alone", with([](A& a) { a.content_id = "logo"; })},
      {"contentId with brackets", with([](A& a) { a.content_id = "<logo>"; }), {"/attachments/1/contentId"}},
      {"contentId with a line break",
       with([](A& a) { a.content_id = "a\r\nb"; }),
       {"/attachments/1/contentId"}},
      {"contentId with a blank", with([](A& a) { a.content_id = "a b"; }), {"/attachments/1/contentId"}},
      {"contentId of 129", with([](A& a) { a.content_id = text(129); }), {"/attachments/1/contentId"}},
      {"contentId with two @", with([](A& a) { a.content_id = "a@b@c"; }), {"/attachments/1/contentId"}},
      {"contentId twice",
       [](Mail& m) {
         m.attachments = {{"a", "a/b", "", "x", true}, {"b", "a/b", "", "x", true}};
       },
       {"/attachments/1/contentId"}},
  });
}

}  // namespace
}  // namespace eilbote::mail_attachments_test
