// The Graph channel around its letters: many mails at once, a mailbox's limits, the probe, the end.
#include "channel/graph_channel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "channel/mailbox_rate.h"
#include "support/eventually.h"
#include "support/graph_world.h"

namespace eilbote::test::graph_channel_test {
namespace {

using namespace std::chrono_literals;

class GraphChannelTest : public ::testing::Test, public GraphWorld {
 protected:
  Result<void> probed() {
    if (!channel) open();
    auto promise = std::make_shared<std::promise<Result<void>>>();
    channel->probe([promise](Result<void> result) { promise->set_value(std::move(result)); });
    auto future = promise->get_future();
    if (future.wait_for(20s) != std::future_status::ready)
      throw std::runtime_error("the probe was not answered");
    return future.get();
  }
};

Mail from(const std::string& mailbox) {
  Mail mail = GraphWorld::mail();
  mail.from.address = mailbox;
  return mail;
}

TEST_F(GraphChannelTest, is_the_route_graph) {
  open();
  EXPECT_EQ(channel->route(), "graph");
}

TEST_F(GraphChannelTest, takes_the_trace_of_an_attempt_along_in_all_its_requests) {
  MailDelivery mail = delivery(1);
  const std::string trace = mail.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_EQ(said_of(std::move(mail)), "delivered D1");
  for (const char* step : {"create", "send"})
    EXPECT_EQ(door->calls(step).at(0).traceparent, trace) << step;
}

TEST_F(GraphChannelTest, notes_all_that_wait_in_one_call) {
  door->hold("create");
  std::vector<std::future<DeliveryResult>> mails;
  for (int id = 1; id <= 20; ++id)
    mails.push_back(begin(delivery(id)));
  ASSERT_TRUE(eventually([&] { return door->held() == 20; }));
  door->let_go();
  for (auto& mail : mails)
    EXPECT_EQ(result_of(std::move(mail)).verdict, Verdict::delivered);
  EXPECT_LT(book.note_calls(), 20);
}

TEST_F(GraphChannelTest, sends_no_more_per_mailbox_than_may_go_and_does_not_slow_another) {
  options.mailbox_per_minute = 5;
  std::vector<std::future<DeliveryResult>> mails;
  for (int id = 1; id <= 12; ++id)
    mails.push_back(begin(delivery(id)));
  int sent = 0;
  Duration last{0};
  for (auto& mail : mails) {
    const DeliveryResult result = result_of(std::move(mail));
    if (result.verdict == Verdict::delivered) {
      ++sent;
      continue;
    }
    EXPECT_EQ(result.verdict, Verdict::deferred);
    EXPECT_EQ(result.code, "GRAPH_MAILBOX_RATE");
    EXPECT_GT(*result.retry_after, 55s);
    EXPECT_GT(*result.retry_after, last) << "one after the other";
    last = *result.retry_after;
  }
  EXPECT_EQ(sent, 5);
  EXPECT_EQ(door->calls("create").size(), 5U) << "a mail that has to wait costs no request";
  EXPECT_EQ(deliver(delivery(99, 0, from("sales@contoso.example"))).verdict, Verdict::delivered);
}

TEST_F(GraphChannelTest, does_not_begin_a_send_while_others_of_the_minute_have_no_answer) {
  options.mailbox_per_minute = 1;
  door->hold("send");
  auto first = begin(delivery(1));
  ASSERT_TRUE(eventually([&] { return door->held() == 1; }));
  EXPECT_EQ(said_of(delivery(2)).substr(0, 27), "deferred GRAPH_MAILBOX_RATE");
  door->let_go();
  EXPECT_EQ(result_of(std::move(first)).verdict, Verdict::delivered);
  EXPECT_EQ(door->calls("send").size(), 1U);
}

TEST_F(GraphChannelTest, leaves_a_mailbox_alone_that_graph_throttles) {
  GraphAnswer throttled;
  throttled.status = 429;
  throttled.retry_after = 20s;
  door->answer("create", throttled);
  EXPECT_EQ(said_of(delivery(1)), "deferred GRAPH_THROTTLED 20s");
  const DeliveryResult second = deliver(delivery(2));
  EXPECT_EQ(second.verdict, Verdict::deferred);
  EXPECT_EQ(second.code, "GRAPH_THROTTLED");
  EXPECT_GT(*second.retry_after, 15s);
  EXPECT_EQ(door->calls("create").size(), 1U);
  EXPECT_EQ(deliver(delivery(3, 0, from("sales@contoso.example"))).verdict, Verdict::delivered);
}

TEST_F(GraphChannelTest, pauses_a_throttled_mailbox_as_long_as_graph_says) {
  GraphAnswer throttled;
  throttled.status = 429;
  throttled.retry_after = 4s;
  door->answer("send", throttled);
  EXPECT_EQ(said_of(delivery(1)), "deferred GRAPH_THROTTLED 60s") << "its draft is on record";
  EXPECT_LE(*deliver(delivery(2)).retry_after, 10s) << "the others need not wait for that";
}

TEST_F(GraphChannelTest, does_not_stop_all_mailboxes_for_one_that_is_denied) {
  door->answer("create", 403, "", "ErrorAccessDenied");
  EXPECT_EQ(said_of(delivery(1)), "configuration GRAPH_ACCESS_DENIED 30s");
  const DeliveryResult second = deliver(delivery(2));
  EXPECT_EQ(second.verdict, Verdict::deferred) << "once is enough to open the breaker";
  EXPECT_EQ(second.code, "GRAPH_ACCESS_DENIED");
}

TEST_F(GraphChannelTest, begins_large_mails_as_memory_allows) {
  Mail large = mail();
  large.attachments.push_back({"a.bin", "application/octet-stream", std::string(25'000'000, 'x'), "", false});
  door->hold("create");
  std::vector<std::future<DeliveryResult>> mails;
  for (int id = 1; id <= 3; ++id)
    mails.push_back(begin(delivery(id, 0, large)));
  ASSERT_TRUE(eventually([&] { return door->held() == 1; }));
  EXPECT_TRUE(throughout([&] { return door->held() == 1; }, 100ms)) << "two of them are more than 64 MB";
  channel->release_waiting();
  EXPECT_EQ(said(result_of(std::move(mails[1]))), "released");
  EXPECT_EQ(said(result_of(std::move(mails[2]))), "released");
  door->let_go();
  EXPECT_EQ(result_of(std::move(mails[0])).verdict, Verdict::delivered) << "what is under way goes on";
}

TEST_F(GraphChannelTest, probes_with_the_first_mailbox_that_is_named) {
  options.senders = {"*@fabrikam.example", "sales@contoso.example"};
  EXPECT_TRUE(probed());
  EXPECT_EQ(door->calls("probe")[0].path, "/users/sales%40contoso.example/mailFolders/drafts?$select=id");
  door->answer("probe", 401, "", "InvalidAuthenticationToken");
  const auto bad = probed();
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("InvalidAuthenticationToken"), std::string::npos);
  door->lose("probe", ExchangeFault::connect);
  EXPECT_FALSE(probed());
}

TEST_F(GraphChannelTest, probes_the_token_alone_where_no_mailbox_is_named) {
  EXPECT_TRUE(probed());
  EXPECT_TRUE(door->names().empty()) << "nothing was sent";
}

TEST_F(GraphChannelTest, answers_everybody_when_it_ends_and_nobody_afterwards) {
  door->hold("create");
  auto first = begin(delivery(1));
  ASSERT_TRUE(eventually([&] { return door->held() == 1; }));
  channel.reset();
  EXPECT_EQ(said(result_of(std::move(first))), "released");
  door->let_go();
  EXPECT_TRUE(door->calls("send").empty());

  door->hold("send");
  auto second = begin(delivery(2));
  ASSERT_TRUE(eventually([&] { return door->held() == 1; }));
  channel.reset();
  EXPECT_EQ(said(result_of(std::move(second))), "transient GRAPH_ANSWER_LOST 60s") << "it may have been sent";
  door->let_go();
}

TEST_F(GraphChannelTest, asks_nobody_whether_it_may_send_after_its_end) {
  int questions = 0;
  still_mine = [&questions] {
    ++questions;
    return true;
  };
  door->hold("send");
  auto mail = begin(delivery(1));
  ASSERT_TRUE(eventually([&] { return door->held() == 1; }));
  const GraphCall call = door->calls("send")[0];
  channel.reset();
  const int before = questions;
  EXPECT_FALSE(call.about_to_send());
  EXPECT_EQ(questions, before);
}

// As in start_stop_test.cpp: many lives, used from several threads, every delivery answered once.
TEST_F(GraphChannelTest, answers_every_delivery_once_in_many_lives) {
  for (int life = 0; life < 20; ++life) {
    std::vector<std::atomic<int>> answers(60);
    open();
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
          for (int i = 0; i < 20; ++i) {
            const int n = t * 20 + i;
            channel->deliver(delivery(life * 100 + n + 1, n % 2),
                             [&, n](const DeliveryResult&) { ++answers[static_cast<std::size_t>(n)]; });
          }
        });
    }
    channel.reset();
    for (const std::atomic<int>& times : answers)
      EXPECT_EQ(times, 1);
  }
}

}  // namespace
}  // namespace eilbote::test::graph_channel_test
