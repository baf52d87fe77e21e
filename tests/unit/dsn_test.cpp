// The rules for bounces and receipts, one by one, on small messages: what is read, what is left out, and the limits. Real
// bounces are in dsn_corpus_test.cpp, broken ones in dsn_mangled_test.cpp.
#include "domain/dsn.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "base/utf8.h"
#include "domain/mime.h"
#include "domain/tsid.h"

namespace eilbote::test::dsn_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kOurs = "<0HZX3T8Q6N2VB@mail.example.org>";
constexpr const char* kReporting = "Reporting-MTA: dns; mx.example.org\n\n";

struct Part {
  std::string type, content;
  std::string encoding = "7bit";
};

std::string multipart(const std::string& type, const std::vector<Part>& parts,
                      const std::string& headers = "") {
  std::string out =
      fmt::format("From: MAILER-DAEMON@mx.example.org\n{}Content-Type: {}; boundary=b\n\n", headers, type);
  for (const Part& part : parts)
    out += fmt::format("--b\nContent-Type: {}\nContent-Transfer-Encoding: {}\n\n{}\n", part.type,
                       part.encoding, part.content);
  return out + "--b--\n";
}

std::string report(const std::vector<Part>& parts, const std::string& headers = "") {
  return multipart("multipart/report; report-type=delivery-status", parts, headers);
}

// A report with these groups of recipients.
std::string report_on(const std::string& groups) {
  return report({{"text/plain", "It did not go.\n"}, {"message/delivery-status", kReporting + groups}});
}

std::vector<std::string> said(const std::string& message) {
  std::vector<std::string> all;
  for (const RecipientReport& one : read_dsn(message).recipients)
    all.push_back(fmt::format("{}|{}|{}|{}|{}", one.address, one.original_address,
                              kReportActionNames.text(one.action), one.status, one.diagnostic));
  return all;
}

TEST(Dsn, reads_what_is_said_of_each_recipient) {
  struct Case {
    const char* name;
    std::string groups;
    std::vector<std::string> want;
  };
  const Case cases[] = {
      {"all fields",
       "Original-Recipient: rfc822;list@example.org\nFinal-Recipient: rfc822; ada@example.org\nAction: "
       "failed\n"
       "Status: 5.1.1\nRemote-MTA: dns; mx\nDiagnostic-Code: smtp; 550 5.1.1 no such\n user\n",
       {"ada@example.org|list@example.org|failed|5.1.1|550 5.1.1 no such user"}},
      {"two groups",
       "Final-Recipient: rfc822;a@x.org\nAction: delivered\n\n\nFinal-Recipient: rfc822;b@x.org\nAction: "
       "failed\n",
       {"a@x.org||delivered||", "b@x.org||failed||"}},
      {"two groups without a line between them",
       "Final-Recipient: rfc822;a@x.org\nAction: delayed\nStatus: 4.0.0\n"
       "Original-Recipient: rfc822;c@x.org\nFinal-Recipient: rfc822;b@x.org\nAction: failed\nStatus: 5.0.0\n",
       {"a@x.org||delayed|4.0.0|", "b@x.org|c@x.org|failed|5.0.0|"}},
      {"spellings",
       "FINAL-RECIPIENT : RFC822 ; <A@X.org> (Ada)\nAction: Failed (for good)\nStatus: 5.2.2 (full)\n",
       {"A@X.org||failed|5.2.2|"}},
      {"no type", "Final-Recipient: a@x.org\nAction: relayed\n", {"a@x.org||relayed||"}},
      {"the original alone",
       "Original-Recipient: rfc822;a@x.org\nAction: expanded\n",
       {"a@x.org|a@x.org|expanded||"}},
      {"a quoted local part",
       "Final-Recipient: rfc822;\"a b\"@x.org comment\nAction: failed\n",
       {"\"a b\"@x.org||failed||"}},
      {"words of another type",
       "Final-Recipient: rfc822;a@x.org\nAction: failed\nDiagnostic-Code: X-Postfix; a; b\n",
       {"a@x.org||failed||a; b"}},
      {"no action", "Final-Recipient: rfc822;a@x.org\nStatus: 5.1.1\n", {}},
      {"an action of providers only", "Final-Recipient: rfc822;a@x.org\nAction: deferred\n", {}},
      {"an unknown action", "Final-Recipient: rfc822;a@x.org\nAction: failedish\n", {}},
      {"nobody", "Final-Recipient: rfc822;<>\nAction: failed\n", {}},
      {"no address, which would stand for everybody", "Action: failed\nStatus: 5.0.0\n", {}},
      {"a control character", "Final-Recipient: rfc822;a\x01@x.org\nAction: failed\n", {}},
      {"no UTF-8", "Final-Recipient: rfc822;a\xFF@x.org\nAction: failed\n", {}},
      {"a status that is none",
       "Final-Recipient: rfc822;a@x.org\nAction: failed\nStatus: 9.1.1\n",
       {"a@x.org||failed||"}},
      {"a line that is no field",
       "Final-Recipient: rfc822;a@x.org\nno field\n b@x.org\nAction: failed\n",
       {"a@x.org||failed||"}},
  };
  for (const Case& c : cases)
    EXPECT_EQ(said(report_on(c.groups)), c.want) << c.name;
}

