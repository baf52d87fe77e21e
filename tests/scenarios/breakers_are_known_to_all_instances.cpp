// A way out is shut by the instance that uses it, and people ask another one: it shows the breakers of all, says in the overview what
// is wrong, and a reset there reaches the instance whose breaker it is.
#include <gtest/gtest.h>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/job_api.h"
#include "support/loopback_listener.h"
#include "support/test_store.h"

namespace eilbote::test::breakers_are_known_to_all_instances {
namespace {

SCENARIO_ON_POSTGRES(Breakers);

// Heartbeats, and what goes with them, are a fifth of the lease apart.
const Settings kFast{{"EILBOTE_LEASE_SECONDS", "5"}};

Settings fast(Settings more) {
  more.insert(kFast.begin(), kFast.end());
  return more;
}

// "instance state" of a route, as this server tells it; empty: it does not.
std::vector<std::pair<std::string, std::string>> told(const EilboteProcess& server,
                                                      const std::string& route) {
  std::vector<std::pair<std::string, std::string>> rows;
  const json::value answer = MailApi(server).read("/breakers");
  for (const json::value& row : answer.at("data").as_array())
    if (text_at(row, "/route") == route) rows.emplace_back(text_at(row, "/instance"), text_at(row, "/state"));
  return rows;
}

bool wants_a_person(const EilboteProcess& server, const std::string& code, const std::string& subject) {
  const json::value seen = MailApi(server).read("/overview");
  for (const json::value& row : seen.at("attention").as_array())
    if (text_at(row, "/code") == code && text_at(row, "/subject") == subject) return true;
  return false;
}

TEST_P(Breakers, are_shown_and_reset_by_an_instance_that_delivers_nothing) {
  const auto worker = start_server(fast({{"EILBOTE_ROLE", "worker"},
                                         {"EILBOTE_CAPTURE_FAULTS", "by-address"},
                                         {"EILBOTE_BREAKER_PROBE", "1h"}}),
                                   "worker");
  const auto front = start_server(fast({{"EILBOTE_ROLE", "api"}}), "front");
  ASSERT_TRUE(eventually([&] { return told(*front, "capture").size() == 1; }));
  EXPECT_EQ(told(*front, "capture"), told(*worker, "capture")) << "the front has no way out of its own";
  EXPECT_EQ(told(*front, "capture").front().second, "closed");
  EXPECT_FALSE(wants_a_person(*front, "route_down", "capture"));

  const MailApi api(*front);
  const std::string first =
      api.accept(mail_json("a+route1@example.org", "x", R"("retry":{"strategy":"immediate"})"));
  ASSERT_TRUE(eventually([&] { return told(*front, "capture").front().second == "open"; }));
  EXPECT_TRUE(eventually([&] { return wants_a_person(*front, "route_down", "capture"); }));
  const std::string second = api.accept(mail_json("b@example.org"));
  const std::string instance = told(*worker, "capture").front().first;
  EXPECT_FALSE(instance.empty());
  EXPECT_EQ(told(*front, "capture").front().first, instance) << "the same name everywhere";

  EXPECT_EQ(front->post("/breakers/nobody/reset", "").status, 404);
  const HttpReply reset = front->post("/breakers/capture/reset", "");
  ASSERT_EQ(reset.status, 202) << reset.body;
  EXPECT_EQ(json::parse(reset.body), json::parse(R"({"closedHere":false,"asked":1})"));
  EXPECT_TRUE(api.reaches(second, "SENT"));
  EXPECT_TRUE(api.reaches(first, "SENT"));
  EXPECT_TRUE(eventually([&] { return told(*front, "capture").front().second == "closed"; }));
  EXPECT_EQ(text_at(api.read("/audit?action=breaker.reset"), "/data/0/target"), "breaker:capture");

  EXPECT_EQ(worker->stop(), 0);
  EXPECT_TRUE(eventually([&] { return told(*front, "capture").empty(); })) << "who is gone has none";
}

TEST_P(Breakers, of_endpoint_hosts_are_reset_where_they_are_open) {
  std::uint16_t dead = 0;
  {
    const LoopbackListener nobody;  // a port that was free a moment ago
    dead = nobody.port();
  }
  const std::string route = "127.0.0.1:" + std::to_string(dead);
  const auto one = start_server(kFast, "one"), two = start_server(kFast, "two");
  const JobApi api(*one);
  for (int i = 0; i < 40; ++i)
    api.accept(job_json("http://" + route + "/hook"));
  // Both take from the same lane, so either may have opened its breaker, or both have.
  ASSERT_TRUE(eventually(
      [&] { return !told(*one, route).empty() && told(*one, route).size() == told(*two, route).size(); }));
  const HttpReply reset = one->post("/breakers/127.0.0.1%3A" + std::to_string(dead) + "/reset", "");
  ASSERT_TRUE(reset.status == 202 || reset.status == 204) << reset.status << " " << reset.body;
  if (reset.status == 202) {
    const json::value said = json::parse(reset.body);
    EXPECT_EQ(said.at("asked").to_number<int>(), 1);
    EXPECT_TRUE(eventually([&] {
      return read_text_file(two->log_file()).find("breaker closed by hand, at another instance") !=
             std::string::npos;
    })) << "the other one was asked and did nothing";
  }
  const HttpReply other = two->post("/breakers/" + route + "x/reset", "");
  EXPECT_EQ(other.status, 404);
}

}  // namespace
}  // namespace eilbote::test::breakers_are_known_to_all_instances
