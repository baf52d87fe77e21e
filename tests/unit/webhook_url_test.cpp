// What is a URL a webhook may go to, and what it becomes.
#include "domain/webhook_url.h"

#include <gtest/gtest.h>

namespace eilbote::webhook_url_test {
namespace {

TEST(WebhookUrl, is_taken_apart) {
  struct Case {
    const char* given;
    const char* text;
    const char* route;
  };
  const Case cases[] = {
      {"https://example.org", "https://example.org/", "example.org"},
      {"https://example.org/hook?a=b&c=%20d", "https://example.org/hook?a=b&c=%20d", "example.org"},
      {"https://example.org?a=b", "https://example.org/?a=b", "example.org"},
      {"HTTPS://Example.ORG/Hook", "https://example.org/Hook", "example.org"},
      {"https://example.org:443/", "https://example.org/", "example.org"},
      {"http://example.org:80/", "http://example.org/", "example.org"},
      {"http://example.org:443/", "http://example.org:443/", "example.org:443"},
      {"https://example.org:080/", "https://example.org:80/", "example.org:80"},
      {"https://example.org:65535/x", "https://example.org:65535/x", "example.org:65535"},
      {"https://example.org./x", "https://example.org/x", "example.org"},
      {"https://example.org/a/../b/./c", "https://example.org/a/../b/./c", "example.org"},
      {"https://example.org/a[1]?f[x]=1", "https://example.org/a[1]?f[x]=1", "example.org"},
      {"http://localhost:8080/hook", "http://localhost:8080/hook", "localhost:8080"},
      {"http://my_service/hook", "http://my_service/hook", "my_service"},
      {"https://bücher.example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example"},
      {"https://BÜCHER.example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example"},
      {"https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example"},
      {"https://例え。テスト/", "https://xn--r8jz45g.xn--zckzah/", "xn--r8jz45g.xn--zckzah"},
      {"http://192.0.2.1:81/", "http://192.0.2.1:81/", "192.0.2.1:81"},
      {"http://[::1]/", "http://[::1]/", "[::1]"},
      {"http://[2001:DB8:0:0::1]:8080/x", "http://[2001:db8::1]:8080/x", "[2001:db8::1]:8080"},
      {"https://1.2.3.4.example.org/", "https://1.2.3.4.example.org/", "1.2.3.4.example.org"},
  };
  for (const Case& c : cases) {
    const auto url = parse_webhook_url(c.given);
    ASSERT_TRUE(url) << c.given << ": " << url.error().message;
    EXPECT_EQ(url->text(), c.text) << c.given;
    EXPECT_EQ(url->route(), c.route) << c.given;
    EXPECT_EQ(parse_webhook_url(url->text()).value(), *url) << c.given;
  }
}

TEST(WebhookUrl, says_whether_its_host_is_an_address) {
  EXPECT_TRUE(parse_webhook_url("http://192.0.2.1/")->host_is_address);
  EXPECT_TRUE(parse_webhook_url("http://[::1]/")->host_is_address);
  EXPECT_FALSE(parse_webhook_url("http://localhost/")->host_is_address);
}

struct Refused {
  std::string given;
  const char* detail;  // part of it
};
const Refused kRefused[] = {
    {"", "like https://example.org/hook"},
    {"example.org/hook", "begin with https:// or http://"},
    {"ftp://example.org/", "begin with https:// or http://"},
    {"file:///etc/passwd", "begin with https:// or http://"},
    {"javascript:alert(1)", "begin with https:// or http://"},
    {"gopher://example.org/", "begin with https:// or http://"},
    {"https:/example.org/", "begin with https:// or http://"},
    {"https:example.org", "begin with https:// or http://"},
    {"//example.org/hook", "begin with https:// or http://"},
    {"https://", "needs a host"},
    {"https:///hook", "needs a host"},
    {"https://?a=b", "needs a host"},
    {"https://./", "needs a host"},
    {"https://:443/", "needs a host"},
    {"https://ann@example.org/", "service account"},
    {"https://ann:secret@example.org/", "service account"},
    {"https://@example.org/", "service account"},
    {"https://example.org@127.0.0.1/", "service account"},
    {"https://example.org/#top", "fragment"},
    {"https://example.org#", "fragment"},
    {"https://example.org:/", "port from 1 to 65535"},
    {"https://example.org:0/", "port from 1 to 65535"},
    {"https://example.org:65536/", "port from 1 to 65535"},
    {"https://example.org:99999999999999999999/", "port from 1 to 65535"},
    {"https://example.org:-1/", "port from 1 to 65535"},
    {"https://example.org:+80/", "port from 1 to 65535"},
    {"https://example.org:80a/", "port from 1 to 65535"},
    {"https://example.org:http/", "port from 1 to 65535"},
    {"https://[::1]:/", "port from 1 to 65535"},
    {"https://example.org/a b", "blanks"},
    {" https://example.org/", "blanks"},
    {"https://example.org/\r\nX-Evil: 1", "control characters"},
    {"https://example.org/\t", "control characters"},
    {std::string("https://example.org/\0x", 22), "control characters"},
    {"https://example.org/\x7f", "control characters"},
    {"https://example.org\\@evil.example/", "backslashes"},
    {"https://example.org/ä", "percent-encoded"},
    {"https://example.org/\xff", "UTF-8"},
    {"https://example.org/{id}", "percent-encoded"},
    {"https://example.org/a|b", "percent-encoded"},
    {"https://example.org/%", "two hexadecimal digits"},
    {"https://example.org/%4", "two hexadecimal digits"},
    {"https://example.org/%zz", "two hexadecimal digits"},
    {"https://exa%6dple.org/", "letters, digits and inner hyphens"},
    {"https://exa$mple.org/", "letters, digits and inner hyphens"},
    {"https://-example.org/", "letters, digits and inner hyphens"},
    {"https://example-.org/", "letters, digits and inner hyphens"},
    {"https://example..org/", "letters, digits and inner hyphens"},
    {"https://example.org../", "letters, digits and inner hyphens"},
    {"https://" + std::string(64, 'a') + ".org/", "letters, digits and inner hyphens"},
    {"https://xn--a/", "IDNA2008"},
    {"https://2130706433/", "four plain decimal numbers"},
    {"https://0x7f.1/", "four plain decimal numbers"},
    {"https://0x7f000001/", "four plain decimal numbers"},
    {"https://127.0.0.0x1/", "four plain decimal numbers"},
    {"https://0177.0.0.1/", "four plain decimal numbers"},
    {"https://127.1/", "four plain decimal numbers"},
    {"https://127.0.0.256/", "four plain decimal numbers"},
    {"https://1.2.3.4.5/", "four plain decimal numbers"},
    {"https://１２７.0.0.01/", "four plain decimal numbers"},
    {"https://2001:db8::1/", "in brackets"},
    {"https://[2001:db8::1/", "in brackets"},
    {"https://[2001:db8::1]x/", "in brackets"},
    {"https://[::g]/", "IPv6 address between the brackets"},
    {"https://[fe80::1%25eth0]/", "IPv6 address between the brackets"},
    {"https://[]/", "IPv6 address between the brackets"},
    {"https://example.org/" + std::string(2048, 'a'), "at most 2048 bytes"},
    {"https://example.org/" + std::string(8192, 'a'), "at most 2048 bytes"},
};

TEST(WebhookUrl, is_refused_with_what_would_be_right) {
  for (const Refused& c : kRefused) {
    const auto url = parse_webhook_url(c.given);
    ASSERT_FALSE(url) << c.given << " became " << url->text();
    EXPECT_NE(url.error().message.find(c.detail), std::string::npos)
        << c.given << ": " << url.error().message;
  }
}

}  // namespace
}  // namespace eilbote::webhook_url_test
