// Clients name URLs, and Eilbote stands inside a network they do not: nothing they name makes it call anything in there. The
// DNS here lies, and changes its mind between the check and the connection.
#include <gtest/gtest.h>

#include "support/job_api.h"
#include "support/scripted_dns.h"
#include "support/scripted_http.h"
#include "support/server_packages.h"
#include "support/temp_folder.h"

namespace eilbote::test::nothing_goes_where_the_guard_forbids {
namespace {

class TheGuard : public testing::Test {
 protected:
  // Nothing is allowed but the open internet, unless told otherwise.
  std::unique_ptr<EilboteProcess> server(const std::string& allow = "") {
    return std::make_unique<EilboteProcess>(
        folder_ / "data", std::map<std::string, std::string>{{"EILBOTE_OUTBOUND_ALLOW", allow},
                                                             {"EILBOTE_LEASE_SECONDS", "2"}});
  }
  static void is_refused(const HttpReply& reply, const std::string& pointer, const std::string& rule) {
    EXPECT_EQ(reply.status, 422) << reply.body;
    const json::value problem = json::parse(reply.body);
    EXPECT_EQ(text_at(problem, "/type"), "urn:eilbote:problem:target-refused") << reply.body;
    EXPECT_EQ(text_at(problem, "/errors/0/pointer"), pointer) << reply.body;
    EXPECT_NE(text_at(problem, "/errors/0/detail").find(rule), std::string::npos) << reply.body;
  }
  TempFolder folder_;
};

TEST_F(TheGuard, refuses_a_job_for_an_address_inside) {
  ScriptedHttp sink;
  const auto eilbote = server();
  eilbote->start();
  is_refused(eilbote->post("/dispatch-jobs", job_json(sink.url())), "/targetUrl", "loopback");
  is_refused(eilbote->post("/dispatch-jobs", job_json("http://169.254.169.254/latest/meta-data/")),
             "/targetUrl", "metadata");
  is_refused(eilbote->post("/dispatch-jobs", job_json("http://[::ffff:10.0.0.1]/")), "/targetUrl", "private");
  is_refused(eilbote->post("/dispatch-jobs", job_json("http://hooks.example.org:6379/")), "/targetUrl",
             "another protocol");
  const HttpReply batch =
      eilbote->post("/dispatch-jobs/batch",
                    "[" + job_json(sink.url()) + "," +
                        job_json("https://8.8.8.8/x", R"(,"scheduledFor":"2027-06-01T00:00:00Z")") + "]");
  const json::value items = json::parse(batch.body);
  EXPECT_NE(batch.body.find("target-refused"), std::string::npos) << batch.body;
  EXPECT_NE(batch.body.find("\"status\":201"), std::string::npos) << batch.body;
  JobApi(*eilbote).post("/service-accounts", R"({"code":"local","name":"Local","clientIds":["local"]})");
  is_refused(eilbote->post("/messages",
                           mail_json("ada@example.org", "x", R"("callback":{"url":")" + sink.url() + "\"}")),
             "/callback/url", "loopback");
  EXPECT_GE(MailApi(*eilbote).metric("eilbote_outbound_refused_total", "at=\"create\""), 6);
  EXPECT_EQ(sink.connections(), 0);
}

TEST_F(TheGuard, keeps_its_own_listener_even_where_the_loopback_is_allowed) {
  ScriptedHttp sink;
  const auto eilbote = server("127.0.0.0/8,::1,localhost");
  eilbote->start();
  const std::string port = eilbote->url().substr(eilbote->url().rfind(':'));
  for (const std::string host : {"127.0.0.1", "0.0.0.0", "[::ffff:127.0.0.1]", "localhost"})
    is_refused(eilbote->post("/dispatch-jobs", job_json("http://" + host + port + "/messages")), "/targetUrl",
               "listener of Eilbote itself");
  EXPECT_TRUE(JobApi(*eilbote).reaches(JobApi(*eilbote).accept(job_json(sink.url())), "COMPLETED"));
}

// What was allowed when the job came may be forbidden when it leaves.
TEST_F(TheGuard, asks_again_when_the_connection_is_made) {
  ScriptedHttp sink({.scenes = {{.answer = http_answer(400)}}});
  std::string id;
  {
    const auto before = server("127.0.0.0/8");
    before->start();
    id = JobApi(*before).accept(job_json(sink.url(), R"(,"maxRetries":5)"));
    ASSERT_TRUE(JobApi(*before).reaches(id, "ERROR"));
    EXPECT_EQ(before->stop(), 0);
  }
  const auto after = server();
  after->start();
  const JobApi api(*after);
  api.post("/dispatch-jobs/" + id + "/retry");
  ASSERT_TRUE(eventually([&] { return has(api.job(id), "/attempts/1/errorType"); }));
  EXPECT_EQ(text_at(api.job(id), "/attempts/1/errorType"), "PERMANENT") << json::serialize(api.job(id));
  EXPECT_EQ(text_at(api.job(id), "/attempts/1/status"), "CONNECTION_ERROR");
  EXPECT_EQ(sink.seen().size(), 1U);
}

TEST_F(TheGuard, follows_no_redirect_inside) {
  ScriptedHttp sink;
  ScriptedHttp door({.scenes = {{.answer = http_answer(307, "", "Location: " + sink.url() + "\r\n")}}});
  const auto eilbote = server("127.0.0.1:" + std::to_string(door.port()));
  eilbote->start();
  const JobApi api(*eilbote);
  const std::string id = api.accept(job_json(door.url(), R"(,"maxRetries":1)"));
  ASSERT_TRUE(api.reaches(id, "ERROR"));
  EXPECT_EQ(number_at(api.job(id), "/attempts/0/responseCode"), 307);
  EXPECT_EQ(sink.connections(), 0);
}

class TheGuardAndTheDns : public TheGuard {
 protected:
  void SetUp() override { SKIP_BECAUSE(missing_root()); }

