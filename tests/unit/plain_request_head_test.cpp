// The first part of a plain HTTP request, byte by byte.
#include <gtest/gtest.h>

#include "net/plain_connection.h"

namespace eilbote::test::plain_request_head_test {
namespace {

HttpCall call_to(const std::string& url, const std::string& method = "POST", const std::string& body = "") {
  HttpCall call;
  call.url = url;
  call.method = method;
  call.body = body;
  return call;
}

std::string head_of(const HttpCall& call) {
  std::string head = "of the request before";
  write_request_head(call, head);
  return head;
}

const std::string kOurs = "Accept: */*\r\nAccept-Encoding: gzip, deflate\r\n";

TEST(PlainRequestHead, names_path_and_host_as_the_url_does) {
  const std::pair<const char*, const char*> cases[] = {
      {"http://a.example/hook?x=1", "POST /hook?x=1 HTTP/1.1\r\nHost: a.example\r\n"},
      {"http://a.example:8080/", "POST / HTTP/1.1\r\nHost: a.example:8080\r\n"},
      {"http://a.example:80/x", "POST /x HTTP/1.1\r\nHost: a.example\r\n"},
      {"http://a.example", "POST / HTTP/1.1\r\nHost: a.example\r\n"},
      {"http://a.example?x=/y", "POST /?x=/y HTTP/1.1\r\nHost: a.example\r\n"},
      {"http://a.example/x#part", "POST /x HTTP/1.1\r\nHost: a.example\r\n"},
      {"http://[::1]:81/a/../b", "POST /a/../b HTTP/1.1\r\nHost: [::1]:81\r\n"}};
  for (const auto& [url, want] : cases)
    EXPECT_EQ(head_of(call_to(url)), want + kOurs + "Content-Length: 0\r\n\r\n") << url;
}

TEST(PlainRequestHead, says_each_header_once) {
  HttpCall call = call_to("http://a.example/", "POST", "12345");
  call.headers = {{"host", "b.example"},
                  {"ACCEPT", "application/json"},
                  {"accept-encoding", "identity"},
                  {"X-Empty", ""}};
  EXPECT_EQ(head_of(call),
            "POST / HTTP/1.1\r\nhost: b.example\r\nACCEPT: application/json\r\naccept-encoding: "
            "identity\r\nX-Empty:\r\n"
            "Content-Length: 5\r\n\r\n");
}

TEST(PlainRequestHead, gives_a_length_to_every_body) {
  EXPECT_EQ(head_of(call_to("http://a/", "GET")), "GET / HTTP/1.1\r\nHost: a\r\n" + kOurs + "\r\n");
  EXPECT_EQ(head_of(call_to("http://a/", "GET", "x")),
            "GET / HTTP/1.1\r\nHost: a\r\n" + kOurs + "Content-Length: 1\r\n\r\n");
  EXPECT_EQ(head_of(call_to("http://a/", "DELETE")),
            "DELETE / HTTP/1.1\r\nHost: a\r\n" + kOurs + "Content-Length: 0\r\n\r\n");
}

}  // namespace
}  // namespace eilbote::test::plain_request_head_test
