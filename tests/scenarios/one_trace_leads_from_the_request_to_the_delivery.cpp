// A caller's trace goes through the queue to the relay and to the endpoint: a receiver of OpenTelemetry traces sees the request
// that accepted a job and every attempt to deliver it as one chain, also when the server was restarted in between. A receiver that
// hangs or is away costs spans, and no delivery its time.
#include <gtest/gtest.h>

#include "support/job_api.h"
#include "support/loopback_listener.h"
#include "support/private_texts.h"
#include "support/scripted_smtp.h"
#include "support/temp_folder.h"
#include "support/trace_receiver.h"

namespace eilbote::test::one_trace_leads_from_the_request_to_the_delivery {
namespace {

using Environment = std::map<std::string, std::string>;

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736", kCaller = "00f067aa0ba902b7";
const HttpHeaders kCalledFrom{{"traceparent", "00-" + kTrace + "-" + kCaller + "-01"}};

class OneTrace : public testing::Test {
 protected:
  // With `role` api nothing is delivered: what it accepts waits for the next start in the same folder.
  std::unique_ptr<EilboteProcess> start_server(const std::string& endpoint, const std::string& role = "all",
                                               Environment more = {}) {
    more.insert({{"EILBOTE_OTLP_ENDPOINT", endpoint},
                 {"EILBOTE_ROLE", role},
                 {"EILBOTE_MAIL_PROVIDER", "smtp"},
                 {"EILBOTE_SMTP_URL", "smtp://127.0.0.1:" + std::to_string(relay_.port()) + "?tls=off"}});
    auto server = std::make_unique<EilboteProcess>(folder_ / "data", std::move(more));
    server->start();
    return server;
  }
  // Nothing that a test handed in is in what a receiver got, but for ids, codes and hosts.
  static void expect_nothing_private(const TraceReceiver& receiver) {
    for (const HttpSeen& request : receiver.requests())
      PrivateTexts::of_this_test().expect_none(PrivateTexts::of_this_test().search(request.body), "a trace");
  }

