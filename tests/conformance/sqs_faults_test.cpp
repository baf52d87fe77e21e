// SQS at its worst, scripted: batches of which half fails, answers that are cut short, late or wrong, handles that are too
// old, credentials that are not taken. Every request that goes out meanwhile is held against AWS's own model.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/contracts.h"
#include "support/metric_value.h"
#include "support/scripted_sqs.h"
#include "support/sqs_contract.h"
#include "support/sqs_party.h"
#include "support/sqs_world.h"
#include "transport/sqs_transport.h"

namespace eilbote::test::sqs_faults_test {
namespace {

namespace json = boost::json;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kMd5OfBraces = "99914b932bd37a50b983c5e7c90ae93b";

// One message with the body {}.
HttpScene message(const std::string& id, const std::string& handle, const std::string& md5 = kMd5OfBraces) {
  return sqs_says(fmt::format(
      R"({{"Messages":[{{"MessageId":"{}","ReceiptHandle":"{}","Body":"{{}}","MD5OfBody":"{}"}}]}})", id,
      handle, md5));
}

class SqsFaults : public testing::Test {
 protected:
  SqsFaults() {
    options_.url = "sqs://eu-central-1";
    options_.aws_endpoint_url = sqs_.url();
    options_.aws_credentials = some_aws_credentials;
    options_.confirm_timeout = std::chrono::seconds{2};
  }
  ~SqsFaults() override {
    const auto model = contract("aws/sqs.service-2.trimmed.json");
    if (!model) return;
    const SqsContract contract(*model);
    for (const HttpSeen& one : sqs_.seen())
      EXPECT_THAT(contract.misfits_of_request(ScriptedSqs::action_of(one), one.body), IsEmpty()) << one.body;
  }

  std::unique_ptr<Transport> make() {
    auto transport = make_sqs_transport(options_, wakeups_, metrics_, clock_, timing_);
    if (!transport) throw std::runtime_error(transport.error().message);
    return std::move(*transport);
  }
  void reads_mails() { options_.consumes = {CarrierQueue::mail_send}; }
  // The handles that were asked to be deleted, in their order.
  std::vector<std::string> deleted() const {
    std::vector<std::string> handles;
    for (const json::object& one : sqs_.asked("DeleteMessageBatch"))
      for (const json::value& entry : one.at("Entries").as_array())
        handles.emplace_back(entry.at("ReceiptHandle").as_string());
    return handles;
  }
  std::optional<double> failed(const std::string& reason) const {
    return metric_value(
        metrics_,
        R"(eilbote_broker_publish_failed_total{queue="email.dispatcher.send",reason=")" + reason + R"("})");
  }

  ScriptedSqs sqs_;
  TransportOptions options_;
  SqsTiming timing_ = short_sqs_timing();
  Metrics metrics_;
  SystemClock clock_;
  SilentWakeUps wakeups_;
  std::atomic<bool> came_again_ = false;
};

TEST_F(SqsFaults, every_request_is_signed_and_in_the_right_protocol) {
  SqsParty party(make());
  ASSERT_TRUE(party.is_connected());
  party.publish(numbered_parcels(1));
  for (const HttpSeen& one : sqs_.seen()) {
    EXPECT_EQ(one.line, "POST / HTTP/1.1");
    EXPECT_EQ(one.headers.at("content-type"), "application/x-amz-json-1.0");
    EXPECT_EQ(one.headers.at("x-amzn-query-mode"), "true");
    EXPECT_THAT(one.headers.at("authorization"), AllOf(HasSubstr("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"),
                                                       HasSubstr("/eu-central-1/sqs/")));
  }
}

TEST_F(SqsFaults, each_parcel_of_a_batch_has_its_own_answer) {
  sqs_.on("SendMessageBatch", [](const json::object&, int) {
    return sqs_says(R"({"Successful":[{"Id":"0","MessageId":"m"}],"Failed":[
        {"Id":"1","SenderFault":true,"Code":"InvalidMessageContents"},
        {"Id":"2","SenderFault":false,"Code":"InternalError"}]})");
  });
  SqsParty party(make());
  ASSERT_TRUE(party.is_connected());
  EXPECT_THAT(party.publish(numbered_parcels(4)),
              ElementsAre(Carriage::confirmed, Carriage::refused, Carriage::refused, Carriage::unknown));
  EXPECT_EQ(failed("refused"), 2);
  EXPECT_EQ(failed("unknown"), 1);
  EXPECT_TRUE(party.transport().state().connected);
}

