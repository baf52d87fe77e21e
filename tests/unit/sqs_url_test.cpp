// sqs://: what is read from it, what the queues are called, and what is said about a wrong one.
#include "transport/sqs_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace eilbote::test::sqs_url_test {
namespace {

using testing::HasSubstr;

TEST(SqsUrl, is_read) {
  struct Case {
    const char* text;
    SqsUrl want;
  };
  const std::vector<Case> cases{
      {"sqs://eu-central-1", {"eu-central-1"}},
      {"sqs://eu-central-1/", {"eu-central-1"}},
      {"sqs://us-gov-west-1?", {"us-gov-west-1"}},
      {"sqs://eu-central-1?prefix=shop-&fifo=true", {"eu-central-1", "", "shop-", true, true}},
      {"sqs://eu-central-1?prefix=shop%5F", {"eu-central-1", "", "shop_", false, true}},
      {"sqs://eu-central-1?create=false&fifo=false", {"eu-central-1", "", "", false, false}},
      // In an account that may be another's no queue is made, unless that is asked for.
      {"sqs://eu-central-1/123456789012", {"eu-central-1", "123456789012", "", false, false}},
      {"sqs://eu-central-1/123456789012?create=true", {"eu-central-1", "123456789012", "", false, true}},
  };
  for (const Case& one : cases) {
    const auto url = parse_sqs_url(one.text);
    ASSERT_TRUE(url) << one.text << ": " << url.error().message;
    EXPECT_EQ(*url, one.want) << one.text;
  }
}

TEST(SqsUrl, says_what_would_be_right) {
  struct Case {
    std::string text;
    const char* says;
  };
  const std::vector<Case> cases{
      {"amqp://host", "sqs://"},
      {"sqs://", "REGION"},
      {"sqs://Frankfurt", "REGION"},
      {"sqs://localhost:4566", "REGION"},
      {"sqs://eu-central-1-", "REGION"},
      {"sqs://eu-central-1/1234", "12 digits"},
      {"sqs://eu-central-1/123456789012/queue", "12 digits"},
      {"sqs://eu-central-1?fifo=yes", "`fifo`"},
      {"sqs://eu-central-1?create=", "`create`"},
      {"sqs://eu-central-1?fifo", "without ="},
      {"sqs://eu-central-1?prefx=a", "`prefix` was meant?"},
      {"sqs://eu-central-1?prefix=a.b", "letters, digits"},
      {"sqs://eu-central-1?prefix=%zz", "letters, digits"},
      {"sqs://eu-central-1?prefix=" + std::string(51, 'a'), "at most 50"},
      {"sqs://" + std::string(600, 'a'), "512"},
  };
  for (const Case& one : cases) {
    const auto url = parse_sqs_url(one.text);
    ASSERT_FALSE(url) << one.text;
    EXPECT_EQ(url.error().kind, ErrorKind::invalid);
    EXPECT_THAT(url.error().message, HasSubstr(one.says)) << one.text;
  }
}

TEST(SqsUrl, names_every_queue_as_sqs_takes_it) {
  SqsUrl url{"eu-central-1"};
  EXPECT_EQ(url.queue_name(CarrierQueue::mail_send), "email-dispatcher-send");
  EXPECT_EQ(url.queue_name(CarrierQueue::webhook_dead), "dispatch-jobs-dlq");
  url.prefix = "shop-";
  url.fifo = true;
  EXPECT_EQ(url.queue_name(CarrierQueue::mail_retry), "shop-email-dispatcher-retry.fifo");
  url.prefix = std::string(50, 'a');
  for (const auto& [queue, name] : kCarrierQueueNames.entries)
    EXPECT_LE(url.queue_name(queue).size(), 80U) << name;
}

}  // namespace
}  // namespace eilbote::test::sqs_url_test
