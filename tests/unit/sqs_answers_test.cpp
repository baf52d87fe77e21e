// What SQS answers, read: errors by what is to be done, batches with lists missing, messages with wrong checksums.
#include "transport/sqs_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "support/contracts.h"
#include "support/sqs_contract.h"

namespace eilbote::test::sqs_answers_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Outcome = SqsEntry::Outcome;

// md5("{}")
constexpr const char* kMd5 = "99914b932bd37a50b983c5e7c90ae93b";

const std::string kSent = R"({"Successful":[{"Id":"1","MessageId":"m","MD5OfMessageBody":")" +
                          std::string(kMd5) +
                          R"("}],"Failed":[{"Id":"0","SenderFault":true,"Code":"InvalidMessageContents"},
     {"Id":"2","SenderFault":false,"Code":"InternalError","Message":"later"}]})";
const std::string kReceived =
    R"({"Messages":[{"MessageId":"m","ReceiptHandle":"h","Body":"{}","MD5OfBody":")" + std::string(kMd5) +
    R"(","Attributes":{"ApproximateReceiveCount":"3"}}]})";
const std::string kAddress = R"({"QueueUrl":"https://sqs.eu-central-1.amazonaws.com/1/q"})";
const std::string kAttributes = R"({"Attributes":{"ApproximateNumberOfMessages":"17"}})";

TEST(SqsAnswers, what_the_tests_answer_is_what_aws_answers) {
  EILBOTE_CONTRACT_OR_SKIP(model, "aws/sqs.service-2.trimmed.json");
  const SqsContract contract(*model);
  EXPECT_THAT(contract.misfits_of_answer("SendMessageBatch", kSent), IsEmpty());
  EXPECT_THAT(contract.misfits_of_answer("ReceiveMessage", kReceived), IsEmpty());
  EXPECT_THAT(contract.misfits_of_answer("ReceiveMessage", "{}"), IsEmpty());
  EXPECT_THAT(contract.misfits_of_answer("GetQueueUrl", kAddress), IsEmpty());
  EXPECT_THAT(contract.misfits_of_answer("CreateQueue", kAddress), IsEmpty());
  EXPECT_THAT(contract.misfits_of_answer("GetQueueAttributes", kAttributes), IsEmpty());
}

TEST(SqsAnswers, a_batch_is_read_entry_by_entry) {
  const auto entries = sqs_entries(kSent, 4);
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].outcome, Outcome::wrong);
  EXPECT_EQ(entries[0].code, "InvalidMessageContents");
  EXPECT_EQ(entries[1].outcome, Outcome::done);
  EXPECT_EQ(entries[1].md5, kMd5);
  EXPECT_EQ(entries[2].outcome, Outcome::failed);
  EXPECT_EQ(entries[3].outcome, Outcome::missing);
}

TEST(SqsAnswers, lists_that_are_not_there_are_empty) {
  for (const char* body :
       {"{}", "", "[]", "null", R"({"Successful":null})", R"({"Successful":[{"Id":"x"},{}, 3]})",
        R"({"Successful":[{"Id":"7"}],"Failed":{}})"})
    EXPECT_EQ(sqs_entries(body, 1).at(0).outcome, Outcome::missing) << body;
  for (const char* body :
       {"{}", "", R"({"Messages":null})", R"({"Messages":[{}]})", R"({"Messages":[{"MessageId":"m"}]})"})
    EXPECT_THAT(sqs_messages(body), IsEmpty()) << body;
  EXPECT_EQ(sqs_queue_url("{}"), "");
  EXPECT_EQ(sqs_depth("{}"), std::nullopt);
  EXPECT_EQ(sqs_depth(R"({"Attributes":{"ApproximateNumberOfMessages":"many"}})"), std::nullopt);
}

TEST(SqsAnswers, messages_are_read_with_their_checksums) {
  const auto messages = sqs_messages(kReceived);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].id, "m");
  EXPECT_EQ(messages[0].handle, "h");
  EXPECT_EQ(messages[0].body, "{}");
  EXPECT_EQ(messages[0].receive_count, 3);
  EXPECT_TRUE(messages[0].is_whole);
  EXPECT_FALSE(
      sqs_messages(R"({"Messages":[{"MessageId":"m","ReceiptHandle":"h","Body":"{ }","MD5OfBody":")" +
                   std::string(kMd5) + R"("}]})")
          .at(0)
          .is_whole);
  EXPECT_EQ(sqs_queue_url(kAddress), "https://sqs.eu-central-1.amazonaws.com/1/q");
  EXPECT_EQ(sqs_depth(kAttributes), 17);
}

