// Bounces come back into the sender's mailbox and Microsoft Graph tells of them: late, twice, out of order, to a server that is
// just killed, or not at all. None is lost and none is applied twice; what does not carry the subscription's secret is nothing.
// Without notifications the poll of the inbox does the same work.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/eventually.h"
#include "support/graph_scenario.h"
#include "support/test_scale.h"
#include "support/test_seed.h"

namespace eilbote::test::reports_from_graph_are_applied_once {
namespace {

using namespace std::chrono_literals;

constexpr const char* kBox = "box1@example.org";

class ReportsFromGraph : public GraphScenario {
 protected:
  // With notifications; the poll is too rare to help, but for what the lifecycle asks for.
  Settings notified() const {
    return {{"EILBOTE_GRAPH_NOTIFICATION_URL", notification_url()}, {"EILBOTE_GRAPH_POLL", "1h"}};
  }
  void expect_subscription(int made = 1) const {
    ASSERT_TRUE(eventually([&] {
      return tenant_.is_subscribed(kBox) && tenant_.subscriptions_made() >= made;
    })) << "no subscription was made; "
        << tenant_.all_violations();
  }
  // This many mails that have left.
  std::vector<SentMail> sent(const MailApi& api, int mails) {
    const std::size_t before = tenant_.sent_items().size();
    for (int n = 0; n < mails; ++n)
      api.accept(mail_of(kBox, "gone" + std::to_string(before) + "-" + std::to_string(n) + "@example.net"));
    EXPECT_EQ(not_all(api, {"SENT", "BOUNCED"}, 1min), "");
    auto all = tenant_.sent_items();
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before));
    EXPECT_EQ(static_cast<int>(all.size()), mails);
    return all;
  }
  static void expect_bounced_once(const MailApi& api, const std::vector<SentMail>& mails) {
    for (const SentMail& mail : mails) {
      EXPECT_TRUE(api.reaches(mail.eilbote_id, "BOUNCED", 1min))
          << json::serialize(api.message(mail.eilbote_id));
      int bounces = 0;
      const json::array events = api.events(mail.eilbote_id);
      for (const json::value& event : events)
        if (text_at(event, "/to") == "BOUNCED") ++bounces;
      EXPECT_EQ(bounces, 1) << json::serialize(events);
    }
  }

  // Exchange gives each mail a Message-ID of its own: what the draft said is what a bounce names.
  ScriptedGraph tenant_{{.mailboxes = mailboxes(1), .own_message_ids = true}};
};
INSTANTIATE_TEST_SUITE_P(Stores, ReportsFromGraph, testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         store_name);