  TempFolder folder_;
  ScriptedSmtp relay_{[] {
    SmtpScript script;
    script.replies["DOT"] = {"250 2.0.0 Ok: queued as 4WxYz1AbCd"};
    return script;
  }()};
};

TEST_F(OneTrace, leads_to_the_relays_queue_id_across_a_restart) {
  const TraceReceiver receiver;
  auto server = start_server(receiver.url(), "api");
  const std::string id = MailApi(*server).accept(mail_json("ada@example.org"), kCalledFrom);
  EXPECT_EQ(server->stop(), 0);
  const auto accepted = receiver.wait_for("POST /messages");
  ASSERT_EQ(accepted.size(), 1U) << "what waits is sent before the server ends";
  EXPECT_TRUE(relay_.messages().empty());
  server = start_server(receiver.url());
  ASSERT_TRUE(MailApi(*server).reaches(id, "SENT"));
  const auto sent = receiver.wait_for("smtp send");
  ASSERT_EQ(sent.size(), 1U);

  EXPECT_EQ(member_of(accepted[0], "traceId"), kTrace);
  EXPECT_EQ(member_of(accepted[0], "parentSpanId"), kCaller);
  EXPECT_EQ(attribute_of(accepted[0], "eilbote.job_id"), id);
  EXPECT_EQ(attribute_of(accepted[0], "http.response.status_code"), "202");
  EXPECT_EQ(member_of(sent[0], "traceId"), kTrace);
  EXPECT_EQ(member_of(sent[0], "parentSpanId"), member_of(accepted[0], "spanId"));
  EXPECT_EQ(attribute_of(sent[0], "eilbote.job_id"), id);
  EXPECT_EQ(attribute_of(sent[0], "eilbote.attempt"), "1");
  EXPECT_EQ(attribute_of(sent[0], "eilbote.provider_message_id"), "4WxYz1AbCd");
  EXPECT_EQ(attribute_of(sent[0], "eilbote.provider_message_id"),
            text_at(MailApi(*server).message(id), "/providerMessageId"));
  expect_nothing_private(receiver);
}

TEST_F(OneTrace, leads_to_the_endpoints_answer_over_all_attempts_across_a_restart) {
  const TraceReceiver receiver;
  const ScriptedHttp endpoint({.scenes = {{.answer = http_answer(503, "later")}, {}}});
  auto server = start_server(receiver.url(), "api");
  const HttpReply reply = server->post(
      "/dispatch-jobs", job_json(endpoint.url(), R"(,"retryStrategy":"immediate")"), kCalledFrom);
  ASSERT_EQ(reply.status, 201) << reply.body;
  const std::string id = text_at(json::parse(reply.body), "/id");
  EXPECT_EQ(server->stop(), 0);
  EXPECT_TRUE(endpoint.seen().empty());
  server = start_server(receiver.url());
  ASSERT_TRUE(JobApi(*server).reaches(id, "COMPLETED"));
  const auto accepted = receiver.wait_for("POST /dispatch-jobs");
  const auto attempts = receiver.wait_for("webhook POST", 2);
  ASSERT_EQ(accepted.size(), 1U);
  ASSERT_EQ(attempts.size(), 2U);
  const auto requests = endpoint.seen();
  ASSERT_EQ(requests.size(), 2U);
  const char* const kStatus[] = {"503", "200"};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(member_of(attempts[i], "traceId"), kTrace);
    EXPECT_EQ(member_of(attempts[i], "parentSpanId"), member_of(accepted[0], "spanId"));
    EXPECT_EQ(attribute_of(attempts[i], "eilbote.job_id"), id);
    EXPECT_EQ(attribute_of(attempts[i], "eilbote.attempt"), std::to_string(i + 1));
    EXPECT_EQ(attribute_of(attempts[i], "http.response.status_code"), kStatus[i]);
    EXPECT_EQ(attempts[i].contains("status"), i == 0) << "only what failed is marked";
    EXPECT_EQ(requests[i].headers.at("traceparent"),
              "00-" + kTrace + "-" + member_of(attempts[i], "spanId") + "-01")
        << "what the endpoint does goes on under the attempt";
  }
  expect_nothing_private(receiver);
}

// The relay has the mail and never says so; the process that could have waited for it is gone.
TEST_F(OneTrace, tells_of_a_hand_over_whose_process_was_killed) {
  const TraceReceiver receiver;
  SmtpScript script;
  script.replies["DOT"] = {"silence"};
  const ScriptedSmtp silent(std::move(script));
  const auto server =
      start_server(receiver.url(), "all",
                   {{"EILBOTE_SMTP_URL", "smtp://127.0.0.1:" + std::to_string(silent.port()) + "?tls=off"}});
  const std::string id = MailApi(*server).accept(mail_json("ada@example.org"), kCalledFrom);
  ASSERT_TRUE(eventually([&] { return silent.messages().size() == 1; }));
  server->kill_hard();
  server->start();
  const auto sent = receiver.wait_for("smtp send");
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(member_of(sent[0], "traceId"), kTrace);
  EXPECT_FALSE(member_of(sent[0], "parentSpanId").empty());
  EXPECT_EQ(attribute_of(sent[0], "eilbote.job_id"), id);
  EXPECT_EQ(attribute_of(sent[0], "eilbote.outcome"), "uncertain");
  EXPECT_FALSE(attribute_of(sent[0], "error.type").empty());
}

TEST_F(OneTrace, is_not_recorded_when_the_caller_does_not_nor_out_of_the_sample) {
  const TraceReceiver receiver;
  const auto server = start_server(receiver.url(), "all", {{"EILBOTE_TRACE_SAMPLE", "0"}});
  const MailApi api(*server);
  const std::string unsampled =
      api.accept(mail_json("ada@example.org"), {{"traceparent", "00-" + kTrace + "-" + kCaller + "-00"}});
  const std::string begun_here = api.accept(mail_json("bob@example.org"));
  const std::string traced = api.accept(mail_json("cid@example.org"), kCalledFrom);
  for (const std::string& id : {unsampled, begun_here, traced})
    ASSERT_TRUE(api.reaches(id, "SENT"));
  ASSERT_EQ(receiver.wait_for("smtp send").size(), 1U) << "the sample is for traces that begin here";
  EXPECT_EQ(server->stop(), 0);
  for (const auto& span : receiver.spans())
    EXPECT_EQ(attribute_of(span, "eilbote.job_id"), traced);
  EXPECT_EQ(receiver.spans().size(), 2U);
}

TEST_F(OneTrace, costs_no_delivery_when_the_receiver_hangs_or_is_away) {
  const TraceReceiver hanging({.scenes = {{.answer = "", .then = HttpScene::Then::silence}}});
  std::string away;
  {
    const LoopbackListener gone;
    away = "http://127.0.0.1:" + std::to_string(gone.port());
  }
  for (const std::string& endpoint : {hanging.url(), away}) {
    const auto server = start_server(endpoint);
    const MailApi api(*server);
    std::vector<std::string> ids;
    for (int i = 0; i < 50; ++i)
      ids.push_back(api.accept(mail_json("ada@example.org"), kCalledFrom));
    for (const std::string& id : ids)
      ASSERT_TRUE(api.reaches(id, "SENT")) << endpoint;
    EXPECT_EQ(api.metric("eilbote_trace_spans_total", R"(outcome="sent")"), 0) << endpoint;
    EXPECT_EQ(server->stop(), 0) << endpoint;
  }
  EXPECT_EQ(relay_.messages().size(), 100U);
}

}  // namespace
}  // namespace eilbote::test::one_trace_leads_from_the_request_to_the_delivery
