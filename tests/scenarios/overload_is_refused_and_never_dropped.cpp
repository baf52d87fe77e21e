// When more comes in than there is memory for, the server says so with 429 and Retry-After before it reads the body;
// what it said yes to is delivered, and afterwards it takes mails as before.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "support/eventually.h"
#include "support/half_request.h"
#include "support/mail_load.h"
#include "support/test_store.h"

namespace eilbote::test::overload_is_refused_and_never_dropped {
namespace {

SCENARIO_ON_EACH_STORE(Overload);

// A mail of about this many bytes.
std::string big_mail(int n, std::size_t bytes) {
  return R"({"from":"s@example.org","to":[")" + MailHistory::recipient(n) +
         R"("],"subject":"big","body":{"text":")" + std::string(bytes, 'x') + R"("}})";
}

TEST_P(Overload, is_answered_with_429_while_others_hold_the_memory) {
  const auto server =
      start_server({{"EILBOTE_HTTP_BUDGET_BYTES", "1MiB"}, {"EILBOTE_HTTP_BODY_BYTES_MAX", "1MiB"}});
  const MailApi api(*server);
  {
    // A slow client: announces a megabyte and sends a little of it.
    const HalfRequest slow(server->url(), "/messages", 1'000'000, R"({"from":")");
    HttpReply refused;
    ASSERT_TRUE(eventually([&] {
      refused = server->post("/messages", big_mail(1, 200'000));
      return refused.status == 429;
    })) << refused.status
        << refused.body;
    EXPECT_EQ(refused.headers.at("content-type"), "application/problem+json");
    EXPECT_GE(std::stoi(refused.headers.at("retry-after")), 1);
    EXPECT_EQ(server->get("/health/live").status, 200);
    EXPECT_GE(api.counted(1, "eilbote_http_overload_total"), 1);
  }
  ASSERT_TRUE(eventually([&] { return server->post("/messages", big_mail(2, 200'000)).status == 202; }));
}

TEST_P(Overload, never_drops_what_was_acknowledged) {
  const auto server =
      start_server({{"EILBOTE_HTTP_BUDGET_BYTES", "1MiB"}, {"EILBOTE_HTTP_BODY_BYTES_MAX", "1MiB"}});
  MailHistory history;
  std::atomic<int> next = 0, refused = 0, other = 0;
  std::vector<std::jthread> clients;
  for (int c = 0; c < 16; ++c)
    clients.emplace_back([&] {
      for (int n = next++; n < 400; n = next++) {
        history.asked(n);
        const HttpReply reply = server->post("/messages", big_mail(n, 300'000));
        if (reply.status == 202)
          history.acknowledged(n, text_at(json::parse(reply.body), "/messageId"));
        else if (reply.status == 429) {
          history.refused(n, 429);
          ++refused;
        } else
          ++other;
      }
    });
  clients.clear();
  EXPECT_EQ(other, 0);
  EXPECT_GT(refused, 0) << "sixteen clients with 300 kB each do not fit into 1 MiB";
  EXPECT_GT(history.acknowledged_count(), 0U);
  const Judgement judgement =
      judge_when_done(history, *server, {.duplicates_allowed = false}, {server->capture_folder()});
  EXPECT_TRUE(judgement.holds) << judgement.page;
  EXPECT_EQ(captured_count(server->capture_folder()), history.acknowledged_count()) << "a 429 stores nothing";
}

}  // namespace
}  // namespace eilbote::test::overload_is_refused_and_never_dropped
