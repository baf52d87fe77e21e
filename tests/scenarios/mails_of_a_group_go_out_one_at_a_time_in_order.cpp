// Mails of one group go out one at a time and in the order they were accepted, also across kill -9; a failed one gives
// up its turn and comes back to the line when it is due.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <thread>

#include "support/eventually.h"
#include "support/mail_load.h"
#include "support/test_scale.h"
#include "support/test_store.h"

namespace eilbote::test::mails_of_a_group_go_out_one_at_a_time_in_order {
namespace {

SCENARIO_ON_EACH_STORE(MailsOfAGroup);

std::string in_group(const std::string& name) {
  return R"("group":")" + name + R"(")";
}

std::int64_t written_at(const std::string& path) {
  struct stat about {};
  ::stat(path.c_str(), &about);
  return about.st_mtim.tv_sec * 1'000'000'000LL + about.st_mtim.tv_nsec;
}

// One file after the other, in the order of `ids`; copies of a mail count as it.
void expect_order(const std::vector<std::string>& ids, const std::vector<CapturedMail>& captured) {
  std::map<std::string, std::vector<std::int64_t>> written;
  for (const CapturedMail& mail : captured)
    written[mail.id].push_back(written_at(mail.path));
  std::int64_t before = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto& times = written[ids[i]];
    ASSERT_FALSE(times.empty()) << ids[i] << " was not captured";
    EXPECT_LE(before, *std::min_element(times.begin(), times.end()))
        << "place " << i << " went before its turn";
    before = *std::max_element(times.begin(), times.end());
  }
}

TEST_P(MailsOfAGroup, keep_their_order) {
  const auto server = start_server();
  const MailApi api(*server);
  std::map<std::string, std::vector<std::string>> groups;
  for (int i = 0; i < 100; ++i) {
    const std::string group = "group-" + std::to_string(i % 4);
    groups[group].push_back(api.accept(mail_json(MailHistory::recipient(i), "x", in_group(group))));
  }
  for (const auto& [group, ids] : groups)
    for (const std::string& id : ids)
      ASSERT_TRUE(api.reaches(id, "SENT")) << group << " " << json::serialize(api.message(id));
  const auto captured = captured_mails(server->capture_folder());
  EXPECT_EQ(captured.size(), 100U);
  for (const auto& [group, ids] : groups) {
    expect_order(ids, captured);
    // Never two in flight: an attempt begins when the one before it is over.
    std::string over;
    for (const std::string& id : ids) {
      const json::array attempts = api.attempts(id);
      ASSERT_EQ(attempts.size(), 1U);
      EXPECT_LE(over, text_at(attempts[0], "/attemptedAt")) << group;
      over = text_at(attempts[0], "/completedAt");
    }
  }
}

TEST_P(MailsOfAGroup, keep_their_order_across_kill_9) {
  const int each = scaled(120, 25), kills = scaled(8, 3), groups = 6;
  const auto server = start_server({{"EILBOTE_LEASE_SECONDS", "3"}});
  std::mutex mutex;
  std::condition_variable changed;
  std::string url = server->url();
  int accepted = 0;
  std::vector<std::vector<std::string>> ids(groups);
  std::vector<std::jthread> clients;
  for (int g = 0; g < groups; ++g)
    clients.emplace_back([&, g](std::stop_token stop) {
      for (int i = 0; i < each && !stop.stop_requested();) {
        std::string place;
        {
          const std::lock_guard lock(mutex);
          place = url;
        }
        const HttpReply reply = http_request(
            "POST", place + "/messages",
            mail_json(MailHistory::recipient(g * each + i), "x", in_group("group-" + std::to_string(g))),
            {{"Idempotency-Key", "group-" + std::to_string(g) + "-" + std::to_string(i)}});
        std::unique_lock lock(mutex);
        if (reply.status == 202) {
          ids[static_cast<std::size_t>(g)].push_back(text_at(json::parse(reply.body), "/messageId"));
          ++i;
          ++accepted;
          changed.notify_all();
        } else {
          changed.wait_for(lock, std::chrono::milliseconds{20});
        }
      }
    });
  for (int kill = 1; kill <= kills; ++kill) {
    {
      std::unique_lock lock(mutex);
      ASSERT_TRUE(changed.wait_for(lock, std::chrono::minutes{2},
                                   [&] { return accepted >= groups * each / (kills + 1) * kill; }));
    }
    server->kill_hard();
    server->start();
    const std::lock_guard lock(mutex);
    url = server->url();
  }
  for (std::jthread& client : clients)
    client.join();
  const MailApi api(*server);
  for (const auto& group : ids)
    for (const std::string& id : group)
      ASSERT_TRUE(api.reaches(id, "SENT", std::chrono::seconds{60})) << json::serialize(api.message(id));
  const auto captured = captured_mails(server->capture_folder());
  for (const auto& group : ids)
    expect_order(group, captured);
}

TEST_P(MailsOfAGroup, wait_for_the_one_that_is_under_way) {
  const auto server = start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}});
  const MailApi api(*server);
  const std::string first = api.accept(mail_json("a+stall@example.org", "x", in_group("one")));
  const std::string second = api.accept(mail_json("b@example.org", "x", in_group("one")));
  const std::string other = api.accept(mail_json("c@example.org", "x", in_group("two")));
  ASSERT_TRUE(api.reaches(other, "SENT")) << "another group does not wait";
  EXPECT_TRUE(throughout([&] { return api.status(second) == "QUEUED"; }, std::chrono::milliseconds{1500}));
  EXPECT_EQ(server->stop(), 0);
  const auto next = start_server();
  const MailApi again(*next);
  ASSERT_TRUE(again.reaches(first, "SENT"));
  ASSERT_TRUE(again.reaches(second, "SENT"));
  expect_order({first, second}, captured_mails(next->capture_folder()));
}

TEST_P(MailsOfAGroup, pass_one_that_failed_and_is_not_due) {
  const auto server = start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"}});
  const MailApi api(*server);
  const std::string failing =
      api.accept(mail_json("a+transient1@example.org", "x",
                           in_group("one") + R"(,"retry":{"strategy":"fixed","delaySeconds":3})"));
  const std::string second = api.accept(mail_json("b@example.org", "x", in_group("one")));
  const std::string dead = api.accept(mail_json("c+permanent@example.org", "x", in_group("one")));
  const std::string cancelled =
      api.accept(mail_json("d@example.org", "x", in_group("one") + "," + due_in_a_month()));
  const std::string last = api.accept(mail_json("e@example.org", "x", in_group("one")));
  ASSERT_TRUE(api.reaches(second, "SENT"));
  ASSERT_TRUE(api.reaches(dead, "FAILED"));
  ASSERT_TRUE(api.reaches(last, "SENT")) << "a dead or a scheduled one does not hold the line";
  EXPECT_EQ(api.status(failing), "RETRY_PENDING");
  EXPECT_EQ(server->del("/messages/" + cancelled).status, 204);
  ASSERT_TRUE(api.reaches(failing, "SENT"));
  EXPECT_EQ(number_at(api.message(failing), "/details/retryCount"), 1);
}

}  // namespace
}  // namespace eilbote::test::mails_of_a_group_go_out_one_at_a_time_in_order