  std::unique_ptr<EilboteProcess> server_with(const ScriptedDns& dns) {
    auto made = server();
    made->wrap([&dns, this](const std::vector<std::string>& command) {
      return resolved_by(dns, folder_.path(), command);
    });
    made->start();
    return made;
  }
};

TEST_F(TheGuardAndTheDns, refuses_a_name_that_leads_inside) {
  ScriptedHttp sink;
  ScriptedDns dns({{"inside.example", {{"127.0.0.1"}}},
                   {"mixed.example", {{"8.8.8.8", "10.0.0.1"}}},
                   {"cloud.example", {{"169.254.169.254"}}}});
  const auto eilbote = server_with(dns);
  const auto post = [&](const std::string& url) { return eilbote->post("/dispatch-jobs", job_json(url)); };
  is_refused(post(sink.url("inside.example")), "/targetUrl", "loopback");
  is_refused(post("https://mixed.example/"), "/targetUrl", "private");
  const HttpReply cloud = post("http://cloud.example/latest/meta-data/");
  is_refused(cloud, "/targetUrl", "metadata");
  EXPECT_EQ(cloud.body.find("169.254"), std::string::npos) << "shows what a name leads to";
  EXPECT_EQ(sink.connections(), 0);
}

TEST_F(TheGuardAndTheDns, sees_through_a_name_that_is_rebound_between_check_and_connection) {
  ScriptedHttp sink;
  ScriptedDns dns({{"rebound.example", {{"8.8.8.8"}, {"127.0.0.1"}}},
                   {"half.example", {{"8.8.8.8"}, {"8.8.8.8", "127.0.0.1"}}},
                   {"unknown.example", {{}, {}, {"127.0.0.1"}}}});
  const auto eilbote = server_with(dns);
  const JobApi api(*eilbote);
  for (const char* name : {"rebound.example", "half.example", "unknown.example"}) {
    const std::string id = api.accept(job_json(sink.url(name), R"(,"retryStrategy":"immediate")"));
    ASSERT_TRUE(api.reaches(id, "ERROR")) << name << json::serialize(api.job(id));
    const json::array attempts = api.job(id).at("attempts").as_array();
    ASSERT_FALSE(attempts.empty());
    const json::value& last = attempts.back();
    EXPECT_EQ(text_at(last, "/status"), "CONNECTION_ERROR") << name;
    EXPECT_EQ(text_at(last, "/errorType"), "PERMANENT") << name << json::serialize(attempts);
    EXPECT_NE(json::serialize(last).find("EILBOTE_OUTBOUND_ALLOW"), std::string::npos)
        << json::serialize(last);
    EXPECT_GE(dns.asked(name), 2) << name;
  }
  EXPECT_EQ(sink.connections(), 0);
}

}  // namespace
}  // namespace eilbote::test::nothing_goes_where_the_guard_forbids
