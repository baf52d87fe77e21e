// Whatever strangers ask for, the number of series in the metrics stays: a label value of theirs would be memory of ours, and of
// Prometheus.
#include <gtest/gtest.h>

#include "base/ascii.h"
#include "support/eventually.h"
#include "support/job_api.h"
#include "support/test_store.h"

namespace eilbote::test::series_do_not_grow_with_what_strangers_ask {
namespace {

SCENARIO_ON_SQLITE(Series);

// In every place of a request that could become a label: path, method, query, header, host of an endpoint, pool.
void ask_with(const std::string& word, const EilboteProcess& server) {
  server.get("/" + word);
  server.get("/messages/" + word);
  server.get("/messages?" + word + "=1");
  http_request(word, server.url() + "/messages", "", {{"X-Request-ID", word}});
  server.post("/dispatch-jobs", job_json("http://" + word + ".invalid/"));
  server.post("/dispatch-jobs", job_json("http://127.0.0.1:9/"));
  server.post("/dispatch-jobs", job_json("http://127.0.0.1:9/", R"(,"dispatchPoolId":")" + word + "\""));
  server.post("/breakers/" + word + "/reset", "");
}

TEST_P(Series, do_not_grow_with_what_strangers_ask) {
  const auto server = start_server();
  for (int i = 0; i < 20; ++i)
    ask_with("STRANGER" + std::string(1, static_cast<char>('A' + i)), *server);
  const MailApi api(*server);
  EXPECT_GE(api.metric("eilbote_http_requests_total"), 20 * 8);
  ASSERT_TRUE(eventually([&] { return api.metric("eilbote_webhook_attempts_total") > 0; }));
  EXPECT_EQ(ascii_lower(server->get("/metrics").body).find("stranger"), std::string::npos);
}

}  // namespace
}  // namespace eilbote::test::series_do_not_grow_with_what_strangers_ask
