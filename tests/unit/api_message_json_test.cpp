// What GET /messages/{id} says of a mail besides its fate: when it came, whose it is, and what its sender gave with it.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/message_json.h"
#include "domain/mail_meta.h"

namespace eilbote::test::api_message_json_test {
namespace {

namespace json = boost::json;

JobRecord plain_record() {
  JobRecord record;
  record.job.client = ClientName("shop");
  record.job.pool = "bulk";
  record.job.created_at = *parse_rfc3339("2026-11-18T07:02:00.000Z");
  return record;
}

TEST(MessageJson, tells_what_its_sender_gave_with_it) {
  JobRecord record = plain_record();
  record.job.expires_at = *parse_rfc3339("2026-11-23T07:02:00.000Z");
  record.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  record.meta = to_json(MailMeta{.subject = "Your order",
                                 .metadata = {{"order", "1001"}},
                                 .tags = {"invoice", "eu"},
                                 .campaign_id = "spring",
                                 .group = "orders",
                                 .callback = std::nullopt});
  const json::object shown = message_json(record);
  EXPECT_EQ(shown.at("createdAt"), "2026-11-18T07:02:00.000Z");
  EXPECT_EQ(shown.at("expiresAt"), "2026-11-23T07:02:00.000Z");
  EXPECT_EQ(shown.at("clientId"), "shop");
  EXPECT_EQ(shown.at("pool"), "bulk");
  EXPECT_EQ(shown.at("traceId"), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(shown.at("group"), "orders");
  EXPECT_EQ(shown.at("campaignId"), "spring");
  EXPECT_EQ(shown.at("tags"), json::parse(R"(["invoice","eu"])"));
  EXPECT_EQ(shown.at("metadata"), json::parse(R"({"order":"1001"})"));
  EXPECT_EQ(json::serialize(shown).find("Your order"), std::string::npos) << "the subject is content";
}

TEST(MessageJson, leaves_out_what_was_not_given) {
  const json::object shown = message_json(plain_record());
  for (const char* const name : {"expiresAt", "traceId", "group", "campaignId", "tags", "metadata"})
    EXPECT_FALSE(shown.contains(name)) << name;
}

}  // namespace
}  // namespace eilbote::test::api_message_json_test
