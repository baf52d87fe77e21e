// docs/openapi.yaml is the contract: every route is exercised with good and bad requests, and a validator that knows
// nothing of Eilbote checks each request and answer against it. The server serves the same document.
#include <gtest/gtest.h>

#include <fstream>

#include "base/hex.h"
#include "base/hmac.h"
#include "support/bounce.h"
#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/overview_stream.h"
#include "support/test_store.h"

namespace eilbote::test::every_answer_fits_the_contract {
namespace {

SCENARIO_ON_EACH_STORE(EveryAnswer);

const std::string kContract = EILBOTE_SOURCE_DIR "/docs/openapi.yaml";

// Sends requests and keeps them with their answers, one JSON object per line.
class Recorder {
 public:
  Recorder(const EilboteProcess& server, const std::string& file) : server_(server), out_(file) {}

  HttpReply operator()(const std::string& method, const std::string& path, const std::string& body = "",
                       const HttpHeaders& headers = {}) {
    const HttpReply reply = http_request(method, server_.url() + path, body, headers);
    json::object line{{"method", method}, {"path", path}, {"status", reply.status}, {"body", reply.body}};
    const auto type = reply.headers.find("content-type");
    line["contentType"] = type == reply.headers.end() ? "" : type->second;
    if (!body.empty()) line["requestBody"] = body;
    for (const auto& [name, value] : headers)
      if (name == "Content-Type") line["requestType"] = value;
    out_ << json::serialize(line) << std::endl;
    return reply;
  }
  // An answer that goes on, as far as its first event.
  void stream(const std::string& path) {
    OverviewStream stream(server_.url());
    const bool is_well = stream.header().starts_with("HTTP/1.1 200 ") && stream.next();
    out_ << json::serialize(json::object{{"method", "GET"},
                                         {"path", path},
                                         {"status", is_well ? 200 : 0},
                                         {"contentType", "text/event-stream"},
                                         {"body", stream.header()}})
         << std::endl;
  }

 private:
  const EilboteProcess& server_;
  std::ofstream out_;
};

std::string id_of(const HttpReply& reply) {
  return text_at(json::parse(reply.body), "/messageId");
}

const char* const kFullMail =
    R"({"from":{"email":"a@example.org","name":"A"},"to":["b@example.org",{"email":"c@example.org"}],
  "cc":["d@example.org"],"bcc":["hidden@example.org"],"replyTo":["f@example.org"],"subject":"Grüße","body":{"text":"t","html":"<p>t</p>"},
  "attachments":[{"name":"a.txt","contentType":"text/plain","content":"SGVsbG8"}],"headers":{"X-Shop":"1"},
  "metadata":{"k":"v"},"tags":["t"],"campaignId":"c","group":"g","pool":"mail","expiresAt":"2099-01-01T00:00:00Z",
  "retry":{"strategy":"exponential","maxAttempts":3,"baseSeconds":1,"maxSeconds":10,"jitter":0.1},"onUncertain":"hold"})";
const std::string kLater = due_in_a_month();

void send_and_read(Recorder& call, const MailApi& api) {
  const std::string full = id_of(call("POST", "/messages", kFullMail));
  const HttpHeaders key{{"Idempotency-Key", "contract-1"}};
  call("POST", "/messages", mail_json("x@example.org"), key);
  call("POST", "/messages", mail_json("x@example.org"), key);
  call("POST", "/messages", mail_json("y@example.org"), key);
  call("POST", "/messages", "{}");
  call("POST", "/messages", "{");
  call("POST", "/messages", R"({"form":"a@example.org"})");
  call("POST", "/messages", "x", {{"Content-Type", "text/plain"}});
  call("POST", "/messages/batch", "{\"messages\":[" + mail_json("p@example.org") + ",{}]}");
  call("POST", "/messages/batch", "[]");
  EXPECT_TRUE(api.reaches(full, "SENT"));
  for (const std::string& path :
       {"/messages/" + full, "/messages/" + full + "/attempts", "/messages/" + full + "/events",
        std::string("/messages/0000000000001"), std::string("/messages/0000000000001/attempts"),
        std::string("/messages/0000000000001/events"), std::string("/messages?limit=2"),
        std::string("/messages?status=SENT&tag=t"), std::string("/messages?limit=0"),
        std::string("/health/live"), std::string("/health/ready"), std::string("/metrics"),
        std::string("/openapi.yaml"), std::string("/breakers"), std::string("/queue")})
    call("GET", path);
}

