// Bounces of real servers, and receipts written after the standards: everything that can be read of each, against a table
// that was made by hand. The samples are other people's and lie in the folder that EILBOTE_CONTRACTS names.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "domain/dsn.h"
#include "support/contracts.h"

namespace eilbote::test::dsn_corpus_test {
namespace {

namespace json = boost::json;

constexpr const char* kExpected = "dsn/expected.json";

std::string text_at(const json::object& object, std::string_view name) {
  const json::value& value = object.at(name);
  return value.is_null() ? std::string() : std::string(value.as_string());
}

// "ada@example.org failed 5.1.1", one after the other.
std::vector<std::string> wanted_recipients(const json::object& sample) {
  std::vector<std::string> all;
  for (const json::value& one : sample.at("recipients").as_array())
    all.push_back(text_at(one.as_object(), "address") + " " + text_at(one.as_object(), "action") + " " +
                  text_at(one.as_object(), "status"));
  return all;
}

std::vector<std::string> read_recipients(const Dsn& dsn) {
  std::vector<std::string> all;
  for (const RecipientReport& one : dsn.recipients)
    all.push_back(one.address + " " + std::string(kReportActionNames.text(one.action)) + " " + one.status);
  return all;
}

TEST(DsnCorpus, every_sample_says_what_the_table_has) {
  EILBOTE_CONTRACT_OR_SKIP(expected, kExpected);
  const json::object& cases = expected->at("cases").as_object();
  ASSERT_GT(cases.size(), 30U);
  for (const auto& [name, value] : cases) {
    SCOPED_TRACE(std::string(name));
    const json::object& sample = value.as_object();
    const auto bytes = contract_bytes("dsn/" + std::string(name));
    ASSERT_TRUE(bytes);
    const Dsn dsn = read_dsn(*bytes);
    EXPECT_EQ(read_recipients(dsn), wanted_recipients(sample));
    EXPECT_EQ(dsn.original_message_id, text_at(sample, "original_message_id"));
    EXPECT_EQ(dsn.in_reply_to, text_at(sample, "in_reply_to"));
    EXPECT_EQ(dsn.message_class, text_at(sample, "oxcmail_message_class"));
    EXPECT_EQ(dsn.kind == DsnKind::report && !dsn.recipients.empty(),
              sample.at("machine_readable").as_bool());
    EXPECT_FALSE(dsn.message_id.empty());
    // The first way to the mail is the one that is tried first.
    const std::string first = dsn.in_reply_to.empty() ? dsn.original_message_id : dsn.in_reply_to;
    EXPECT_EQ(dsn.references.empty() ? std::string() : dsn.references.front().message_id, first);
  }
}

TEST(DsnCorpus, receipts_and_answers_are_told_apart) {
  EILBOTE_CONTRACT_OR_SKIP(expected, kExpected);
  struct Case {
    const char* name;
    DsnKind kind;
  };
  for (const auto& [name, kind] :
       {Case{"synthetic-read-receipt.eml", DsnKind::read_receipt},
        Case{"synthetic-out-of-office.eml", DsnKind::auto_reply}, Case{"lhost-gmail-01.eml", DsnKind::other},
        Case{"lhost-office365-01.eml", DsnKind::report}}) {
    const auto bytes = contract_bytes(std::string("dsn/") + name);
    ASSERT_TRUE(bytes) << name;
    EXPECT_EQ(read_dsn(*bytes).kind, kind) << name;
  }
}

// An alias or a forward: the sender knows the first address, the server that refuses it the second.
TEST(DsnCorpus, the_address_before_an_alias_is_kept) {
  EILBOTE_CONTRACT_OR_SKIP(expected, kExpected);
  const auto bytes = contract_bytes("dsn/lhost-postfix-01.eml");
  ASSERT_TRUE(bytes);
  const Dsn dsn = read_dsn(*bytes);
  ASSERT_EQ(dsn.recipients.size(), 1U);
  EXPECT_EQ(dsn.recipients[0].address, "r@p351355.pool.example.ne.jp");
  EXPECT_EQ(dsn.recipients[0].original_address, "kijitora@example.org");
  EXPECT_EQ(dsn.recipients[0].diagnostic,
            R"(procmail: Couldn't create "/var/spool/mail/neko" id: r.example.org: No such user)");
}

}  // namespace
}  // namespace eilbote::test::dsn_corpus_test