TEST_F(SqsFaults, lists_that_are_missing_leave_it_open) {
  sqs_.on("SendMessageBatch", [](const json::object&, int) { return sqs_says("{}"); });
  SqsParty party(make());
  ASSERT_TRUE(party.is_connected());
  EXPECT_THAT(party.publish(numbered_parcels(3)), AllOf(SizeIs(3), Each(Carriage::unknown)));
}

TEST_F(SqsFaults, a_wrong_checksum_is_no_confirmation) {
  sqs_.on("SendMessageBatch", [](const json::object&, int) {
    return sqs_says(fmt::format(R"({{"Successful":[{{"Id":"0","MD5OfMessageBody":"{}"}}]}})", kMd5OfBraces));
  });
  SqsParty party(make());
  ASSERT_TRUE(party.is_connected());
  EXPECT_THAT(party.publish(numbered_parcels(1)), ElementsAre(Carriage::unknown));
}

TEST_F(SqsFaults, batches_are_as_large_as_sqs_takes_them) {
  options_.confirm_timeout = std::chrono::seconds{30};  // they are long, and sanitizers slow
  SqsParty party(make());
  ASSERT_TRUE(party.is_connected());
  std::vector<Parcel> parcels = numbered_parcels(6);
  for (std::size_t i = 0; i < 5; ++i)
    parcels[i].body = '"' + std::string(400 * 1024, 'a') + '"';
  parcels[5].body = '"' + std::string(1024 * 1024, 'a') + '"';
  const auto answers = party.publish(parcels);
  EXPECT_THAT(std::span(answers).first(5), Each(Carriage::confirmed));
  EXPECT_EQ(answers[5], Carriage::refused);
  std::vector<std::size_t> sizes;
  for (const json::object& one : sqs_.asked("SendMessageBatch"))
    sizes.push_back(one.at("Entries").as_array().size());
  EXPECT_THAT(sizes, testing::UnorderedElementsAre(2, 2, 1));
}

TEST_F(SqsFaults, throttling_is_waited_out) {
  sqs_.on("SendMessageBatch", [](const json::object& body, int before) {
    return before == 0   ? sqs_fails(400, "RequestThrottled")
           : before == 1 ? sqs_fails(503, "ServiceUnavailable")
                         : ScriptedSqs::all_done(body);
  });
  SqsParty party(make());
  ASSERT_TRUE(party.is_connected());
  EXPECT_THAT(party.publish(numbered_parcels(2)), AllOf(SizeIs(2), Each(Carriage::confirmed)));
  const auto asked = sqs_.asked("SendMessageBatch");
  ASSERT_THAT(asked, SizeIs(3));
  EXPECT_EQ(asked[0], asked[2]);
  EXPECT_TRUE(party.transport().state().connected);
}

TEST_F(SqsFaults, throttling_without_end_is_a_refusal_and_a_broker_that_takes_none) {
  sqs_.on("SendMessageBatch", [](const json::object&, int) { return sqs_fails(400, "RequestThrottled"); });
  sqs_.on("GetQueueAttributes", [](const json::object&, int before) {
    return before == 0 ? sqs_says(R"({"Attributes":{"ApproximateNumberOfMessages":"0"}})")
                       : sqs_fails(400, "RequestThrottled");
  });
  SqsParty party(make());
  ASSERT_TRUE(party.is_connected());
  EXPECT_THAT(party.publish(numbered_parcels(1)), ElementsAre(Carriage::refused));
  EXPECT_FALSE(party.transport().state().connected);
  EXPECT_THAT(party.transport().state().detail, HasSubstr("RequestThrottled"));
}

TEST_F(SqsFaults, errors_of_the_server_without_end_leave_it_open) {
  sqs_.on("SendMessageBatch", [](const json::object&, int) { return sqs_fails(500, "InternalFailure"); });
  SqsParty party(make());
  ASSERT_TRUE(party.is_connected());
  EXPECT_THAT(party.publish(numbered_parcels(1)), ElementsAre(Carriage::unknown));
}

TEST_F(SqsFaults, silence_leaves_it_open_and_is_waited_for_no_longer_than_promised) {
  sqs_.on("SendMessageBatch",
          [](const json::object&, int) { return HttpScene{.answer = "", .then = HttpScene::Then::silence}; });
  options_.confirm_timeout = std::chrono::milliseconds{300};
  SqsParty party(make());
  ASSERT_TRUE(party.is_connected());
  auto answers = party.publish_later(numbered_parcels(1));
  ASSERT_EQ(answers.wait_for(std::chrono::seconds{5}), std::future_status::ready);
  EXPECT_THAT(answers.get(), ElementsAre(Carriage::unknown));
  EXPECT_TRUE(eventually([&] { return metric_value(metrics_, "eilbote_broker_reconnects_total") >= 1; }));
}

