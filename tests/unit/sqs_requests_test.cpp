// The bodies that go to SQS: what is in them, that AWS's own model knows all of it, and texts that SQS would not take.
#include "transport/sqs_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "support/contracts.h"
#include "support/sqs_contract.h"

namespace eilbote::test::sqs_requests_test {
namespace {

namespace json = boost::json;
using testing::IsEmpty;

const std::string kQueue = "https://sqs.eu-central-1.amazonaws.com/123456789012/email-dispatcher-send";

struct Made {
  SqsAction action;
  std::string body;
};

std::vector<Made> every_request() {
  const std::vector<std::string> handles{"h1", "h2"};
  const std::vector<SqsOutgoing> plain{{R"({"EmailId":"1"})"}, {R"({"EmailId":"2"})"}};
  const std::vector<SqsOutgoing> fifo{{"{}", "group", "1-ab"}};
  return {
      {SqsAction::get_queue_url, sqs_queue_url_body("a", "")},
      {SqsAction::get_queue_url, sqs_queue_url_body("a", "123456789012")},
      {SqsAction::create_queue, sqs_create_body("a", false, 60)},
      {SqsAction::create_queue, sqs_create_body("a.fifo", true, 60)},
      {SqsAction::get_queue_attributes, sqs_depth_body(kQueue)},
      {SqsAction::send_message_batch, sqs_send_body(kQueue, plain)},
      {SqsAction::send_message_batch, sqs_send_body(kQueue, fifo)},
      {SqsAction::receive_message, sqs_receive_body(kQueue, {})},
      {SqsAction::delete_message_batch, sqs_delete_body(kQueue, handles)},
      {SqsAction::change_message_visibility_batch, sqs_visibility_body(kQueue, handles, 60)},
  };
}

TEST(SqsRequests, fit_the_model_of_aws) {
  EILBOTE_CONTRACT_OR_SKIP(model, "aws/sqs.service-2.trimmed.json");
  const SqsContract contract(*model);
  EXPECT_EQ(std::string(model->at("metadata").at("targetPrefix").as_string()) + ".", kSqsTarget);
  EXPECT_EQ(model->at("metadata").at("jsonVersion").as_string(), "1.0");
  for (const Made& one : every_request())
    EXPECT_THAT(contract.misfits_of_request(sqs_action_name(one.action), one.body), IsEmpty()) << one.body;
}

TEST(SqsRequests, the_model_finds_what_is_wrong) {
  EILBOTE_CONTRACT_OR_SKIP(model, "aws/sqs.service-2.trimmed.json");
  const SqsContract contract(*model);
  EXPECT_THAT(contract.misfits_of_request("ReceiveMessage", R"({"QueueURL":"x","WaitTimeSeconds":"20"})"),
              testing::SizeIs(3));
  EXPECT_THAT(contract.misfits_of_request("CreateQueue", R"({"QueueName":"a","Attributes":{"Fifo":"true"}})"),
              testing::SizeIs(1));
}

TEST(SqsRequests, a_batch_calls_its_entries_by_their_number) {
  const std::vector<SqsOutgoing> messages{{"{}"}, {"{}", "g", "d"}};
  const json::value body = json::parse(sqs_send_body(kQueue, messages));
  EXPECT_EQ(body, json::parse(R"({"QueueUrl":")" + kQueue + R"(","Entries":[{"Id":"0","MessageBody":"{}"},
      {"Id":"1","MessageBody":"{}","MessageGroupId":"g","MessageDeduplicationId":"d"}]})"));
}

TEST(SqsRequests, a_text_is_made_fit_for_sqs_and_stays_the_same_json) {
  struct Case {
    const char* name;
    std::string text, want;
  };
  const std::vector<Case> cases{
      {"plain", R"({"a":"Grüße 🎈"})", R"({"a":"Grüße 🎈"})"},
      {"U+FFFE", "\"\xEF\xBF\xBE\"", R"("\ufffe")"},
      {"U+FFFF", "\"\xEF\xBF\xBF!\"", R"("\uffff!")"},
      {"U+FFFD stays", "\"\xEF\xBF\xBD\"", "\"\xEF\xBF\xBD\""},
      {"line ends stay", "{\n\t\r}", "{\n\t\r}"},
      {"control", std::string("\"\x01\""), R"("\u0001")"},
      {"no UTF-8", "\"\xFF\"", "\"\xEF\xBF\xBD\""},
  };
  for (const Case& one : cases)
    EXPECT_EQ(sqs_text(one.text), one.want) << one.name;
}

TEST(SqsRequests, an_identifier_is_itself_where_it_may_be) {
  EXPECT_EQ(sqs_identifier("0J8ZQK-1"), "0J8ZQK-1");
  EXPECT_EQ(sqs_identifier(std::string(128, 'a')), std::string(128, 'a'));
  for (const std::string& wrong :
       {std::string(129, 'a'), std::string("order 7"), std::string("Größe"), std::string()}) {
    EXPECT_THAT(sqs_identifier(wrong), testing::MatchesRegex("[0-9a-f]{64}")) << wrong;
    EXPECT_NE(sqs_identifier(wrong), sqs_identifier(wrong + "b")) << wrong;
  }
}

}  // namespace
}  // namespace eilbote::test::sqs_requests_test