TEST(Dsn, decodes_addresses_only_where_they_must_have_been_encoded) {
  struct Case {
    const char* value;
    const char* want;
  };
  const Case cases[] = {
      {"utf-8;j\\x{F6}rg@b\\x{FC}cher.example", "jörg@bücher.example"},
      {"UTF-8; jörg@bücher.example", "jörg@bücher.example"},
      {"utf-8;\\x{61}da\\x{20AC}@x.org", "ada€@x.org"},
      {"utf-8;\\x{1F600}@x.org", "\xF0\x9F\x98\x80@x.org"},
      {"utf-8;a\\x{D800}@x.org", ""},  // no character
      {"utf-8;a\\x{zz}@x.org", "a\\x{zz}@x.org"},
      {"rfc822;ada+2Bnews@x.org", "ada+news@x.org"},
      {"rfc822;ada+3D1@x.org", "ada=1@x.org"},
      {"rfc822;ada+40x.org", "ada@x.org"},
      {"rfc822;j+C3+B6rg@x.org", "jörg@x.org"},
      {"rfc822;ada+41@x.org", "ada+41@x.org"},  // a tag: nobody encodes an A
      {"rfc822;ada+news@x.org", "ada+news@x.org"},
      {"rfc822;ada+FF@x.org", "ada+FF@x.org"},  // no UTF-8
      {"rfc822;ada+20@x.org", "ada+20@x.org"},
  };
  for (const Case& c : cases) {
    const Dsn dsn = read_dsn(report_on(fmt::format("Final-Recipient: {}\nAction: failed\n", c.value)));
    EXPECT_EQ(dsn.recipients.empty() ? "" : dsn.recipients[0].address, c.want) << c.value;
  }
}

TEST(Dsn, the_gravest_action_names_the_report) {
  struct Case {
    std::vector<std::string> actions;
    const char* want;
  };
  const Case cases[] = {
      {{"delivered"}, "REPORT.IPM.Note.DR"},
      {{"expanded", "delivered"}, "REPORT.IPM.Note.Expanded.DR"},
      {{"expanded", "relayed"}, "REPORT.IPM.Note.Relayed.DR"},
      {{"delayed", "relayed"}, "REPORT.IPM.Note.Delayed.DR"},
      {{"failed", "delayed", "delivered"}, "REPORT.IPM.Note.NDR"},
  };
  for (const Case& c : cases) {
    std::string groups;
    for (const std::string& action : c.actions)
      groups += fmt::format("Final-Recipient: rfc822;a@x.org\nAction: {}\n\n", action);
    const Dsn dsn = read_dsn(report_on(groups));
    EXPECT_EQ(dsn.kind, DsnKind::report);
    EXPECT_EQ(dsn.message_class, c.want);
  }
}

TEST(Dsn, finds_the_status_whatever_it_is_labelled) {
  const std::string status = std::string(kReporting) + "Final-Recipient: rfc822;a@x.org\nAction: failed\n";
  const std::vector<std::string> want{"a@x.org||failed||"};
  for (const char* type :
       {"message/delivery-status", "message/global-delivery-status", "Message/Delivery-Status; x=y",
        "text/plain", "application/octet-stream", "message/x-status"})
    EXPECT_EQ(said(report({{"text/plain", "words\n"}, {type, status}})), want) << type;
  EXPECT_EQ(said(multipart("multipart/mixed", {{"message/delivery-status", status}})), want);
  EXPECT_EQ(said(report({{"message/delivery-status",
                          "Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822;a=40x.org\n"
                          "Action: fai=\nled\n",
                          "quoted-printable"}})),
            want);
}