TEST_F(SqsFaults, an_answer_that_is_lost_leaves_it_open) {
  sqs_.on("SendMessageBatch",
          [](const json::object&, int) { return HttpScene{.answer = "", .then = HttpScene::Then::reset}; });
  SqsParty party(make());
  ASSERT_TRUE(party.is_connected());
  EXPECT_THAT(party.publish(numbered_parcels(2)), AllOf(SizeIs(2), Each(Carriage::unknown)));
}

TEST_F(SqsFaults, says_that_the_credentials_are_wrong) {
  sqs_.on("GetQueueUrl",
          [](const json::object&, int) { return sqs_fails(403, "UnrecognizedClientException"); });
  SqsParty party(make());
  ASSERT_TRUE(eventually([&] {
    return party.transport().state().detail.find("UnrecognizedClientException") != std::string::npos;
  }));
  EXPECT_FALSE(party.transport().state().connected);
  EXPECT_THAT(
      party.transport().state().detail,
      AllOf(HasSubstr("credentials"), Not(HasSubstr("wJalrXUtnFEMI")), Not(HasSubstr("AKIDEXAMPLE"))));
}

TEST_F(SqsFaults, waits_for_credentials_and_takes_new_ones) {
  std::atomic<bool> there = false;
  options_.aws_credentials = [&]() -> Result<AwsCredentials> {
    if (!there) return fail(ErrorKind::unavailable, "the role has none now");
    return some_aws_credentials();
  };
  SqsParty party(make());
  ASSERT_TRUE(eventually(
      [&] { return party.transport().state().detail.find("the role has none now") != std::string::npos; }));
  EXPECT_THAT(sqs_.seen(), IsEmpty());
  there = true;
  EXPECT_TRUE(party.is_connected());
}