TEST_P(ReportsFromGraph, however_often_and_in_whatever_order_they_are_told) {
  const auto server = start_with(tenant_, notified());
  const MailApi api(*server);
  expect_subscription();
  const auto mails = sent(api, 20);
  json::array items;
  for (const SentMail& mail : mails) {
    const json::object item = tenant_.notice(kBox, tenant_.deliver(kBox, ndr_for(mail, mail.to.at(0))));
    items.push_back(item);
    items.push_back(item);
  }
  const std::uint64_t seed = test_seed();
  std::printf("EILBOTE_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::shuffle(items.begin(), items.end(), std::mt19937_64(seed));
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(tenant_.notify(items).status, 202);
  expect_bounced_once(api, mails);
  EXPECT_EQ(tenant_.notify(items).status, 202) << "after they were read";
  expect_bounced_once(api, mails);
  const auto bounced = static_cast<double>(mails.size());
  EXPECT_EQ(api.counted(bounced, "eilbote_messages_bounced_total"), bounced);
  EXPECT_EQ(tenant_.all_violations(), "");
}

TEST_P(ReportsFromGraph, only_with_the_secret_of_the_subscription) {
  const auto server = start_with(tenant_, notified());
  const MailApi api(*server);
  expect_subscription();
  const auto mails = sent(api, 1);
  const std::string id = tenant_.deliver(kBox, ndr_for(mails[0], mails[0].to.at(0)));
  json::object forged = tenant_.notice(kBox, id);
  forged["clientState"] = "somebody-elses-client-state";
  EXPECT_EQ(tenant_.notify(json::array{forged}).status, 202);
  EXPECT_TRUE(throughout([&] { return api.status(mails[0].eilbote_id) == "SENT"; }, 1s));
  EXPECT_EQ(tenant_.requests(GraphStep::read_mime), 0);
  EXPECT_EQ(tenant_.notify(json::array{tenant_.notice(kBox, id)}).status, 202);
  expect_bounced_once(api, mails);
}

TEST_P(ReportsFromGraph, a_thousand_at_a_time_answered_within_a_second) {
  const auto server = start_with(tenant_, notified());
  const MailApi api(*server);
  expect_subscription();
  const auto mails = sent(api, 10);
  json::array items;
  for (int n = 0; n < 990; ++n)
    items.push_back(tenant_.notice(
        kBox, tenant_.deliver(kBox, "From: <ann@example.net>\r\nSubject: Thank you\r\nMessage-ID: <thanks-" +
                                        std::to_string(n) + "@example.net>\r\n\r\nThank you\r\n")));
  for (const SentMail& mail : mails)
    items.push_back(tenant_.notice(kBox, tenant_.deliver(kBox, ndr_for(mail, mail.to.at(0)))));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(tenant_.notify(items).status, 202);
  // Sanitized programs are slower by as much as the scale is smaller.
  EXPECT_LT(std::chrono::steady_clock::now() - start, scaled(10) == 10 ? 1s : 3s);
  expect_bounced_once(api, mails);
}

TEST_P(ReportsFromGraph, that_were_acknowledged_survive_kill_9) {
  const auto server = start_with(tenant_, notified());
  const MailApi api(*server);
  expect_subscription();
  const auto mails = sent(api, 20);
  json::array items;
  for (const SentMail& mail : mails)
    items.push_back(tenant_.notice(kBox, tenant_.deliver(kBox, ndr_for(mail, mail.to.at(0)))));
  EXPECT_EQ(tenant_.notify(items).status, 202);
  server->kill_hard();
  server->start();
  expect_bounced_once(api, mails);
  EXPECT_EQ(tenant_.all_violations(), "");
}

TEST_P(ReportsFromGraph, that_nobody_told_of_are_found_when_the_lifecycle_says_so) {
  const auto server = start_with(tenant_, notified());
  const MailApi api(*server);
  expect_subscription();
  const auto missed = sent(api, 15);  // more than a page
  for (const SentMail& mail : missed)
    tenant_.deliver(kBox, ndr_for(mail, mail.to.at(0)));
  EXPECT_EQ(tenant_.notify(json::array{tenant_.lifecycle_notice(kBox, "missed")}).status, 202);
  expect_bounced_once(api, missed);

  const auto removed = sent(api, 3);
  const json::array last_words{tenant_.lifecycle_notice(kBox, "subscriptionRemoved")};
  tenant_.drop_subscription(kBox);
  for (const SentMail& mail : removed)
    tenant_.deliver(kBox, ndr_for(mail, mail.to.at(0)));
  EXPECT_EQ(tenant_.notify(last_words).status, 202);
  expect_subscription(2);
  expect_bounced_once(api, removed);

  const json::array tired{tenant_.lifecycle_notice(kBox, "reauthorizationRequired")};
  const int renewed = tenant_.subscriptions_renewed();
  EXPECT_EQ(tenant_.notify(tired).status, 202);
  EXPECT_TRUE(eventually([&] { return tenant_.subscriptions_renewed() > renewed; }));
}

TEST_P(ReportsFromGraph, that_came_while_the_server_was_away_are_found_after_it_is_back) {
  const auto server = start_with(tenant_, notified());
  const MailApi api(*server);
  expect_subscription();
  const auto mails = sent(api, 5);
  EXPECT_EQ(server->stop(), 0);
  tenant_.drop_subscription(kBox);
  for (const SentMail& mail : mails)
    tenant_.deliver(kBox, ndr_for(mail, mail.to.at(0)));
  server->start();
  expect_bounced_once(api, mails);
  expect_subscription();
}

TEST_P(ReportsFromGraph, by_the_poll_alone) {
  const auto server = start_with(tenant_, {{"EILBOTE_GRAPH_POLL", "1s"}});
  const MailApi api(*server);
  const auto first = sent(api, 12);
  for (const SentMail& mail : first)
    tenant_.deliver(kBox, ndr_for(mail, mail.to.at(0)));
  expect_bounced_once(api, first);
  // Its place in the inbox is lost: everything is told again, and nothing happens again.
  tenant_.forget_deltas();
  const auto second = sent(api, 3);
  for (const SentMail& mail : second)
    tenant_.deliver(kBox, ndr_for(mail, mail.to.at(0)));
  expect_bounced_once(api, second);
  expect_bounced_once(api, first);
  EXPECT_EQ(tenant_.subscriptions_made(), 0);
  EXPECT_EQ(tenant_.all_violations(), "");
}

}  // namespace
}  // namespace eilbote::test::reports_from_graph_are_applied_once