TEST(Dsn, takes_nothing_for_a_report_that_is_none) {
  const std::string status = std::string(kReporting) + "Final-Recipient: rfc822;a@x.org\nAction: failed\n";
  // The words of a mail, even where they look like one; and a report inside a mail that is forwarded.
  EXPECT_THAT(said("From: eve@x.org\n\n" + status), IsEmpty());
  EXPECT_THAT(said(multipart("multipart/mixed", {{"text/plain", status}})), IsEmpty());
  EXPECT_THAT(said(report({{"text/plain", "You wrote:\n\n" + status}})), IsEmpty());
  EXPECT_THAT(
      said(multipart("multipart/mixed",
                     {{"message/rfc822", report_on("Final-Recipient: rfc822;a@x.org\nAction: failed\n")}})),
      IsEmpty());
  EXPECT_EQ(read_dsn("").kind, DsnKind::other);
  EXPECT_EQ(read_dsn("\n\n").kind, DsnKind::other);
  EXPECT_EQ(read_dsn("From ").kind, DsnKind::other);
}

TEST(Dsn, tells_receipts_and_answers_from_other_mails) {
  const auto receipt = [](const char* disposition) {
    return multipart(
        "multipart/report; report-type=disposition-notification",
        {{"message/disposition-notification",
          fmt::format("Final-Recipient: rfc822;a@x.org\nOriginal-Message-ID: {}\nDisposition: {}\n", kOurs,
                      disposition)}});
  };
  struct Case {
    std::string message;
    DsnKind kind;
    const char* message_class;
  };
  const char* oof = "IPM.Note.Rules.OofTemplate.Microsoft";
  const Case cases[] = {
      {receipt("manual-action/MDN-sent-manually; displayed"), DsnKind::read_receipt, "REPORT.IPM.Note.IPNRN"},
      {receipt("automatic-action/MDN-sent-automatically; deleted/x"), DsnKind::read_receipt,
       "REPORT.IPM.Note.IPNNRN"},
      {"Auto-Submitted: auto-replied (vacation)\n\nAway", DsnKind::auto_reply, oof},
      {"Auto-Submitted: Auto-Replied; owner=x\n\nAway", DsnKind::auto_reply, oof},
      {"Auto-Submitted: auto-generated\nIn-Reply-To: <a@b>\n\nAway", DsnKind::auto_reply, oof},
      {"X-Auto-Response-Suppress: All\nReferences: <a@b>\n\nAway", DsnKind::auto_reply, oof},
      {"X-Autoreply: yes\n\nAway", DsnKind::auto_reply, oof},
      {"Precedence: auto_reply\n\nAway", DsnKind::auto_reply, oof},
      {"Content-Class: IPM.Note.Rules.OofTemplate.Microsoft\n\nAway", DsnKind::auto_reply, oof},
      {"Auto-Submitted: auto-generated\n\nA newsletter", DsnKind::other, ""},
      {"X-Auto-Response-Suppress: All\n\nA newsletter", DsnKind::other, ""},
      {"Auto-Submitted: no\nIn-Reply-To: <a@b>\n\nAn answer", DsnKind::other, ""},
      {"In-Reply-To: <a@b>\n\nAn answer", DsnKind::other, ""},
      {report({{"text/plain", "no status part"}}, "Auto-Submitted: auto-replied\n"), DsnKind::report, ""},
  };
  for (const Case& c : cases) {
    const Dsn dsn = read_dsn(c.message);
    EXPECT_EQ(kDsnKindNames.text(dsn.kind), kDsnKindNames.text(c.kind)) << c.message;
    EXPECT_EQ(dsn.message_class, c.message_class) << c.message;
    EXPECT_THAT(dsn.recipients, IsEmpty()) << c.message;
  }
  EXPECT_EQ(read_dsn(receipt("x; displayed")).original_message_id, kOurs);
}