void look(Recorder& call) {
  const std::string id = id_of(call("POST", "/messages", kFullMail));
  for (const std::string& path :
       {"/messages/" + id + "/content", std::string("/messages/0000000000001/content"),
        std::string("/overview"), std::string("/console"), std::string("/console/settings"),
        std::string("/console/app.js"), std::string("/console/app.css"), std::string("/console/icon.svg"),
        "/console/messages/" + id, std::string("/messages?clientId=local&limit=1"),
        std::string("/dispatch-jobs?clientId=local")})
    call("GET", path);
  call.stream("/overview/stream");
}

void act(Recorder& call, const MailApi& api) {
  const std::string dead = id_of(call("POST", "/messages", mail_json("a+permanent@example.org")));
  const std::string waits = id_of(call("POST", "/messages", mail_json("b@example.org", "x", kLater)));
  const std::string other = id_of(call("POST", "/messages", mail_json("c@example.org", "x", kLater)));
  EXPECT_TRUE(api.reaches(dead, "FAILED"));
  call("GET", "/messages/" + dead);
  call("GET", "/messages/" + dead + "/attempts");
  call("GET", "/messages?deadReason=PermanentFailure");
  call("GET", "/messages?metadata.k=v&pool=mail");
  call("GET", "/messages?metadata.=v");
  call("POST", "/messages/requeue", R"({"filter":{"status":"FAILED"},"dryRun":true})");
  call("POST", "/messages/requeue", R"({"ids":[")" + dead + R"("]})");
  EXPECT_TRUE(eventually([&] { return api.attempts(dead).size() == 2; }));
  call("POST", "/messages/requeue", "{}");
  call("POST", "/messages/" + dead + "/retry");
  call("POST", "/messages/" + waits + "/retry");
  call("POST", "/messages/0000000000001/retry");
  call("POST", "/messages/" + waits + "/abandon");
  call("POST", "/messages/" + waits + "/abandon");
  call("DELETE", "/messages/" + other);
  call("DELETE", "/messages/" + other);
  call("DELETE", "/messages/0000000000001");
  const std::string later = id_of(call("POST", "/messages", mail_json("d@example.org", "x", kLater)));
  call("POST", "/internal/dispatch/batch", R"({"batchSize":5,"dryRun":true})");
  call("POST", "/internal/dispatch/batch", R"({"batchSize":5,"waitSeconds":2})");
  call("POST", "/internal/dispatch/batch", R"({"batchSize":0})");
  call("POST", "/internal/dispatch", "{}");
  call("POST", "/internal/dispatch/" + later);
  call("POST", "/internal/dispatch/" + later);
  call("POST", "/internal/dispatch/0000000000001");
}

