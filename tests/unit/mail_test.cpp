// check_mail: every rule from both sides, by one change to a mail that is right. Headers and attachments have files of their
// own.
#include "unit/mail_cases.h"

namespace eilbote::mail_test {
namespace {

using namespace mail_cases;

TEST(CheckMail, envelope) {
  run({
      {"right as it is", [](Mail&) {}},
      {"no from", [](Mail& m) { m.from = {}; }, {"/from"}},
      {"bad from", [](Mail& m) { m.from.address = "nobody"; }, {"/from"}},
      {"name with a line break", [](Mail& m) { m.from.name = "a\r\nBcc: x@y.org"; }, {"/from/name"}},
      {"name with NUL", [](Mail& m) { m.from.name = "a\0b"s; }, {"/from/name"}},
      {"name not UTF-8", [](Mail& m) { m.from.name = "\xFF"; }, {"/from/name"}},
      {"name of 255", [](Mail& m) { m.from.name = text(255, "ü"); }},
      {"name of 256", [](Mail& m) { m.from.name = text(256, "ü"); }, {"/from/name"}},
      {"any name", [](Mail& m) { m.from.name = "Jürgen \"der\" 😀, Müller <x>"; }},
      {"no to", [](Mail& m) { m.to.clear(); }, {"/to"}},
      {"only cc is not enough", [](Mail& m) { m.to.clear(), m.cc = boxes(1); }, {"/to"}},
      {"second to is bad",
       [](Mail& m) {
         m.to.push_back({"x", ""});
       },
       {"/to/1"}},
      {"bad cc",
       [](Mail& m) {
         m.cc = {{"a@b.de", ""}, {"x@", ""}};
       },
       {"/cc/1"}},
      {"bad bcc",
       [](Mail& m) {
         m.bcc = {{"a\n@b.de", ""}};
       },
       {"/bcc/0"}},
      {"bad bcc name",
       [](Mail& m) {
         m.bcc = {{"a@b.de", "\x01"}};
       },
       {"/bcc/0/name"}},
      {"IDN and SMTPUTF8",
       [](Mail& m) {
         m.to = {{"jürgen@müller.de", "Jürgen"}};
       }},
      {"1,000 recipients", [](Mail& m) { m.to = boxes(400), m.cc = boxes(300), m.bcc = boxes(300); }},
      {"1,001 recipients",
       [](Mail& m) { m.to = boxes(400), m.cc = boxes(300), m.bcc = boxes(301); },
       {"/to"}},
      {"10 replyTo", [](Mail& m) { m.reply_to = boxes(10); }},
      {"11 replyTo", [](Mail& m) { m.reply_to = boxes(11); }, {"/replyTo"}},
      {"bad replyTo",
       [](Mail& m) {
         m.reply_to = {{"", ""}};
       },
       {"/replyTo/0"}},
  });
}

TEST(CheckMail, content) {
  run({
      {"no subject", [](Mail& m) { m.subject.clear(); }, {"/subject"}},
      {"subject of 998", [](Mail& m) { m.subject = text(998, "😀"); }},
      {"subject of 999", [](Mail& m) { m.subject = text(999); }, {"/subject"}},
      {"subject with CRLF", [](Mail& m) { m.subject = "a\r\nBcc: b@example.org"; }, {"/subject"}},
      {"subject with LF", [](Mail& m) { m.subject = "a\nb"; }, {"/subject"}},
      {"subject with CR", [](Mail& m) { m.subject = "a\rb"; }, {"/subject"}},
      {"subject with NUL", [](Mail& m) { m.subject = "a\0b"s; }, {"/subject"}},
      {"subject not UTF-8", [](Mail& m) { m.subject = "\xC3"; }, {"/subject"}},
      {"no body", [](Mail& m) { m.text.clear(); }, {"/body"}},
      {"html alone", [](Mail& m) { m.text.clear(), m.html = "<p>x</p>"; }},
      {"both", [](Mail& m) { m.html = "<p>x</p>"; }},
      {"text with line breaks and tabs", [](Mail& m) { m.text = "a\r\nb\n\tc\x0C"; }},
      {"text with NUL", [](Mail& m) { m.text = "a\0b"s; }, {"/body/text"}},
      {"text not UTF-8", [](Mail& m) { m.text = "\xFF"; }, {"/body/text"}},
      {"html with NUL", [](Mail& m) { m.html = "\0"s; }, {"/body/html"}},
      {"html not UTF-8", [](Mail& m) { m.html = "<p>\xE2\x82</p>"; }, {"/body/html"}},
  });
}

TEST(CheckMail, metadata_and_tags) {
  run({
      {"metadata",
       [](Mail& m) {
         m.metadata = {{"order", "4711"}, {"größe", "ü"}, {"empty", ""}};
       }},
      {"50 entries",
       [](Mail& m) {
         for (int i = 0; i < 50; ++i)
           m.metadata[std::to_string(i)] = "v";
       }},
      {"51 entries",
       [](Mail& m) {
         for (int i = 0; i < 51; ++i)
           m.metadata[std::to_string(i)] = "v";
       },
       {"/metadata"}},
      {"empty key", [](Mail& m) { m.metadata[""] = "v"; }, {"/metadata/"}},
      {"key of 64", [](Mail& m) { m.metadata[text(64, "ü")] = "v"; }},
      {"key of 65", [](Mail& m) { m.metadata[text(65)] = "v"; }, {"/metadata/" + text(65)}},
      {"key with a line break", [](Mail& m) { m.metadata["a\nb"] = "v"; }, {"/metadata/a\nb"}},
      {"value of 1,024", [](Mail& m) { m.metadata["k"] = text(1024, "ü"); }},
      {"value of 1,025", [](Mail& m) { m.metadata["k"] = text(1025); }, {"/metadata/k"}},
      {"value with NUL", [](Mail& m) { m.metadata["a/b"] = "\0"s; }, {"/metadata/a~1b"}},
      {"value not UTF-8", [](Mail& m) { m.metadata["k"] = "\x80"; }, {"/metadata/k"}},
      {"20 tags",
       [](Mail& m) {
         for (int i = 0; i < 20; ++i)
           m.tags.push_back(std::to_string(i));
       }},
      {"21 tags",
       [](Mail& m) {
         for (int i = 0; i < 21; ++i)
           m.tags.push_back(std::to_string(i));
       },
       {"/tags"}},
      {"empty tag",
       [](Mail& m) {
         m.tags = {"a", ""};
       },
       {"/tags/1"}},
      {"tag of 64", [](Mail& m) { m.tags = {text(64, "ü")}; }},
      {"tag of 65", [](Mail& m) { m.tags = {text(65)}; }, {"/tags/0"}},
      {"tag twice",
       [](Mail& m) {
         m.tags = {"a", "b", "a"};
       },
       {"/tags/2"}},
      {"other case is another tag",
       [](Mail& m) {
         m.tags = {"a", "A"};
       }},
      {"tag with a control", [](Mail& m) { m.tags = {"a\x7F"}; }, {"/tags/0"}},
      {"campaignId of 128", [](Mail& m) { m.campaign_id = text(128); }},
      {"campaignId of 129", [](Mail& m) { m.campaign_id = text(129); }, {"/campaignId"}},
      {"group of 128", [](Mail& m) { m.group = text(128); }},
      {"group of 129", [](Mail& m) { m.group = text(129); }, {"/group"}},
      {"group with NUL", [](Mail& m) { m.group = "\0"s; }, {"/group"}},
      {"pool of 64", [](Mail& m) { m.pool = text(64); }},
      {"pool of 65", [](Mail& m) { m.pool = text(65); }, {"/pool"}},
      {"pool not UTF-8", [](Mail& m) { m.pool = "\xFF"; }, {"/pool"}},
  });
}

TEST(CheckMail, times) {
  run({
      {"scheduled in the past is now", [](Mail& m) { m.scheduled_for = kNow - 24h; }},
      {"scheduled in a year", [](Mail& m) { m.scheduled_for = kNow + std::chrono::days{365}; }},
      {"scheduled later than that",
       [](Mail& m) { m.scheduled_for = kNow + std::chrono::days{367}; },
       {"/scheduledFor"}},
      {"expires in a second", [](Mail& m) { m.expires_at = kNow + 1s; }},
      {"expires now", [](Mail& m) { m.expires_at = kNow; }, {"/expiresAt"}},
      {"expired", [](Mail& m) { m.expires_at = kNow - 1s; }, {"/expiresAt"}},
      {"expires after it is due", [](Mail& m) { m.scheduled_for = kNow + 1h, m.expires_at = kNow + 2h; }},
      {"expires when it is due",
       [](Mail& m) { m.scheduled_for = kNow + 1h, m.expires_at = kNow + 1h; },
       {"/expiresAt"}},
      {"expires before it is due",
       [](Mail& m) { m.scheduled_for = kNow + 2h, m.expires_at = kNow + 1h; },
       {"/expiresAt"}},
  });
}

TEST(CheckMail, callback) {
  const auto url = [](std::string text) { return [text](Mail& m) { m.callback = Callback{text, ""}; }; };
  std::vector<Case> cases{
      {"https", url("https://example.org/hook?x=1")},
      {"IDN", url("https://grün.de/")},
      {"http", url("http://127.0.0.1:8080/")},
      {"upper case scheme", url("HTTPS://example.org")},
      {"IPv6", url("http://[::1]:8080/a")},
      {"account",
       [](Mail& m) {
         m.callback = Callback{"https://example.org", "acc"};
       }},
      {"account too long",
       [](Mail& m) {
         m.callback = Callback{"https://example.org", text(65)};
       },
       {"/callback/serviceAccountId"}},
  };
  for (const char* bad : {"", "example.org", "ftp://example.org", "https://", "https:///path", "https://:80/",
                          "https://user:pw@example.org/", "https://example.org/a b", "https://exam\nple.org/",
                          "https://example.org/#fragment", "javascript:alert(1)"})
    cases.push_back({bad, url(bad), {"/callback/url"}});
  cases.push_back({"too long", url("https://example.org/" + text(2048)), {"/callback/url"}});
  run(cases);
}

TEST(CheckMail, retry) {
  const auto retry = [](std::function<void(RetryPolicy&)> change) {
    return [change](Mail& m) { m.retry = policy(change); };
  };
  using P = RetryPolicy;
  run({
      {"the defaults", retry([](P&) {})},
      {"1 attempt", retry([](P& p) { p.attempts_max = 1; })},
      {"100 attempts", retry([](P& p) { p.attempts_max = 100; })},
      {"0 attempts", retry([](P& p) { p.attempts_max = 0; }), {"/retry/maxAttempts"}},
      {"101 attempts", retry([](P& p) { p.attempts_max = 101; }), {"/retry/maxAttempts"}},
      {"-1 attempts", retry([](P& p) { p.attempts_max = -1; }), {"/retry/maxAttempts"}},
      {"base 7 days", retry([](P& p) { p.base = 604'800s; })},
      {"base 0", retry([](P& p) { p.base = 0s; }), {"/retry/baseSeconds"}},
      {"base over 7 days", retry([](P& p) { p.base = 604'801s; }), {"/retry/baseSeconds"}},
      {"max 0", retry([](P& p) { p.max = 0s; }), {"/retry/maxSeconds"}},
      {"max over 7 days", retry([](P& p) { p.max = 604'801s; }), {"/retry/maxSeconds"}},
      {"delay 1", retry([](P& p) { p.delay = 1s; })},
      {"delay 0", retry([](P& p) { p.delay = 0s; }), {"/retry/delaySeconds"}},
      {"delay over 7 days", retry([](P& p) { p.delay = 604'801s; }), {"/retry/delaySeconds"}},
      {"jitter 0", retry([](P& p) { p.jitter = 0; })},
      {"jitter 1", retry([](P& p) { p.jitter = 1; })},
      {"jitter below", retry([](P& p) { p.jitter = -0.01; }), {"/retry/jitter"}},
      {"jitter above", retry([](P& p) { p.jitter = 1.01; }), {"/retry/jitter"}},
      {"jitter NaN",
       retry([](P& p) { p.jitter = std::numeric_limits<double>::quiet_NaN(); }),
       {"/retry/jitter"}},
      {"50 steps", retry([](P& p) { p.schedule.assign(50, 60s); })},
      {"51 steps", retry([](P& p) { p.schedule.assign(51, 60s); }), {"/retry/schedule"}},
      {"bad steps",
       retry([](P& p) {
         p.schedule = {1s, 0s, 604'801s};
       }),
       {"/retry/schedule/1", "/retry/schedule/2"}},
      {"all at once",
       retry([](P& p) { p.attempts_max = 0, p.base = 0s, p.jitter = 2; }),
       {"/retry/maxAttempts", "/retry/baseSeconds", "/retry/jitter"}},
  });
}

TEST(CheckMail, limits_are_settings) {
  MailLimits limits;
  limits.recipients_max = 2;
  limits.attachments_max = 2;
  limits.attachment_bytes_max = 5;
  limits.attachments_bytes_max = 8;
  run({{"within", [](Mail& m) { m.to = boxes(2), m.attachments = {pdf(5)}; }},
       {"over",
        [](Mail& m) {
          m.to = boxes(3), m.attachments = {pdf(6), pdf(5)};
        },
        {"/to", "/attachments/0/content", "/attachments"}}},
      limits);
}

TEST(CheckMail, a_list_that_is_too_long_is_one_fault) {
  constexpr std::size_t kMany = 200'000;
  run({
      {"recipients",
       [](Mail& m) {
         m.to.assign(kMany, {"bad", "\n"});
       },
       {"/to"}},
      {"replyTo",
       [](Mail& m) {
         m.reply_to.assign(kMany, {"bad", ""});
       },
       {"/replyTo"}},
      {"headers",
       [](Mail& m) {
         m.headers.assign(kMany, {"Bcc", "\n"});
       },
       {"/headers"}},
      {"tags", [](Mail& m) { m.tags.assign(kMany, "same"); }, {"/tags"}},
      {"attachments", [](Mail& m) { m.attachments.assign(kMany, {}); }, {"/attachments"}},
      {"schedule",
       [](Mail& m) { m.retry = policy([](RetryPolicy& p) { p.schedule.assign(kMany, 0s); }); },
       {"/retry/schedule"}},
  });
}

TEST(CheckMail, finds_all_faults_at_once_and_repeats_no_content) {
  Mail mail = right();
  mail.from.address = "geheim";
  mail.to = {{"geheim geheim", ""}};
  mail.subject = "geheim\n";
  mail.text = "geheim\0"s;
  mail.headers = {{"X-A", "geheim\r"}};
  mail.metadata = {{"k", "geheim\n"}};
  mail.tags = {"geheim\n"};
  mail.campaign_id = "geheim\n";
  mail.callback = Callback{"geheim", ""};
  mail.attachments = {{"geheim/geheim", "geheim", "x", "<geheim>", false}};
  const auto faults = check_mail(mail, {}, kNow);
  std::vector<std::string> pointers;
  for (const Fault& fault : faults) {
    pointers.push_back(fault.pointer);
    EXPECT_EQ(fault.detail.find("geheim"), std::string::npos) << fault.detail;
  }
  EXPECT_EQ(pointers, (std::vector<std::string>{"/from", "/to/0", "/subject", "/body/text", "/headers/X-A",
                                                "/metadata/k", "/tags/0", "/campaignId", "/callback/url",
                                                "/attachments/0/name", "/attachments/0/contentType",
                                                "/attachments/0/contentId"}));
}

}  // namespace
}  // namespace eilbote::mail_test
