// A frozen mail in the form Microsoft Graph takes: what stands where, which form, what fits in. The JSON is held against
// Microsoft's own schema.
#include "domain/graph_message.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/json_schema.h"
#include "base/base64.h"
#include "domain/dsn.h"
#include "domain/json_members.h"
#include "domain/mime.h"
#include "domain/tsid.h"
#include "support/contracts.h"
#include "support/gmime_reader.h"
#include "support/mime_cases.h"

namespace eilbote::test::graph_message_test {
namespace {

namespace json = boost::json;

const JobId kId = *parse_job_id("0HZXR2K4M5N6P");

Mail plain_mail() {
  Mail mail;
  mail.from = {"billing@contoso.example", "Billing"};
  mail.to = {{"ann@example.org", "Änn"}, {"bob@example.org", ""}};
  mail.cc = {{"cy@example.org", "Cy"}};
  mail.bcc = {{"dee@example.org", "Dee"}};
  mail.reply_to = {{"help@contoso.example", ""}};
  mail.subject = "Größe 42";
  mail.text = "Hello,\nworld";
  return mail;
}

std::vector<Recipient> recipients_of(const Mail& mail) {
  std::vector<Recipient> all;
  const auto add = [&](RecipientKind kind, const std::vector<Mailbox>& boxes) {
    for (const Mailbox& box : boxes)
      all.push_back({kind, box.address});
  };
  add(RecipientKind::to, mail.to);
  add(RecipientKind::cc, mail.cc);
  add(RecipientKind::bcc, mail.bcc);
  return all;
}

std::string frozen(const Mail& mail) {
  return write_mime(mail, {kId, parse_rfc3339("2026-01-02T03:04:05Z").value(), "contoso.example"});
}

GraphMessage made(const Mail& mail, const std::vector<Recipient>& recipients) {
  const std::string mime = frozen(mail);
  auto message = make_graph_message({kId, mail.from.address, recipients, mime});
  EXPECT_TRUE(message);
  return message.value_or(GraphMessage{});
}
GraphMessage made(const Mail& mail) {
  return made(mail, recipients_of(mail));
}

json::object json_of(const GraphMessage& message) {
  EXPECT_FALSE(message.is_mime);
  json::value value = parse_json(message.body);
  return value.is_object() ? value.get_object() : json::object{};
}

std::string mime_of(const GraphMessage& message) {
  EXPECT_TRUE(message.is_mime);
  return base64_decode(message.body).value_or("");
}

Attachment file_of(const std::string& name, std::size_t size) {
  return {name, "application/octet-stream", std::string(size, 'x'), "", false};
}

TEST(GraphMessage, says_everything_in_json) {
  Mail mail = plain_mail();
  mail.headers = {{"X-Order", "1001"}, {"Importance", "High"}};
  mail.attachments = {{"a.txt", "text/plain", "hello", "", false},
                      {"p.png", "image/png", "png", "logo", true}};
  const GraphMessage message = made(mail);
  EXPECT_EQ(message.mailbox, "billing@contoso.example");
  EXPECT_EQ(message.recipients, (std::vector<std::string>{"ann@example.org", "bob@example.org",
                                                          "cy@example.org", "dee@example.org"}));
  EXPECT_EQ(json::value(json_of(message)), json::parse(R"({
    "subject": "Größe 42",
    "body": {"contentType": "text", "content": "Hello,\r\nworld\r\n"},
    "from": {"emailAddress": {"address": "billing@contoso.example", "name": "Billing"}},
    "toRecipients": [{"emailAddress": {"address": "ann@example.org", "name": "Änn"}},
                     {"emailAddress": {"address": "bob@example.org"}}],
    "ccRecipients": [{"emailAddress": {"address": "cy@example.org", "name": "Cy"}}],
    "bccRecipients": [{"emailAddress": {"address": "dee@example.org"}}],
    "replyTo": [{"emailAddress": {"address": "help@contoso.example"}}],
    "internetMessageId": "<0HZXR2K4M5N6P@contoso.example>",
    "importance": "high",
    "internetMessageHeaders": [{"name": "x-eilbote-id", "value": "0HZXR2K4M5N6P"},
                               {"name": "X-Order", "value": "1001"}],
    "singleValueExtendedProperties": [
      {"id": "String {9b6c1f52-0d3e-4c7a-8f15-5a2e7d94c3b1} Name EilboteId", "value": "0HZXR2K4M5N6P"}],
    "attachments": [
      {"@odata.type": "#microsoft.graph.fileAttachment", "name": "a.txt", "contentType": "text/plain",
       "contentBytes": "aGVsbG8="},
      {"@odata.type": "#microsoft.graph.fileAttachment", "name": "p.png", "contentType": "image/png",
       "contentBytes": "cG5n", "isInline": true, "contentId": "logo"}]
  })"));
}

TEST(GraphMessage, goes_only_to_those_who_wait) {
  const Mail mail = plain_mail();
  std::vector<Recipient> recipients = recipients_of(mail);
  recipients[0].status = RecipientStatus::taken;
  recipients[2].status = RecipientStatus::suppressed;
  recipients[3].status = RecipientStatus::refused;
  const GraphMessage message = made(mail, recipients);
  const json::object object = json_of(message);
  EXPECT_EQ(message.recipients, std::vector<std::string>{"bob@example.org"});
  EXPECT_EQ(object.at("toRecipients"), json::parse(R"([{"emailAddress":{"address":"bob@example.org"}}])"));
  EXPECT_FALSE(object.contains("ccRecipients"));
  EXPECT_FALSE(object.contains("bccRecipients"));
}

TEST(GraphMessage, chooses_the_form) {
  const struct {
    const char* name;
    std::function<void(Mail&)> change;
    bool is_mime;
  } cases[] = {
      {"text", [](Mail&) {}, false},
      {"html alone, whose text is derived",
       [](Mail& mail) {
         mail.text = "";
         mail.html = "<p>Hello, <b>world</b></p>\n<pre>a\n  b</pre>\n";
       },
       false},
      {"text and html", [](Mail& mail) { mail.html = "<p>Something else</p>"; }, true},
      {"text that says what the html says",
       [](Mail& mail) {
         mail.html = "<p>Hi</p>";
         mail.text = "Hi";
       },
       false},
      {"four headers",
       [](Mail& mail) {
         mail.headers = {{"X-1", "a"}, {"X-2", "b"}, {"X-3", "c"}, {"x-4", "d"}};
       },
       false},
      {"five, which are six with ours",
       [](Mail& mail) {
         mail.headers = {{"X-1", "a"}, {"X-2", "b"}, {"X-3", "c"}, {"x-4", "d"}, {"x-5", "e"}};
       },
       true},
      {"a header JSON cannot carry",
       [](Mail& mail) {
         mail.headers = {{"List-Unsubscribe", "<https://example.org/u>"}};
       },
       true},
      {"a header that is too long for JSON",
       [](Mail& mail) {
         mail.headers = {{"X-Long", std::string(200, 'a') + " " + std::string(800, 'b')}};
       },
       true},
      {"an importance nobody knows",
       [](Mail& mail) {
         mail.headers = {{"Importance", "burning"}};
       },
       true},
  };
  for (const auto& c : cases) {
    Mail mail = plain_mail();
    c.change(mail);
    EXPECT_EQ(made(mail).is_mime, c.is_mime) << c.name;
  }
}

TEST(GraphMessage, sends_the_frozen_bytes_in_the_mime_form) {
  Mail mail = plain_mail();
  mail.html = "<p>Something else</p>";
  const std::string mime = mime_of(made(mail));
  EXPECT_TRUE(mime.ends_with(frozen(mail)));
  const json::object read = read_with_gmime(mime);
  EXPECT_EQ(read.at("headers").at(kJobIdHeader), "0HZXR2K4M5N6P");
  EXPECT_EQ(read.at("headers").at("Bcc"), "dee@example.org");
  EXPECT_EQ(read.at("warnings"), json::array{});
}

TEST(GraphMessage, leaves_recipients_out_of_the_mime_form) {
  Mail mail = plain_mail();
  mail.html = "<p>Something else</p>";
  mail.headers = {{"References", "<a@b.example> <c@d.example>"}, {"X-Größe", "nothing"}};
  mail.attachments = {{"ä.txt", "text/plain; charset=utf-8", "hello", "", false}};
  std::vector<Recipient> recipients = recipients_of(mail);
  recipients[0].status = RecipientStatus::taken;
  recipients[3].status = RecipientStatus::taken;
  const json::object before = read_with_gmime(frozen(mail));
  const json::object read = read_with_gmime(mime_of(made(mail, recipients)));
  EXPECT_EQ(read.at("to"), (json::array{json::array{"", "bob@example.org"}}));
  EXPECT_EQ(read.at("cc"), before.at("cc"));
  EXPECT_FALSE(read.at("headers").as_object().contains("Bcc"));
  EXPECT_EQ(read.at("headers").at("References"), before.at("headers").at("References"));
  for (const char* same :
       {"from", "replyTo", "subject", "date", "messageId", "shape", "text", "html", "attachments"})
    EXPECT_EQ(read.at(same), before.at(same)) << same;
}

TEST(GraphMessage, leaves_out_what_does_not_fit_into_a_request) {
  for (const bool is_mime : {false, true}) {
    Mail mail = plain_mail();
    if (is_mime) mail.html = "<p>Something else</p>";
    mail.attachments = {file_of("small", 1000), file_of("large", 3'000'000), file_of("third", 900'000)};
    const GraphMessage message = made(mail);
    EXPECT_EQ(message.is_mime, is_mime);
    EXPECT_LE(message.body.size(), kGraphRequestBytesMax);
    std::vector<std::string> later, inside;
    for (const Attachment& file : message.later)
      later.push_back(file.name + " " + std::to_string(file.content.size()));
    const json::array attachments = is_mime ? read_with_gmime(mime_of(message)).at("attachments").as_array()
                                            : json_of(message).at("attachments").as_array();
    for (const json::value& one : attachments)
      inside.push_back(eilbote::text_at(one, {"name"}));
    EXPECT_EQ(inside.front(), "small");
    EXPECT_EQ(inside.size() + later.size(), 3U);
    EXPECT_NE(std::find(later.begin(), later.end(), "large 3000000"), later.end());
  }
}

TEST(GraphMessage, does_not_take_what_is_no_mail) {
  const std::vector<Recipient> one{{RecipientKind::to, "ann@example.org"}};
  EXPECT_FALSE(make_graph_message({kId, "a@b.example", one, ""}));
  EXPECT_FALSE(make_graph_message({kId, "a@b.example", one, "Subject: no sender\r\n\r\nhello\r\n"}));
  const std::string mime = frozen(plain_mail());
  EXPECT_FALSE(make_graph_message({kId, "nobody", one, mime}));
  const std::vector<Recipient> none{{RecipientKind::to, "nobody"}};
  EXPECT_FALSE(make_graph_message({kId, "a@b.example", none, mime}));
}

// ---- Microsoft's schema ----

JsonSchema schema_of(const json::value& contract, const char* definition) {
  json::object schema{{"$defs", contract.at("$defs")}, {"$ref", std::string("#/$defs/") + definition}};
  auto compiled = JsonSchema::compile(schema);
  if (!compiled)
    throw std::runtime_error(compiled.error().front().pointer + " " + compiled.error().front().detail);
  return std::move(*compiled);
}

std::string faults_of(const JsonSchema& schema, const std::string& text) {
  std::string all;
  for (const Fault& fault : schema.check(parse_json(text)))
    all += fault.pointer + " " + fault.detail + "\n";
  return all;
}

TEST(GraphMessage, writes_what_microsofts_schema_allows) {
  EILBOTE_CONTRACT_OR_SKIP(contract, "graph/graph-mail.schema.json");
  const JsonSchema draft = schema_of(*contract, "messageCreate"),
                   sendmail = schema_of(*contract, "sendMailRequest");
  int as_json = 0;
  std::vector<MimeCase> cases = nasty_mails();
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    cases.push_back(random_mail(seed));
  for (const MimeCase& one : cases) {
    const std::string mime = written(one);
    const std::vector<Recipient> recipients = recipients_of(one.mail);
    const auto message = make_graph_message({kId, one.mail.from.address, recipients, mime});
    ASSERT_TRUE(message) << one.name;
    if (message->is_mime) {
      EXPECT_EQ(read_with_gmime(mime_of(*message)).at("warnings"), read_with_gmime(mime).at("warnings"))
          << one.name;
      continue;
    }
    ++as_json;
    EXPECT_EQ(faults_of(draft, message->body), "") << one.name;
    if (!message->recipients.empty()) {
      EXPECT_EQ(faults_of(sendmail, graph_sendmail_json(message->body)), "") << one.name;
    }
  }
  EXPECT_GT(as_json, 20);
  EXPECT_NE(faults_of(draft, R"({"subject":1})"), "") << "the schema can find something";
}

TEST(GraphMessage, writes_attachments_and_uploads_as_microsofts_schema_wants_them) {
  EILBOTE_CONTRACT_OR_SKIP(contract, "graph/graph-mail.schema.json");
  const Attachment file{"ü.pdf", "application/pdf", std::string("\0\xFF", 2), "cid-1", true};
  EXPECT_EQ(faults_of(schema_of(*contract, "fileAttachmentCreate"), graph_attachment_json(file)), "");
  EXPECT_EQ(faults_of(schema_of(*contract, "createUploadSessionRequest"), graph_upload_json(file)), "");
  EXPECT_EQ(faults_of(schema_of(*contract, "messageCreate"), graph_mark_json(kId)), "");
  EXPECT_EQ(eilbote::text_at(parse_json(graph_attachment_json(file)), {"contentBytes"}), "AP8=");
}

}  // namespace
}  // namespace eilbote::test::graph_message_test