TEST_F(SqsFaults, keeps_trying_to_make_a_queue_that_was_deleted_lately) {
  sqs_.on("GetQueueUrl", [](const json::object&, int) { return sqs_fails(400, "QueueDoesNotExist"); });
  sqs_.on("CreateQueue", [](const json::object& body, int before) {
    if (before < 3) return sqs_fails(400, "QueueDeletedRecently");
    return sqs_says(R"({"QueueUrl":"http://sqs/)" + std::string(body.at("QueueName").as_string()) + R"("})");
  });
  SqsParty party(make());
  EXPECT_TRUE(party.is_connected());
  EXPECT_THAT(sqs_.asked("CreateQueue"), SizeIs(3 + 4));
}

TEST_F(SqsFaults, a_message_that_does_not_fit_its_checksum_is_not_handed_over) {
  reads_mails();
  sqs_.on("ReceiveMessage", [](const json::object&, int before) {
    return before == 0   ? message("m", "h0", std::string(32, '0'))
           : before == 1 ? message("m", "h1")
                         : ScriptedSqs::nothing();
  });
  SqsParty party(make());
  ASSERT_TRUE(party.has_arrivals(1));
  party.acknowledge();
  EXPECT_TRUE(eventually([&] { return deleted() == std::vector<std::string>{"h1"}; }));
  EXPECT_THAT(party.arrivals(), SizeIs(1));
}

TEST_F(SqsFaults, a_handle_that_is_too_old_is_replaced_when_the_message_comes_again) {
  reads_mails();
  sqs_.on("ReceiveMessage", [this](const json::object&, int before) {
    if (before == 0) return message("m", "old");
    const bool again = !deleted().empty() && !came_again_.exchange(true);
    return again ? message("m", "new") : ScriptedSqs::nothing();
  });
  sqs_.on("DeleteMessageBatch", [](const json::object& body, int before) {
    return before == 0
               ? sqs_says(R"({"Failed":[{"Id":"0","SenderFault":true,"Code":"ReceiptHandleIsInvalid"}]})")
               : ScriptedSqs::all_done(body);
  });
  SqsParty party(make());
  ASSERT_TRUE(party.has_arrivals(1));
  party.acknowledge();
  EXPECT_TRUE(eventually([&] { return deleted() == std::vector<std::string>{"old", "new"}; }));
  EXPECT_THAT(party.arrivals(), SizeIs(1));  // it was done with: nobody hears of it again
}

TEST_F(SqsFaults, a_message_that_comes_again_while_it_is_held_is_handed_over_once) {
  reads_mails();
  sqs_.on("ReceiveMessage", [](const json::object&, int before) {
    return before == 0 ? message("m", "old") : before == 1 ? message("m", "new") : ScriptedSqs::nothing();
  });
  SqsParty party(make());
  ASSERT_TRUE(eventually([&] { return sqs_.asked("ReceiveMessage").size() >= 3; }));
  party.acknowledge();
  EXPECT_TRUE(eventually([&] { return deleted() == std::vector<std::string>{"new"}; }));
  EXPECT_THAT(party.arrivals(), SizeIs(1));
}

TEST_F(SqsFaults, a_deletion_that_fails_is_done_again) {
  reads_mails();
  sqs_.on("ReceiveMessage", [](const json::object&, int before) {
    return before == 0 ? message("m", "h") : ScriptedSqs::nothing();
  });
  sqs_.on("DeleteMessageBatch", [](const json::object& body, int before) {
    return before == 0   ? sqs_fails(400, "RequestThrottled")
           : before == 1 ? sqs_says(R"({"Failed":[{"Id":"0","SenderFault":false,"Code":"InternalError"}]})")
                         : ScriptedSqs::all_done(body);
  });
  SqsParty party(make());
  ASSERT_TRUE(party.has_arrivals(1));
  party.acknowledge();
  EXPECT_TRUE(eventually([&] { return deleted().size() == 3; }));
  EXPECT_TRUE(throughout([&] { return deleted().size() == 3; }, std::chrono::milliseconds{300}));
}

TEST_F(SqsFaults, receives_are_not_repeated_in_haste_while_they_are_throttled) {
  reads_mails();
  timing_.backoff_min = timing_.backoff_max = std::chrono::seconds{30};
  sqs_.on("ReceiveMessage", [](const json::object&, int) { return sqs_fails(403, "OverLimit"); });
  SqsParty party(make());
  ASSERT_TRUE(eventually([&] { return !sqs_.asked("ReceiveMessage").empty(); }));
  EXPECT_TRUE(
      throughout([&] { return sqs_.asked("ReceiveMessage").size() == 1; }, std::chrono::milliseconds{300}));
  EXPECT_TRUE(party.transport().state().connected);  // publishing works
  EXPECT_TRUE(eventually([&] { return !party.transport().state().receiving; }));
  EXPECT_THAT(party.transport().state().receive_detail, HasSubstr("OverLimit"));
}

TEST_F(SqsFaults, receiving_works_again_once_a_receive_does) {
  reads_mails();
  timing_.backoff_min = timing_.backoff_max = std::chrono::milliseconds{10};
  // The queue is asked, and answers, for longer than this test's body lasts.
  const auto may = std::make_shared<std::atomic<bool>>(false);
  sqs_.on("ReceiveMessage",
          [may](const json::object&, int) { return *may ? sqs_says("{}") : sqs_fails(403, "AccessDenied"); });
  SqsParty party(make());
  ASSERT_TRUE(eventually([&] { return !party.transport().state().receiving; }));
  *may = true;
  EXPECT_TRUE(eventually([&] { return party.transport().state().receiving; }));
}

TEST_F(SqsFaults, what_is_open_at_the_end_is_answered) {
  sqs_.on("SendMessageBatch",
          [](const json::object&, int) { return HttpScene{.answer = "", .then = HttpScene::Then::silence}; });
  options_.confirm_timeout = std::chrono::seconds{60};
  SqsParty party(make());
  ASSERT_TRUE(party.is_connected());
  auto answers = party.publish_later(numbered_parcels(2));
  ASSERT_TRUE(eventually([&] { return sqs_.asked("SendMessageBatch").size() == 1; }));
  party.transport().stop();
  ASSERT_EQ(answers.wait_for(std::chrono::seconds{0}), std::future_status::ready);
  EXPECT_THAT(answers.get(), AllOf(SizeIs(2), Each(Carriage::unknown)));
  EXPECT_FALSE(party.transport().state().connected);
  EXPECT_THAT(party.publish(numbered_parcels(1)), ElementsAre(Carriage::refused));
}

TEST_F(SqsFaults, has_many_lives) {
  reads_mails();
  for (int life = 0; life < 20; ++life) {
    auto transport = make();
    if (life % 4 != 0) transport->start({});
    if (life % 4 == 2) eventually([&] { return transport->state().connected; });
    if (life % 4 == 3) transport->publish(numbered_parcels(30), [](const std::vector<Carriage>&) {});
    if (life % 2 == 0) transport->stop();
    transport->stop();
    transport->start({});  // a second life is none
  }
}

}  // namespace
}  // namespace eilbote::test::sqs_faults_test
