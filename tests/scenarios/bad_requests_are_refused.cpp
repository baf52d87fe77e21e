// Bad requests against the running program: each is a 4xx problem that names what is wrong, none is a 500,
// nothing is stored, and the server goes on.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "support/eilbote_process.h"
#include "support/raw_http_client.h"
#include "support/temp_folder.h"

namespace eilbote::test::bad_requests_are_refused {
namespace {

struct BadRequest {
  std::string name;
  std::string bytes;
  int status;
  std::string names;  // somewhere in the problem
};
using Rows = std::vector<BadRequest>;

std::string request(const std::string& method, const std::string& path, const std::string& body,
                    const std::string& headers = "Content-Type: application/json\r\n") {
  return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
std::string post(const std::string& body) {
  return request("POST", "/messages", body);
}
std::string post_with(const std::string& header) {
  return request("POST", "/messages", mail_json("b@example.org"),
                 "Content-Type: application/json\r\n" + header);
}

// A good mail with one member more or one in the place of its own.
std::string mail(const std::string& member) {
  std::string text = "{";
  const std::pair<const char*, const char*> good[] = {{"\"from\"", R"("from":"a@example.org",)"},
                                                      {"\"to\"", R"("to":["b@example.org"],)"},
                                                      {"\"subject\"", R"("subject":"Hi",)"},
                                                      {"\"body\"", R"("body":{"text":"x"},)"}};
  for (const auto& [name, pair] : good)
    if (!member.starts_with(name)) text += pair;
  return post(text + member + "}");
}
std::string repeated(const std::string& text, int n) {
  std::string all;
  for (int i = 0; i < n; ++i)
    all += (i == 0 ? "" : ",") + text;
  return all;
}
std::string attachment(const std::string& members) {
  return mail(R"("attachments":[{)" + members + "}]");
}

Rows wrong_types() {
  return {
      {"nothing in it", post("{}"), 400, "/subject"},
      {"an array", post("[]"), 400, "must be an object"},
      {"a text", post("\"mail\""), 400, "must be an object"},
      {"null", post("null"), 400, "must be an object"},
      {"from number", mail(R"("from":5)"), 400, "/from"},
      {"from null", mail(R"("from":null)"), 400, "/from"},
      {"from array", mail(R"("from":["a@example.org"])"), 400, "/from"},
      {"from without email", mail(R"("from":{"name":"A"})"), 400, "/from/email"},
      {"from name number", mail(R"("from":{"email":"a@example.org","name":1})"), 400, "/from/name"},
      {"to text", mail(R"("to":"b@example.org")"), 400, "/to"},
      {"to object", mail(R"("to":{"email":"b@example.org"})"), 400, "/to"},
      {"to with null", mail(R"("to":[null])"), 400, "/to/0"},
      {"cc number", mail(R"("cc":1)"), 400, "/cc"},
      {"bcc nested", mail(R"("bcc":[["b@example.org"]])"), 400, "/bcc/0"},
      {"replyTo text", mail(R"("replyTo":"b@example.org")"), 400, "/replyTo"},
      {"subject number", mail(R"("subject":1)"), 400, "/subject"},
      {"body text", mail(R"("body":"x")"), 400, "/body"},
      {"body text number", mail(R"("body":{"text":1})"), 400, "/body/text"},
      {"body html object", mail(R"("body":{"html":{}})"), 400, "/body/html"},
      {"attachments object", mail(R"("attachments":{})"), 400, "/attachments"},
      {"attachment text", mail(R"("attachments":["x"])"), 400, "/attachments/0"},
      {"headers array", mail(R"("headers":[])"), 400, "/headers"},
      {"header number", mail(R"("headers":{"X-A":1})"), 400, "/headers/X-A"},
      {"metadata list", mail(R"("metadata":["a"])"), 400, "/metadata"},
      {"metadata number", mail(R"("metadata":{"a":1})"), 400, "/metadata/a"},
      {"tags text", mail(R"("tags":"a")"), 400, "/tags"},
      {"tag number", mail(R"("tags":["a",2])"), 400, "/tags/1"},
      {"campaign number", mail(R"("campaignId":7)"), 400, "/campaignId"},
      {"group object", mail(R"("group":{})"), 400, "/group"},
      {"pool number", mail(R"("pool":1)"), 400, "/pool"},
      {"scheduledFor number", mail(R"("scheduledFor":1763208000)"), 400, "/scheduledFor"},
      {"expiresAt flag", mail(R"("expiresAt":true)"), 400, "/expiresAt"},
      {"retry text", mail(R"("retry":"often")"), 400, "/retry"},
      {"onUncertain flag", mail(R"("onUncertain":false)"), 400, "/onUncertain"},
  };
}

Rows unknown_fields() {
  return {
      {"subjekt", mail(R"("subjekt":"x")"), 400, "did you mean 'subject'"},
      {"Cc", mail(R"("Cc":[])"), 400, "did you mean 'cc'"},
      {"in body", mail(R"("body":{"text":"x","htm":"y"})"), 400, "did you mean 'html'"},
      {"in from", mail(R"("from":{"email":"a@example.org","display":"A"})"), 400, "/from/display"},
      {"in retry", mail(R"("retry":{"attempts":3})"), 400, "/retry/attempts"},
      {"in attachment", attachment(R"("name":"a","contentType":"text/plain","content":"","size":0)"), 400,
       "/attachments/0/size"},
      {"key in the body", mail(R"("idempotencyKey":"12345678")"), 400, "/idempotencyKey"},
      {"callback", mail(R"("callback":{"url":"https://example.org"})"), 400, "default service account"},
      {"callbackUrl", mail(R"("callbackUrl":"ftp://example.org")"), 400, "/callbackUrl"},
      {"unknown pool", mail(R"("pool":"nowhere")"), 422, "/pool"},
  };
}

Rows limits() {
  return {
      {"no recipient", mail(R"("to":[])"), 400, "/to"},
      {"1,001 recipients", mail(R"("to":[)" + repeated(R"("b@example.org")", 1001) + "]"), 400, "/to"},
      {"empty subject", mail(R"("subject":"")"), 400, "/subject"},
      {"long subject", mail(R"("subject":")" + std::string(999, 's') + "\""), 400, "/subject"},
      {"empty body", mail(R"("body":{})"), 400, "/body"},
      {"21 attachments",
       mail(R"("attachments":[)" + repeated(R"({"name":"a","contentType":"text/plain","content":""})", 21) +
            "]"),
       400, "/attachments"},
      {"attachment over 3 MiB",
       attachment(R"("name":"a","contentType":"text/plain","content":")" +
                  std::string(4 * 1024 * 1024 + 8, 'A') + "\""),
       413, "/attachments/0/content"},
      {"attachments over 10 MiB",
       mail(R"("attachments":[)" +
            repeated(
                R"({"name":"a","contentType":"text/plain","content":")" + std::string(3'900'000, 'A') + "\"}",
                4) +
            "]"),
       413, "/attachments"},
      {"zero attempts", mail(R"("retry":{"maxAttempts":0})"), 400, "/retry/maxAttempts"},
      {"101 attempts", mail(R"("retry":{"maxAttempts":101})"), 400, "/retry/maxAttempts"},
      {"half an attempt", mail(R"("retry":{"maxAttempts":2.5})"), 400, "/retry/maxAttempts"},
      {"huge attempts", mail(R"("retry":{"maxAttempts":99999999999999999999999})"), 400,
       "/retry/maxAttempts"},
      {"negative base", mail(R"("retry":{"baseSeconds":-1})"), 400, "/retry/baseSeconds"},
      {"jitter over 1", mail(R"("retry":{"jitter":1.01})"), 400, "/retry/jitter"},
      {"strategy", mail(R"("retry":{"strategy":"never"})"), 400, "/retry/strategy"},
      {"schedule of nothing", mail(R"("retry":{"strategy":"schedule","schedule":[]})"), 400,
       "/retry/schedule"},
      {"schedule of words", mail(R"("retry":{"strategy":"schedule","schedule":["soon"]})"), 400,
       "/retry/schedule/0"},
      {"time without zone", mail(R"("scheduledFor":"2026-11-15T12:00:00")"), 400, "/scheduledFor"},
      {"a day that is none", mail(R"("scheduledFor":"2027-02-30T12:00:00Z")"), 400, "/scheduledFor"},
      {"expired already", mail(R"("expiresAt":"2020-01-01T00:00:00Z")"), 400, "/expiresAt"},
      {"empty tag", mail(R"("tags":[""])"), 400, "/tags/0"},
      {"body over 32 MiB", request("POST", "/messages", std::string(33 * 1024 * 1024, ' ')), 413,
       "too large"},
      {"1,001 in a batch",
       request("POST", "/messages/batch", R"({"messages":[)" + repeated("{}", 1001) + "]}"), 400,
       "/messages"},
      {"an empty batch", request("POST", "/messages/batch", R"({"messages":[]})"), 400, "/messages"},
      {"a batch of another shape", request("POST", "/messages/batch", R"({"mesages":[]})"), 400,
       "did you mean 'messages'"},
  };
}

Rows addresses_and_encodings() {
  return {
      {"no at", mail(R"("to":["nobody"])"), 400, "/to/0"},
      {"no domain", mail(R"("to":["nobody@"])"), 400, "/to/0"},
      {"two dots", mail(R"("to":["a..b@example.org"])"), 400, "/to/0"},
      {"line break", mail(R"("to":["a@example.org\r\nRCPT TO:<x@example.org>"])"), 400, "/to/0"},
      {"long local part", mail(R"("to":[")" + std::string(65, 'a') + R"(@example.org"])"), 400, "/to/0"},
      {"bad from", mail(R"("from":"<a@example.org>")"), 400, "/from"},
      {"subject with line break", mail(R"("subject":"a\r\nBcc: x@example.org")"), 400, "/subject"},
      {"header with line break", mail(R"("headers":{"X-A":"a\r\nX-B: b"})"), 400, "/headers/X-A"},
      {"header name with blank", mail(R"("headers":{"X A":"a"})"), 400, "/headers"},
      {"header of the engine", mail(R"("headers":{"Message-ID":"<a@b>"})"), 400, "/headers/Message-ID"},
      {"U+0000 in subject", mail(R"("subject":"a\u0000b")"), 400, "/subject"},
      {"U+0000 in metadata", mail(R"("metadata":{"k":"\u0000"})"), 400, "/metadata/k"},
      {"U+0000 in a name", mail(R"("metadata":{"\u0000":"v"})"), 400, "U+0000"},
      {"invalid UTF-8", mail("\"subject\":\"\xC3\x28\""), 400, "offset"},
      {"overlong UTF-8", mail("\"subject\":\"\xC0\xAF\""), 400, "offset"},
      {"lone surrogate", mail(R"("subject":"\ud800")"), 400, "offset"},
      {"plain Base64 plus", attachment(R"("name":"a","contentType":"text/plain","content":"a+bc")"), 400,
       "'+' at offset 1"},
      {"plain Base64 slash", attachment(R"("name":"a","contentType":"text/plain","content":"a/bc")"), 400,
       "'/' at offset 1"},
      {"Base64 length", attachment(R"("name":"a","contentType":"text/plain","content":"abcde")"), 400,
       "/attachments/0/content"},
      {"no content", attachment(R"("name":"a","contentType":"text/plain")"), 400, "/attachments/0/content"},
      {"bad content type", attachment(R"("name":"a","contentType":"text","content":"")"), 400,
       "/attachments/0/contentType"},
  };
}

Rows broken_json() {
  return {
      {"empty body", post(""), 400, "offset 0"},
      {"cut off", post(R"({"from":"a@exam)"), 400, "offset 15"},
      {"trailing comma", post(R"({"a":1,})"), 400, "offset 7"},
      {"single quotes", post("{'a':1}"), 400, "offset 1"},
      {"comment", post("{/* */}"), 400, "offset 1"},
      {"two values", post("{} {}"), 400, "more after"},
      {"byte order mark", post("\xEF\xBB\xBF{}"), 400, "offset 0"},
      {"NaN", post(R"({"a":NaN})"), 400, "offset 5"},
      {"1e999", post(R"({"a":1e999})"), 400, "out of range"},
      {"leading zero", post(R"({"a":01})"), 400, "offset 6"},
      {"raw control", post("{\"a\":\"\x01\"}"), 400, "offset 6"},
      {"second line", post("{\n\"a\":}"), 400, "line 2, column 5"},
      {"33 levels", post(std::string(33, '[') + std::string(33, ']')), 400, "32 levels"},
      {"100,000 levels", post(std::string(100'000, '[')), 400, "32 levels"},
      {"member twice", mail(R"("tags":["a"],"tags":["b"])"), 400, "twice"},
      {"member twice inside", mail(R"("metadata":{"a":"1","a":"2"})"), 400, "/metadata/a"},
  };
}

Rows wrong_http() {
  const std::string head = "POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  return {
      {"unknown path", request("GET", "/nothing", ""), 404, "/nothing"},
      {"unknown message", request("GET", "/messages/0000000000000", ""), 404, "no message"},
      {"no id", request("GET", "/messages/..%2f", ""), 404, "no message"},
      {"events of nobody", request("GET", "/messages/0000000000000/events", ""), 404, "no message"},
      {"cancel nobody", request("DELETE", "/messages/0000000000000", ""), 404, "no message"},
      {"wrong method", request("PUT", "/messages", "{}"), 405, "POST, GET, HEAD"},
      {"wrong method below", request("PATCH", "/messages/0000000000000", "{}"), 405, "GET, HEAD, DELETE"},
      {"unknown method", request("BREW", "/messages", ""), 405, "POST"},
      {"no content type", request("POST", "/messages", "{}", ""), 415, "application/json"},
      {"form", request("POST", "/messages", "a=b", "Content-Type: application/x-www-form-urlencoded\r\n"),
       415, "application/json"},
      {"latin-1",
       request("POST", "/messages", "{}", "Content-Type: application/json; charset=iso-8859-1\r\n"), 415,
       "UTF-8"},
      {"compressed", post_with("Content-Encoding: gzip\r\n"), 415, "Content-Encoding"},
      {"short key", post_with("Idempotency-Key: 1234567\r\n"), 400, "Idempotency-Key"},
      {"empty key", post_with("Idempotency-Key: \r\n"), 400, "Idempotency-Key"},
      {"long key", post_with("Idempotency-Key: " + std::string(129, 'k') + "\r\n"), 400, "Idempotency-Key"},
      {"unknown filter", request("GET", "/messages?stauts=SENT", ""), 400, "did you mean 'status'"},
      {"unknown state", request("GET", "/messages?status=LOST", ""), 400, "'status'"},
      {"limit 0", request("GET", "/messages?limit=0", ""), 400, "'limit'"},
      {"limit 201", request("GET", "/messages?limit=201", ""), 400, "'limit'"},
      {"bad cursor", request("GET", "/messages?cursor=abc", ""), 400, "'cursor'"},
      {"bad percent", request("GET", "/messages?tag=%zz", ""), 400, "'tag'"},
      {"filter twice", request("GET", "/messages?tag=a&tag=b", ""), 400, "'tag'"},
      {"batch size 0", request("POST", "/internal/dispatch/batch", R"({"batchSize":0})"), 400, "/batchSize"},
      {"batch size text", request("POST", "/internal/dispatch", R"({"batchSize":"all"})"), 400, "/batchSize"},
      {"requeue nothing", request("POST", "/messages/requeue", "{}"), 400, "ids or filter"},
      {"requeue bad id", request("POST", "/messages/requeue", R"({"ids":["x"]})"), 400, "/ids/0"},
      {"requeue the sent", request("POST", "/messages/requeue", R"({"filter":{"status":"SENT"}})"), 400,
       "/filter/status"},
      {"garbage", "hello\r\n\r\n", 400, "HTTP"},
      {"no host", "GET /messages HTTP/1.1\r\n\r\n", 400, "Host"},
      {"HTTP/9.9", "GET /messages HTTP/9.9\r\nHost: localhost\r\n\r\n", 400, "HTTP/1.1"},
      {"two lengths", head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400, "Content-Length"},
      {"length and chunked", head + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 400,
       "Content-Length"},
      {"bad chunk", head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400, "chunked"},
      {"large header", head + "X-Pad: " + std::string(40'000, 'p') + "\r\n\r\n", 431, "header"},
      {"cut-off header", "POST /messages HTTP/1.1\r\nHost", 400, "ended before"},
      {"cut-off body", head + "Content-Length: 200\r\n\r\n" + mail_json("b@example.org"), 400,
       "ended before"},
      {"cut-off chunk", head + "Transfer-Encoding: chunked\r\n\r\nff\r\n{", 400, "ended before"},
      {"expectation", head + "Expect: miracles\r\nContent-Length: 2\r\n\r\n{}", 417, "100-continue"},
  };
}

Rows all_rows() {
  Rows all;
  for (auto make : {wrong_types, unknown_fields, limits, addresses_and_encodings, broken_json, wrong_http})
    for (BadRequest& row : make())
      all.push_back(std::move(row));
  return all;
}

class BadRequestsAreRefused : public testing::Test {
 protected:
  BadRequestsAreRefused() : server_(folder_ / "data") { server_.start(); }
  std::uint16_t port() const {
    return static_cast<std::uint16_t>(std::stoi(server_.url().substr(server_.url().rfind(':') + 1)));
  }
  void expect_nothing_stored() const {
    const HttpReply list = server_.get("/messages");
    EXPECT_EQ(list.status, 200);
    EXPECT_TRUE(boost::json::parse(list.body).at("data").as_array().empty()) << list.body;
  }
  void expect_alive() const {
    EXPECT_EQ(
        server_.post("/messages", mail_json("b@example.org"), {{"Content-Type", "application/json"}}).status,
        202);
  }

  TempFolder folder_;
  EilboteProcess server_;
};

// The answer is a problem with this status, whole, with a trace, naming what the row says.
void expect_problem(const std::string& answer, const BadRequest& row) {
  SCOPED_TRACE(row.name + "\n" + answer.substr(0, 2000));
  ASSERT_TRUE(answer.starts_with("HTTP/1.1 " + std::to_string(row.status) + " "));
  EXPECT_NE(answer.find("Content-Type: application/problem+json\r\n"), std::string::npos);
  EXPECT_NE(answer.find("traceparent: 00-"), std::string::npos);
  const auto problem = boost::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  EXPECT_EQ(problem.at("status").as_int64(), row.status);
  for (const char* member : {"type", "title", "detail", "instance", "traceId"})
    EXPECT_TRUE(problem.at(member).is_string()) << member;
  EXPECT_NE(boost::json::serialize(problem).find(row.names), std::string::npos) << row.names;
}

TEST_F(BadRequestsAreRefused, each_with_a_problem_that_names_what_is_wrong) {
  const Rows rows = all_rows();
  ASSERT_GE(rows.size(), 80u);
  for (const BadRequest& row : rows) {
    RawHttpClient client(port());
    client.send(row.bytes);
    client.end_sending();
    expect_problem(client.read_to_end(), row);
  }
  expect_nothing_stored();
  expect_alive();
}

TEST_F(BadRequestsAreRefused, slow_clients_are_told_and_hold_up_nobody) {
  const std::string head = "POST /messages HTTP/1.1\r\nHost: localhost\r\n";
  RawHttpClient header(port(), 60), body(port(), 60), silent(port(), 60);
  header.send(head);
  body.send(head + "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"from\":");
  expect_nothing_stored();
  expect_problem(header.read_to_end(), {"slow header", "", 408, "header"});
  EXPECT_EQ(silent.read_to_end(), "");
  expect_problem(body.read_to_end(), {"slow body", "", 408, "body"});
  expect_nothing_stored();
  expect_alive();
}

TEST_F(BadRequestsAreRefused, a_client_that_goes_away_in_the_middle_stores_nothing) {
  for (int i = 0; i < 20; ++i) {
    RawHttpClient client(port());
    const std::string whole = post(mail_json("b@example.org"));
    client.send(whole.substr(0, whole.size() - 1 - static_cast<std::size_t>(i) * 7));
  }
  expect_nothing_stored();
  expect_alive();
}

TEST_F(BadRequestsAreRefused, one_bad_item_of_a_batch_fails_alone) {
  const std::string body =
      R"({"messages":[)" + mail_json("a@example.org") + R"(,{"from":1},)" + mail_json("c@example.org") + "]}";
  const HttpReply reply = server_.post("/messages/batch", body, {{"Content-Type", "application/json"}});
  ASSERT_EQ(reply.status, 202) << reply.body;
  const auto results = boost::json::parse(reply.body).at("results").as_array();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_TRUE(results[0].as_object().contains("messageId"));
  EXPECT_EQ(results[1].at("status").as_int64(), 400);
  EXPECT_EQ(results[1].at("problem").at("errors").at(0).at("pointer"), "/from");
  EXPECT_TRUE(results[2].as_object().contains("messageId"));
  const auto list = boost::json::parse(server_.get("/messages").body);
  EXPECT_EQ(list.at("data").as_array().size(), 2u);
}

}  // namespace
}  // namespace eilbote::test::bad_requests_are_refused
