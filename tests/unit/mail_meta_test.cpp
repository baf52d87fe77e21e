// A mail's meta as it lies in the database: the bytes written never change, what was written is read back, and sealing or
// opening its subject leaves everything else alone.
#include "domain/mail_meta.h"

#include <gtest/gtest.h>

#include "secrets/content_cipher.h"

namespace eilbote::test::mail_meta_test {
namespace {

const JobId kRow{4711};

struct WrittenRow {
  const char* name;
  MailMeta meta;
  const char* json;
};
const WrittenRow kWritten[] = {
    {"nothing", {}, R"({"subject":""})"},
    {"a subject", {"Hello", {}, {}, "", "", {}}, R"({"subject":"Hello"})"},
    {"quotes, slashes, line ends, other scripts",
     {"\"a\" \\ / \n\t \xC3\xA4 \xF0\x9F\x93\xAC", {}, {}, "", "", {}},
     "{\"subject\":\"\\\"a\\\" \\\\ / \\n\\t \xC3\xA4 \xF0\x9F\x93\xAC\"}"},
    {"metadata, by key",
     {"s", {{"b", "2"}, {"a", "1"}, {"", ""}}, {}, "", "", {}},
     R"({"subject":"s","metadata":{"":"","a":"1","b":"2"}})"},
    {"tags, in their order",
     {"s", {}, {"z", "a", "z"}, "", "", {}},
     R"({"subject":"s","tags":["z","a","z"]})"},
    {"a campaign and a group",
     {"s", {}, {}, "spring", "order-1", {}},
     R"({"subject":"s","campaignId":"spring","group":"order-1"})"},
    {"a callback",
     {"s", {}, {}, "", "", Callback{"https://example.org/x", "sa_1"}},
     R"({"subject":"s","callback":{"url":"https://example.org/x","serviceAccountId":"sa_1"}})"},
    {"a callback without an account",
     {"s", {}, {}, "", "", Callback{"https://example.org/x", ""}},
     R"({"subject":"s","callback":{"url":"https://example.org/x","serviceAccountId":""}})"},
    {"everything",
     {"s", {{"k", "v"}}, {"t"}, "c", "g", Callback{"u", "a"}},
     R"({"subject":"s","metadata":{"k":"v"},"tags":["t"],"campaignId":"c","group":"g",)"
     R"("callback":{"url":"u","serviceAccountId":"a"}})"},
};

TEST(MailMeta, is_written_as_ever) {
  for (const WrittenRow& row : kWritten)
    EXPECT_EQ(to_json(row.meta), row.json) << row.name;
}

TEST(MailMeta, is_read_as_it_was_written) {
  for (const WrittenRow& row : kWritten) {
    const MailMeta read = mail_meta_from_json(row.json);
    EXPECT_EQ(read.subject, row.meta.subject) << row.name;
    EXPECT_EQ(read.metadata, row.meta.metadata) << row.name;
    EXPECT_EQ(read.tags, row.meta.tags) << row.name;
    EXPECT_EQ(read.campaign_id, row.meta.campaign_id) << row.name;
    EXPECT_EQ(read.group, row.meta.group) << row.name;
    ASSERT_EQ(read.callback.has_value(), row.meta.callback.has_value()) << row.name;
    if (!read.callback) continue;
    EXPECT_EQ(read.callback->url, row.meta.callback->url) << row.name;
    EXPECT_EQ(read.callback->service_account_id, row.meta.callback->service_account_id) << row.name;
  }
}

TEST(MailMeta, of_a_mail_has_what_the_mail_says) {
  Mail mail;
  mail.subject = "s";
  mail.metadata = {{"k", "v"}};
  mail.tags = {"t"};
  mail.campaign_id = "c";
  mail.group = "g";
  mail.callback = Callback{"u", "a"};
  EXPECT_EQ(to_json(meta_of(mail)), std::end(kWritten)[-1].json);
}

TEST(MailMeta, broken_or_foreign_reads_as_nothing) {
  for (const char* json :
       {"", "{broken", "null", "[]", "\"s\"", "{}",
        R"({"subject":1,"metadata":[],"tags":{},"campaignId":null,"group":[],"callback":"u"})"})
    EXPECT_EQ(to_json(mail_meta_from_json(json)), R"({"subject":""})") << json;
  EXPECT_EQ(
      to_json(mail_meta_from_json(R"({"metadata":{"n":1},"tags":["a",2],"callback":{"url":3}})")),
      R"({"subject":"","metadata":{"n":""},"tags":["a",""],"callback":{"url":"","serviceAccountId":""}})");
}

// What is no subject that can be changed; each comes back byte by byte.
const char* const kWithoutSubject[] = {
    "", "{broken", "[ 1 ]", "{ }", R"({ "subject": "" })", R"({"subject": 1})", R"({"tags": ["\u0001"]})",
};

TEST(MailMeta, another_subject_leaves_the_rest) {
  const auto loud = [](std::string_view subject) { return std::string(subject) + "!"; };
  EXPECT_EQ(with_subject(R"({"later": [1, {"x": null}], "subject": "s", "tags": ["t"]})", loud),
            R"({"later":[1,{"x":null}],"subject":"s!","tags":["t"]})")
      << "members that are not known here are kept";
  for (const char* json : kWithoutSubject)
    EXPECT_EQ(with_subject(json, loud), json);
  const std::string spaced = R"({ "tags": [], "subject": "\u0073" })";
  EXPECT_EQ(with_subject(spaced, [](std::string_view subject) { return std::string(subject); }), spaced)
      << "the same subject is no change";
}

class SealedSubject : public ::testing::Test {
 protected:
  static std::unique_ptr<ContentCipher> cipher(char current) {
    return make_content_cipher({Secret(std::string(kDataKeyBytes, current)), Secret()});
  }
  const std::unique_ptr<ContentCipher> key_ = cipher('a'), other_key_ = cipher('b'),
                                       no_key_ = make_content_cipher({});
  const std::string meta_ = R"({"subject":"private","tags":["t"],"later":{"x":1}})";
};

TEST_F(SealedSubject, opens_and_everything_else_was_never_touched) {
  const std::string sealed = with_sealed_subject(*key_, kRow, meta_);
  EXPECT_EQ(sealed.find("private"), std::string::npos);
  EXPECT_NE(sealed.find(kSealMarkInJson), std::string::npos);
  EXPECT_NE(sealed.find(R"("tags":["t"],"later":{"x":1})"), std::string::npos) << sealed;
  EXPECT_EQ(with_open_subject(*key_, kRow, sealed), meta_);
}

TEST_F(SealedSubject, that_does_not_open_says_so) {
  const std::string sealed = with_sealed_subject(*key_, kRow, meta_);
  const struct {
    const char* name;
    const ContentCipher& cipher;
    JobId row;
  } cases[] = {
      {"another key", *other_key_, kRow},
      {"no key", *no_key_, kRow},
      {"another row", *key_, JobId{4712}},
  };
  for (const auto& [name, cipher, row] : cases) {
    const std::string shown = with_open_subject(cipher, row, sealed);
    EXPECT_EQ(mail_meta_from_json(shown).subject, kUnreadable) << name;
    EXPECT_NE(shown.find(R"("tags":["t"],"later":{"x":1})"), std::string::npos) << name;
  }
}

// As jsonb prints it, as a person wrote it, and what only looks sealed.
TEST_F(SealedSubject, that_never_was_sealed_leaves_the_same_bytes) {
  const char* const metas[] = {
      R"({"subject":"s"})",
      R"({"tags": ["t"], "subject": "s", "later": 1})",
      R"({"subject": "\\u0001 written out"})",
      R"({"subject": "s", "tags": ["\u0001"]})",
      R"({"subject": "\u0001"})",
      R"({"subject": "\u0001 was allowed once"})",
  };
  for (const char* json : metas)
    for (const ContentCipher* cipher : {key_.get(), no_key_.get()})
      EXPECT_EQ(with_open_subject(*cipher, kRow, json), json);
  for (const char* json : kWithoutSubject)
    for (const ContentCipher* cipher : {key_.get(), no_key_.get()}) {
      EXPECT_EQ(with_open_subject(*cipher, kRow, json), json);
      EXPECT_EQ(with_sealed_subject(*cipher, kRow, json), json);
    }
  for (const char* json : metas)
    EXPECT_EQ(with_sealed_subject(*no_key_, kRow, json), json) << "there is nothing to seal with";
}

}  // namespace
}  // namespace eilbote::test::mail_meta_test