TEST(Dsn, refers_to_the_mail_in_the_order_of_trust) {
  const Dsn dsn = read_dsn(
      report({{"message/delivery-status",
               "Reporting-MTA: dns; x\nX-Original-Message-ID: <said@x>\n\n"
               "Final-Recipient: rfc822;a@x.org\nAction: failed\n"},
              {"message/rfc822", "Message-ID: <inside@x>\nx-eilbote-id: 0HZX3T8Q6N2VB\n\nHi\n"}},
             fmt::format("Message-ID: <own@x>\nIn-Reply-To: {}\nReferences: <first@x>\n <last@x>\n", kOurs)));
  const auto job = parse_job_id("0HZX3T8Q6N2VB");
  ASSERT_TRUE(job);
  EXPECT_THAT(dsn.references, ElementsAre(ReportReference{job, kOurs}, ReportReference{{}, "<last@x>"},
                                          ReportReference{{}, "<inside@x>"}, ReportReference{{}, "<said@x>"},
                                          ReportReference{job}));
  EXPECT_EQ(dsn.message_id, "<own@x>");
  EXPECT_EQ(dsn.in_reply_to, kOurs);
  EXPECT_EQ(dsn.original_message_id, "<inside@x>");
}

TEST(Dsn, names_each_way_once) {
  const std::string id = fmt::format("In-Reply-To: {}\nReferences: {}\n", kOurs, kOurs);
  const Dsn dsn =
      read_dsn(report({{"text/rfc822-headers", fmt::format("Message-ID: {}\nTo: a@x.org\n", kOurs)}}, id));
  EXPECT_EQ(dsn.references.size(), 1U);
}

TEST(Dsn, finds_the_original_wherever_it_is) {
  const std::string header = fmt::format("From: a@x.org\nMessage-Id:\n {}\nSubject: Hi\n", kOurs);
  for (const char* type :
       {"message/rfc822", "message/global", "text/rfc822-headers", "message/global-headers"})
    EXPECT_EQ(read_dsn(report({{type, header + "\nHi\n"}})).original_message_id, kOurs) << type;
  EXPECT_EQ(read_dsn("From: x@x.org\n\nIt failed:\n\n----\n\n" + header + "\nHi\n").original_message_id,
            kOurs);
  // Not where the words only mention one.
  EXPECT_EQ(read_dsn(fmt::format("From: x@x.org\n\nMessage-ID: {} is lost\n", kOurs)).original_message_id,
            "");
  // What stands in the part for machines wins over the words.
  EXPECT_EQ(read_dsn(report({{"text/plain", "From: a\nTo: b\nMessage-ID: <words@x>\n"},
                             {"message/rfc822", header}}))
                .original_message_id,
            kOurs);
}

TEST(Dsn, takes_message_ids_as_programs_write_them) {
  const auto in_reply_to = [](const std::string& value) {
    return read_dsn("In-Reply-To: " + value + "\n\nHi").in_reply_to;
  };
  EXPECT_EQ(in_reply_to("<a@b>"), "<a@b>");
  EXPECT_EQ(in_reply_to("a@b"), "<a@b>");
  EXPECT_EQ(in_reply_to("Your mail of Monday <a@b>"), "<a@b>");
  EXPECT_EQ(in_reply_to("<nothing> <a@b> <c@d>"), "<a@b>");
  EXPECT_EQ(in_reply_to("<a b@c>"), "");
  EXPECT_EQ(in_reply_to("<@>"), "");
  EXPECT_EQ(in_reply_to("<" + std::string(1000, 'a') + "@b>"), "");
}

TEST(Dsn, an_mbox_line_in_front_is_passed_over) {
  const std::string message = report_on("Final-Recipient: rfc822;a@x.org\nAction: failed\n");
  EXPECT_EQ(said("From MAILER-DAEMON  Thu Apr 29 23:34:45 2010\n" + message), said(message));
  EXPECT_EQ(said("\r\n" + message), said(message));
  EXPECT_THAT(said(message), testing::SizeIs(1));
}