void set_up(Recorder& call) {
  call("POST", "/service-accounts",
       R"({"code":"acme","name":"Acme","clientIds":["local"],"applicationId":null,
    "webhookCredentials":{"authType":"BASIC","signatureStyle":"flowcatalyst"},"roles":[{"roleName":"sender"}]})");
  call("POST", "/service-accounts", R"({"code":"acme","name":"Twin"})");
  call("POST", "/service-accounts", R"({"code":"B"})");
  call("POST", "/service-accounts",
       R"({"code":"outside","name":"O","webhookCredentials":{"authTokenRef":"env://A"}})");
  for (const char* query : {"", "?limit=1", "?action=account.create", "?actor=nobody", "?limit=0"})
    call("GET", std::string("/audit") + query);
  call("GET", "/service-accounts");
  call("GET", "/service-accounts?code=acme");
  call("GET", "/service-accounts?kode=acme");
  for (const char* id : {"acme", "nobody"}) {
    const std::string path = std::string("/service-accounts/") + id;
    call("GET", path);
    call("PUT", path,
         R"({"clientIds":["local","shop"],"webhookCredentials":{"authTokenRef":"encrypted://***"}})");
    call("PUT", path, R"({"id":"x"})");
    for (const char* act : {"/deactivate", "/activate", "/regenerate-token", "/regenerate-secret"})
      call("POST", path + act);
  }
  call("PUT", "/service-accounts/acme", R"({"name":"A","updatedAt":"2020-01-01T00:00:00.000Z"})");
  call("POST", "/service-accounts/outside/regenerate-token");
  const HttpReply made =
      call("POST", "/schemas", R"({"name":"order","schema":{"type":"object","required":["id"]}})");
  call("POST", "/schemas", R"({"name":"order","schema":{"$ref":"http://example.org/x"}})");
  call("GET", "/schemas");
  call("GET", "/schemas?x=1");
  call("GET", "/schemas/" + text_at(json::parse(made.body), "/id"));
  call("GET", "/schemas/0000000000001");
}

void webhooks(Recorder& call) {
  const std::string least =
      R"("source":"shop","code":"x","targetUrl":"http://127.0.0.1:9/hook","payload":"{}")";
  const HttpReply made = call(
      "POST", "/dispatch-jobs",
      "{" + least + R"(,"metadata":{"k":"v"},"headers":{"X-A":"b"},"idempotencyKey":"k1","subject":null})");
  call("POST", "/dispatch-jobs",
       "{" + least + R"(,"metadata":{"k":"v"},"headers":{"X-A":"b"},"idempotencyKey":"k1","subject":null})");
  call("POST", "/dispatch-jobs", "{" + least + R"(,"idempotencyKey":"k1"})");
  call("POST", "/dispatch-jobs", "{" + least + R"(,"dispatchPoolId":"nowhere"})");
  call("POST", "/dispatch-jobs", R"({"source":7})");
  call("POST", "/dispatch-jobs", "x", {{"Content-Type", "text/plain"}});
  call("POST", "/dispatch-jobs/batch", "[{" + least + R"(},{"code":1}])");
  call("POST", "/dispatch-jobs/batch", R"({"jobs":[]})");
  call("POST", "/dispatch-jobs/batch", "x", {{"Content-Type", "text/plain"}});
  call("GET", "/dispatch-jobs?metadata.k=v&status=QUEUED&limit=5");
  call("GET", "/dispatch-jobs");
  call("GET", "/dispatch-jobs?statuz=x&retryable=perhaps");
  const std::string id = text_at(json::parse(made.body), "/id");
  for (const std::string& one : {id, std::string("0000000000001")}) {
    const std::string path = "/dispatch-jobs/" + one;
    call("GET", path);
    call("GET", path + "/attempts");
    call("GET", path + "/events");
    call("GET", "/jobs/" + one + "/why");
    call("POST", path + "/retry");
    call("POST", path + "/cancel");
    call("POST", path + "/cancel");
  }
  call("POST", "/dispatch-jobs/requeue", R"({"filter":{"source":"shop"},"dryRun":true})");
  call("POST", "/dispatch-jobs/requeue", R"({"filter":{"status":"COMPLETED"}})");
  call("POST", "/dispatch-jobs/requeue", "x", {{"Content-Type", "text/plain"}});
  call("POST", "/webhooks/graph", R"({"value":[]})");
  call("POST", "/breakers/capture/reset");
  call("POST", "/breakers/nobody/reset");
  call("GET", "/log-level");
  call("PUT", "/log-level", R"({"level":"debug","forSeconds":60})");
  call("PUT", "/log-level", R"({"level":"loud"})");
  call("PUT", "/log-level", "x", {{"Content-Type", "text/plain"}});
}

void pools_and_groups(Recorder& call) {
  call("GET", "/dispatch-pools");
  call("POST", "/dispatch-pools",
       R"({"code":"bulk","name":"Bulk","rateLimitPerMinute":600,"burst":10,"concurrency":20})");
  call("POST", "/dispatch-pools", R"({"code":"bulk"})");
  call("POST", "/dispatch-pools", R"({"code":"Bulk Mail","burst":0,"rate":1})");
  call("POST", "/dispatch-pools", "x", {{"Content-Type", "text/plain"}});
  call("GET", "/dispatch-pools/bulk");
  call("GET", "/dispatch-pools/none");
  call("PUT", "/dispatch-pools/bulk", R"({"rateLimitPerMinute":null,"concurrency":null})");
  call("PUT", "/dispatch-pools/bulk", R"({"concurrency":0})");
  call("PUT", "/dispatch-pools/none", R"({"burst":2})");
  for (const std::string act : {"suspend", "activate"}) {
    call("POST", "/dispatch-pools/bulk/" + act);
    call("POST", "/dispatch-pools/none/" + act);
  }
  call("GET", "/message-groups?blocked=true");
  call("GET", "/message-groups?clientId=shop&limit=5");
  call("GET", "/message-groups?blocked=false&limit=0&lmit=1");
  for (const std::string act : {"skip", "retry"}) {
    call("POST", "/message-groups/" + act, R"({"group":"none","channel":"webhook","clientId":"shop"})");
    call("POST", "/message-groups/" + act, R"({"channel":"pigeon"})");
    call("POST", "/message-groups/" + act, "x", {{"Content-Type", "text/plain"}});
  }
}

const std::string kProviderSecret = "what the provider signs with";

HttpHeaders signed_for(const std::string& body) {
  return {{"X-Webhook-Signature", to_hex(hmac_sha256(kProviderSecret, body))}};
}

void reports_and_suppressions(Recorder& call, const MailApi& api, const std::string& captures) {
  const std::string id =
      id_of(call("POST", "/messages", mail_json("ada@example.org", "x", R"("cc":["bob@example.org"])")));
  EXPECT_TRUE(api.reaches(id, "SENT"));
  std::string message_id;
  for (const CapturedMail& mail : captured_mails(captures))
    if (mail.id == id) message_id = mail.message_id;
  const HttpHeaders raw{{"Content-Type", "message/rfc822"}};
  const std::string came_back = bounce({message_id, "ada@example.org"});
  for (int i = 0; i < 2; ++i)
    call("POST", "/webhooks/dsn", came_back, raw);
  call("POST", "/webhooks/dsn", bounce({"<x@elsewhere.example>", "ada@example.org"}), raw);
  call("POST", "/webhooks/dsn", "Subject: Hi\r\n\r\nHow are you?\r\n", raw);
  call("POST", "/webhooks/dsn", "", raw);
  call("POST", "/webhooks/dsn", "{}");
  call("GET", "/messages/" + id);
  call("GET", "/messages/" + id + "/events");
  for (const std::string& one : {id, std::string("0000000000001")}) {
    const std::string event =
        R"({"eventType":"delivered","messageId":")" + one +
        R"(","recipient":"bob@example.org","timestamp":"2026-11-15T21:00:00Z","raw":{"a":1}})";
    call("POST", "/webhooks/provider", event, signed_for(event));
    call("POST", "/webhooks/provider", event, signed_for("another"));
    call("POST", "/webhooks/provider", event);
  }
  call("POST", "/webhooks/provider", "{}", signed_for("{}"));
  for (const std::string& query : {std::string(), std::string("?matched=false&limit=1"), "?messageId=" + id,
                                   std::string("?matched=perhaps")})
    call("GET", "/reports" + query);
  for (const std::string query :
       {"", "?limit=1", "?address=ada%40example.org&clientId=local", "?address=ada"})
    call("GET", "/suppressions" + query);
  for (int i = 0; i < 2; ++i)
    call("POST", "/suppressions", R"({"address":"eve@example.org","reason":"asked","clientId":"local"})");
  call("POST", "/suppressions", R"({"adress":"eve@example.org"})");
  call("POST", "/suppressions", "x", {{"Content-Type", "text/plain"}});
  for (int i = 0; i < 2; ++i)
    call("DELETE", "/suppressions/eve%40example.org?clientId=local");
  call("DELETE", "/suppressions/eve");
}

TEST_P(EveryAnswer, fits_the_contract) {
  const auto server = start_server({{"EILBOTE_CAPTURE_FAULTS", "by-address"},
                                    {"EILBOTE_PROVIDER_SECRET_REF", "env://PROVIDER_SECRET"},
                                    {"PROVIDER_SECRET", kProviderSecret}});
  const MailApi api(*server);
  const std::string file = folder_ / "exchanges.jsonl";
  Recorder call(*server, file);
  send_and_read(call, api);
  act(call, api);
  look(call);
  set_up(call);
  pools_and_groups(call);
  webhooks(call);
  reports_and_suppressions(call, api, server->capture_folder());
  const CommandResult checked =
      run_command({"node", EILBOTE_SOURCE_DIR "/tests/node/check_openapi.js", kContract, file});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

TEST_P(EveryAnswer, fits_the_document_that_the_server_shows) {
  const auto server = start_server();
  EXPECT_EQ(server->get("/openapi.yaml").body, read_text_file(kContract));
}

}  // namespace
}  // namespace eilbote::test::every_answer_fits_the_contract