TEST(SqsAnswers, checksums) {
  EXPECT_TRUE(sqs_md5_fits("{}", kMd5));
  EXPECT_TRUE(sqs_md5_fits("{}", "99914B932BD37A50B983C5E7C90AE93B"));
  EXPECT_TRUE(sqs_md5_fits("{}", ""));
  EXPECT_FALSE(sqs_md5_fits("{ }", kMd5));
}

TEST(SqsAnswers, an_error_is_told_by_its_name_wherever_that_is) {
  struct Case {
    const char* name;
    int status;
    const char *query_error, *error_type, *body;
    SqsFault want;
  };
  const std::vector<Case> cases{
      {"JSON name", 400, "", "", R"({"__type":"com.amazonaws.sqs#QueueDoesNotExist"})", SqsFault::no_queue},
      {"old name", 400, "AWS.SimpleQueueService.NonExistentQueue;Sender", "", "{}", SqsFault::no_queue},
      {"header", 400, "", "QueueDoesNotExist:http://x/", "{}", SqsFault::no_queue},
      {"deleted", 400, "", "", R"({"__type":"com.amazonaws.sqs#QueueDeletedRecently"})",
       SqsFault::deleted_recently},
      {"exists", 400, "", "", R"({"__type":"com.amazonaws.sqs#QueueNameExists"})", SqsFault::exists_already},
      {"throttled", 400, "", "", R"({"__type":"com.amazonaws.sqs#RequestThrottled"})", SqsFault::throttled},
      {"in flight", 403, "", "", R"({"__type":"com.amazonaws.sqs#OverLimit"})", SqsFault::throttled},
      {"429", 429, "", "", "", SqsFault::throttled},
      {"credentials", 403, "", "", R"({"__type":"com.amazon.coral.service#UnrecognizedClientException"})",
       SqsFault::credentials},
      {"denied", 403, "", "", "", SqsFault::credentials},
      {"server", 503, "", "", "<html>", SqsFault::unavailable},
      {"ours", 400, "", "", R"({"__type":"com.amazonaws.sqs#BatchRequestTooLong"})", SqsFault::refused},
  };
  for (const Case& one : cases)
    EXPECT_EQ(sqs_error(one.status, one.query_error, one.error_type, one.body).fault, one.want) << one.name;
}

TEST(SqsAnswers, every_error_of_the_model_has_a_name_that_is_known_or_is_ours) {
  EILBOTE_CONTRACT_OR_SKIP(model, "aws/sqs.service-2.trimmed.json");
  std::set<std::string> retried;
  for (const auto& [name, shape] : model->at("shapes").as_object()) {
    if (shape.as_object().if_contains("exception") == nullptr) continue;
    const auto error =
        sqs_error(400, "", "", R"({"__type":"com.amazonaws.sqs#)" + std::string(name) + R"("})");
    if (error.fault == SqsFault::throttled) retried.insert(name);
    EXPECT_NE(error.fault, SqsFault::none) << name;
  }
  EXPECT_THAT(retried, testing::ElementsAre("KmsThrottled", "OverLimit", "RequestThrottled"));
}

TEST(SqsAnswers, what_is_said_about_credentials_repeats_nothing_of_the_request) {
  const auto error = sqs_error(403, "", "", R"({"__type":"InvalidSignatureException",
      "message":"The Canonical String for this request should have been 'POST / AKIDEXAMPLE'"})");
  EXPECT_THAT(error.detail, AllOf(HasSubstr("credentials"), HasSubstr("InvalidSignatureException"),
                                  Not(HasSubstr("AKIDEXAMPLE"))));
  EXPECT_THAT(sqs_error(400, "", "", R"({"__type":"InvalidAttributeName","message":"no such\nname"})").detail,
              HasSubstr("InvalidAttributeName (400: no such name)"));
}

}  // namespace
}  // namespace eilbote::test::sqs_answers_test