TEST(Dsn, limits_hold) {
  std::string groups;
  for (std::size_t i = 0; i < kDsnRecipientsMax + 5; ++i)
    groups += fmt::format("Final-Recipient: rfc822;a{}@x.org\nAction: failed\n\n", i);
  EXPECT_EQ(read_dsn(report_on(groups)).recipients.size(), kDsnRecipientsMax);

  const std::string words = std::string(5000, 'x') + "\xC3\xB6\x07";
  const Dsn wordy = read_dsn(report_on(
      "Final-Recipient: rfc822;a@x.org\nAction: failed\nDiagnostic-Code: smtp; \x07" + words + "\n"));
  ASSERT_EQ(wordy.recipients.size(), 1U);
  EXPECT_EQ(utf8_length(wordy.recipients[0].diagnostic), 1000U);
  EXPECT_TRUE(wordy.recipients[0].diagnostic.starts_with(" x") ||
              wordy.recipients[0].diagnostic.starts_with("x"));

  // An address that is too long is left out; cut, it would be somebody else's.
  EXPECT_THAT(
      said(report_on("Final-Recipient: rfc822;" + std::string(1100, 'a') + "@x.org\nAction: failed\n")),
      IsEmpty());

  // What is behind the limit is not looked at.
  const std::string status = std::string(kReporting) + "Final-Recipient: rfc822;a@x.org\nAction: failed\n";
  std::string filler(kDsnBytesMax, 'x');
  for (std::size_t i = 70; i < filler.size(); i += 70)
    filler[i] = '\n';
  EXPECT_THAT(said(report({{"text/plain", filler}, {"message/delivery-status", status}})), IsEmpty());
  EXPECT_THAT(said(report({{"message/delivery-status", status}, {"text/plain", filler}})),
              testing::SizeIs(1));
}

TEST(Dsn, deep_nesting_ends) {
  std::string multiparts = "Message-ID: <a@b>\n", messages = multiparts;
  for (int i = 0; i < 5000; ++i) {
    multiparts += fmt::format("Content-Type: multipart/mixed; boundary=b{}\n\n--b{}\n", i, i);
    messages += "Content-Type: message/rfc822\n\n";
  }
  EXPECT_EQ(read_dsn(multiparts).message_id, "<a@b>");
  EXPECT_EQ(read_dsn(messages).message_id, "<a@b>");
}

// What stands before thousands of lines that could be boundaries is read; they are not, since that may take seconds.
TEST(Dsn, boundaries_without_end_do) {
  const Part status{"message/delivery-status",
                    std::string(kReporting) + "Final-Recipient: rfc822;a@x.org\nAction: failed\n"};
  std::string dashes;
  for (int i = 0; i < 3000; ++i)
    dashes += "--x\n";
  EXPECT_THAT(said(report({status, {"text/plain", dashes}})), testing::SizeIs(1));
  EXPECT_THAT(said(report({{"text/plain", dashes}, status})), IsEmpty());
}

TEST(Dsn, our_id_is_in_the_message_ids_we_make) {
  const MimeStamp stamp{*parse_job_id("0HZX3T8Q6N2VB"), {}, "mail.example.org"};
  EXPECT_EQ(message_id(stamp), kOurs);
  EXPECT_EQ(job_of_message_id(message_id(stamp)), stamp.id);
  for (const char* other : {"", "<>", "0HZX3T8Q6N2VB@mail.example.org", "<0HZX3T8Q6N2VB>", "<0HZX3T8Q6N2VB@>",
                            "<0HZX3T8Q6N2V@x>", "<kof-0HZX3T8Q6N2VB@x>", "<@0HZX3T8Q6N2VB>"})
    EXPECT_EQ(job_of_message_id(other), std::nullopt) << other;
}

TEST(Dsn, explains_itself_as_json) {
  EXPECT_EQ(
      explain(read_dsn(report(
          {{"message/delivery-status",
            std::string(kReporting) + "Original-Recipient: rfc822;l@x.org\nFinal-Recipient: rfc822;a@x.org\n"
                                      "Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 \"no\"\n"}},
          fmt::format("Message-ID: <own@x>\nIn-Reply-To: {}\n", kOurs)))),
      R"({"kind":"report","messageClass":"REPORT.IPM.Note.NDR","originalMessageId":null,)"
      R"("inReplyTo":"<0HZX3T8Q6N2VB@mail.example.org>","messageId":"<own@x>","recipients":[{"address":"a@x.org",)"
      R"("originalAddress":"l@x.org","action":"failed","status":"5.1.1","diagnostic":"550 \"no\""}],)"
      R"("references":[{"messageId":"<0HZX3T8Q6N2VB@mail.example.org>","jobId":"0HZX3T8Q6N2VB"}]})");
  EXPECT_EQ(
      explain(Dsn{}),
      R"({"kind":"other","messageClass":null,"originalMessageId":null,"inReplyTo":null,"messageId":null,)"
      R"("recipients":[],"references":[]})");
}

}  // namespace
}  // namespace eilbote::test::dsn_test
