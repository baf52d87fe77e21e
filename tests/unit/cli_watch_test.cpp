// What `eilbote watch` asks for, counts and prints.
#include <gmock/gmock.h>

#include "cli/metric_sum.h"
#include "support/cli_fixture.h"

namespace eilbote::test::cli_watch_test {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

TEST(CliMetricSum, adds_the_samples_of_one_name) {
  const std::string page =
      "# HELP a_total x\n# TYPE a_total counter\na_total 3\na_total_more 100\n"
      "b_total{pool=\"m\",outcome=\"delivered\"} 2\nb_total{pool=\"n\",outcome=\"delivered\"} 4\n"
      "b_total{pool=\"n\",outcome=\"transient\"} 8";
  EXPECT_EQ(cli::metric_sum(page, "a_total"), 3);
  EXPECT_EQ(cli::metric_sum(page, "b_total"), 14);
  EXPECT_EQ(cli::metric_sum(page, "b_total", "delivered"), 6);
  EXPECT_EQ(cli::metric_sum(page, "c_total"), 0);
  EXPECT_EQ(cli::metric_sum("", "a_total"), 0);
}

class CliWatch : public CliFixture {
 protected:
  CliWatch() {
    handler_.answers["GET /queue"] = {
        200,
        "application/json",
        {},
        R"({"observedAt":"2026-01-01T12:00:00.000Z","data":[{"pool":"mail","waiting":7,"due":{"under1m":2,"under5m":1,)"
        R"("under15m":0,"under1h":0,"under4h":0,"longer":0},"oldestDueAt":"2026-01-01T11:58:00.000Z"}]})"};
    handler_.answers["GET /breakers"] = {
        200,
        "application/json",
        {},
        R"({"data":[{"route":"smtp","state":"open","instance":"a:1"},{"route":"x","state":"closed"},)"
        R"({"route":"smtp","state":"open","instance":"b:2"}],"partial":false})"};
    handler_.answers["GET /metrics"] = {200, "text/plain", {}, "eilbote_messages_accepted_total 5\n"};
  }
};

TEST_F(CliWatch, prints_a_line_per_look) {
  const auto seen = ask({"watch", "--count", "2", "--interval", "0.1"});
  EXPECT_EQ(seen.code, ExitCode::ok) << seen.err;
  EXPECT_THAT(seen.out,
              HasSubstr("ACCEPTED/S  SENT/S  DEAD/S  WAITING  DUE  OLDEST DUE SINCE          BREAKERS\n"
                        "-           -       -       7        3    2026-01-01T11:58:00.000Z  smtp open\n"))
      << "nothing to compare with yet";
  EXPECT_THAT(seen.out, HasSubstr("\n0.0         0.0     0.0     7"));
  EXPECT_EQ(handler_.asked().size(), 6U);
}

TEST_F(CliWatch, prints_json_and_does_without_metrics) {
  handler_.answers.erase("GET /metrics");
  const auto seen = ask({"watch", "--count", "1", "--json"});
  EXPECT_EQ(seen.code, ExitCode::ok) << seen.err;
  const json::value line = json::parse(seen.out);
  EXPECT_TRUE(line.at("sentPerSecond").is_null());
  EXPECT_EQ(line.at("due"), 3);
  EXPECT_EQ(line.at("openBreakers"), "smtp open");
}

TEST_F(CliWatch, goes_on_when_a_server_it_has_seen_is_away) {
  const HttpResponse queue = handler_.answers["GET /queue"];
  handler_.first["GET /queue"] = {queue, handler_.refusal(503, "restarting")};
  const auto seen = ask({"watch", "--count", "3", "--interval", "0.1", "--json"});
  EXPECT_EQ(seen.code, ExitCode::ok) << seen.err;
  EXPECT_THAT(seen.err, HasSubstr("restarting"));
  EXPECT_EQ(std::ranges::count(seen.out, '\n'), 2) << "a line per good look, and nothing else: " << seen.out;
  EXPECT_TRUE(json::parse(seen.out.substr(seen.out.find('\n') + 1)).at("sentPerSecond").is_null())
      << "nothing to compare with again";
}

TEST_F(CliWatch, shows_that_a_count_was_cut_short) {
  handler_.answers["GET /queue"].body =
      R"({"observedAt":"2026-01-01T12:00:00.000Z","data":[{"pool":"a","waiting":10001,"due":{"under1m":3},"oldestDueAt":null},)"
      R"({"pool":"b","waiting":2,"due":{"under1m":1},"oldestDueAt":null}]})";
  EXPECT_THAT(ask({"watch", "--count", "1"}).out, HasSubstr("10002+   4    -"));
  const json::value line = json::parse(ask({"watch", "--count", "1", "--json"}).out);
  EXPECT_EQ(line.at("waiting"), 10002);
  EXPECT_EQ(line.at("waitingIsMore"), true);
  EXPECT_EQ(line.at("dueIsMore"), false);
}

TEST_F(CliWatch, sends_no_token_to_where_the_metrics_are) {
  actions_.resolve_secret = [](const std::string&) -> Result<Secret> { return Secret("sesame"); };
  TableHandler elsewhere;
  HttpServerOptions options;
  options.host = "127.0.0.1";
  options.port = 0;
  const auto metrics = make_http_server(options, elsewhere, &metrics_);
  ASSERT_TRUE(metrics->start());
  const std::string url = "http://127.0.0.1:" + std::to_string(metrics->port());
  const auto seen = ask({"watch", "--count", "1", "--token-ref", "env://X", "--metrics", url});
  metrics->stop();
  EXPECT_EQ(seen.code, ExitCode::ok) << seen.err;
  EXPECT_EQ(elsewhere.asked(), std::vector<std::string>{"GET /metrics"});
  EXPECT_EQ(elsewhere.last().header("authorization"), "");
  EXPECT_EQ(handler_.last().header("authorization"), "Bearer sesame");
}

TEST_F(CliWatch, says_when_there_is_no_server) {
  handler_.answers.erase("GET /queue");
  EXPECT_EQ(ask({"watch", "--count", "1"}).code, ExitCode::not_found);
  EXPECT_EQ(run({"watch", "--count", "1", "--server", "http://127.0.0.1:1"}).code, ExitCode::unreachable);
}

}  // namespace
}  // namespace eilbote::test::cli_watch_test
