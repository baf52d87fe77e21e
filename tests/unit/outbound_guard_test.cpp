// Where clients may send requests to: every range and every spelling of it, the allow-list, the server's own listener.
#include "domain/outbound_guard.h"

#include <gtest/gtest.h>

#include "domain/webhook_url.h"

namespace eilbote::outbound_guard_test {
namespace {

// What becomes of a URL: the rule that forbids it, "bad URL" when it is refused as a text, "allowed", "a name".
std::string fate(std::string_view text, const OutboundGuard& guard = OutboundGuard{}) {
  const auto url = parse_webhook_url(text);
  if (!url) return "bad URL";
  if (!url->host_is_address)
    return guard.forbids_port(url->port) ? std::string(kOutboundRuleNames.text(OutboundRule::blocked_port))
                                         : "a name";
  const auto address = parse_ip_address(url->host);
  if (!address) return "not an address";
  const auto rule = guard.check(url->host, *address, url->port);
  return rule ? std::string(kOutboundRuleNames.text(*rule)) : "allowed";
}

OutboundGuard allowing(std::string_view text) {
  auto parsed = parse_outbound_allow(text);
  EXPECT_TRUE(parsed) << text << ": " << parsed.error().message;
  return OutboundGuard(std::move(*parsed));
}

struct Case {
  std::string_view url;
  std::string_view fate;
};

TEST(OutboundGuard, refuses_every_address_inside) {
  const Case cases[] = {
      {"http://127.0.0.1/", "loopback"},
      {"http://127.255.255.254/", "loopback"},
      {"http://[::1]/", "loopback"},
      {"http://0.0.0.0/", "unspecified"},
      {"http://0.1.2.3/", "unspecified"},
      {"http://[::]/", "unspecified"},
      {"http://10.0.0.1/", "private"},
      {"http://10.255.255.255/", "private"},
      {"http://172.16.0.1/", "private"},
      {"http://172.31.255.255/", "private"},
      {"http://192.168.0.1/", "private"},
      {"http://100.64.0.1/", "shared"},
      {"http://100.127.255.255/", "shared"},
      {"http://169.254.0.1/", "link-local"},
      {"http://[fe80::1]/", "link-local"},
      {"http://[febf:ffff::1]/", "link-local"},
      {"http://169.254.169.254/latest/meta-data/", "metadata"},
      {"http://169.254.170.2/v2/credentials", "metadata"},
      {"http://169.254.170.23/v1/credentials", "metadata"},
      {"http://100.100.100.200/latest/meta-data/", "metadata"},
      {"http://168.63.129.16/machine", "metadata"},
      {"http://192.0.0.192/opc/v1/", "metadata"},
      {"http://169.254.0.23/", "metadata"},
      {"http://[fd00:ec2::254]/latest/meta-data/", "metadata"},
      {"http://[fd00:ec2::23]/v1/credentials", "metadata"},
      {"http://[fd20:ce::254]/computeMetadata/v1/", "metadata"},
      {"http://[fc00::1]/", "unique-local"},
      {"http://[fdff:ffff::1]/", "unique-local"},
      {"http://[fec0::1]/", "site-local"},
      {"http://224.0.0.1/", "multicast"},
      {"http://239.255.255.250/", "multicast"},
      {"http://[ff02::1]/", "multicast"},
      {"http://255.255.255.255/", "broadcast"},
      {"http://240.0.0.1/", "reserved"},
      {"http://192.0.0.1/", "reserved"},
      {"http://192.88.99.1/", "reserved"},
      {"http://192.0.2.1/", "documentation"},
      {"http://198.51.100.1/", "documentation"},
      {"http://203.0.113.1/", "documentation"},
      {"http://[2001:db8::1]/", "documentation"},
      {"http://[3fff::1]/", "documentation"},
      {"http://198.18.0.1/", "benchmarking"},
      {"http://198.19.255.255/", "benchmarking"},
      {"http://[2001:2::1]/", "benchmarking"},
      {"http://[100::1]/", "reserved"},
      {"http://[5f00::1]/", "reserved"},
      {"http://[2001:10::1]/", "reserved"},
      {"http://[4000::1]/", "reserved"},
      {"http://[::ffff:0:127.0.0.1]/", "reserved"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(fate(c.url), c.fate) << c.url;
}

TEST(OutboundGuard, sees_the_ipv4_address_inside_an_ipv6_address) {
  const Case cases[] = {
      {"http://[::ffff:127.0.0.1]/", "loopback"},
      {"http://[::ffff:7f00:1]/", "loopback"},
      {"http://[0:0:0:0:0:ffff:127.0.0.1]/", "loopback"},
      {"http://[::ffff:10.1.2.3]/", "private"},
      {"http://[::ffff:a9fe:a9fe]/", "metadata"},
      {"http://[::127.0.0.1]/", "ipv4-compatible"},
      {"http://[::8.8.8.8]/", "ipv4-compatible"},
      {"http://[64:ff9b::127.0.0.1]/", "loopback"},
      {"http://[64:ff9b::a00:1]/", "private"},
      {"http://[64:ff9b::169.254.169.254]/", "metadata"},
      {"http://[64:ff9b::8.8.8.8]/", "allowed"},
      {"http://[64:ff9b:1::a00:1]/", "nat64-local"},
      {"http://[64:ff9b:1:ffff::8.8.8.8]/", "nat64-local"},
      {"http://[2002:7f00:1::]/", "6to4"},
      {"http://[2002:a00:1::1]/", "6to4"},
      {"http://[2002:808:808::1]/", "6to4"},
      {"http://[2001:0:7f00:1::]/", "teredo"},
      {"http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/", "teredo"},
      {"http://[::ffff:8.8.8.8]/", "allowed"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(fate(c.url), c.fate) << c.url;
}

TEST(OutboundGuard, knows_the_odd_spellings_of_addresses) {
  const Case cases[] = {
      {"http://2130706433/", "bad URL"},
      {"http://017700000001/", "bad URL"},
      {"http://0x7f000001/", "bad URL"},
      {"http://0X7F000001/", "bad URL"},
      {"http://0177.0.0.1/", "bad URL"},
      {"http://0177.0.0.01/", "bad URL"},
      {"http://0x7f.0.0.1/", "bad URL"},
      {"http://0x7f.1/", "bad URL"},
      {"http://127.1/", "bad URL"},
      {"http://127.0.1/", "bad URL"},
      {"http://10.1/", "bad URL"},
      {"http://0/", "bad URL"},
      {"http://127.0.0.01/", "bad URL"},
      {"http://127.0.0.1.5/", "bad URL"},
      {"http://256.0.0.1/", "bad URL"},
      {"http://127.0.0.0x1/", "bad URL"},
      {"http://127.0.0.1./", "loopback"},
      {"http://127。0。0。1/", "loopback"},
      {"http://１２７.0.0.1/", "loopback"},
      {"http://①②⑦.⓪.⓪.①/", "loopback"},
      {"http://127．0．0．1/", "loopback"},
      {"http://[fe80::1%25eth0]/", "bad URL"},
      {"http://[fe80::1%eth0]/", "bad URL"},
      {"http://[::1%251]/", "bad URL"},
      {"http://[127.0.0.1]/", "bad URL"},
      {"http://[::127.1]/", "bad URL"},
      {"http://::1/", "bad URL"},
      {"http://[::1/", "bad URL"},
      {"http://example.org@127.0.0.1/", "bad URL"},
      {"http://127.0.0.1@example.org/", "bad URL"},
      {"http://127.0.0.1\\@example.org/", "bad URL"},
      {"http://example.org\\@127.0.0.1/", "bad URL"},
      {"http://127.0.0.1#@example.org/", "bad URL"},
      {"http://%31%32%37.0.0.1/", "bad URL"},
      {"http://127.0.0.1%00.example.org/", "bad URL"},
      {"http://127.0.0.1%2f@example.org/", "bad URL"},
      {"http:/127.0.0.1/", "bad URL"},
      {"http:127.0.0.1/", "bad URL"},
      {"//127.0.0.1/", "bad URL"},
      {"http:///127.0.0.1/", "bad URL"},
      {"http://127.0.0.1 /", "bad URL"},
      {"http://127.0.0.1\t/", "bad URL"},
      {"http://127.0.0.1\r\nHost: x/", "bad URL"},
      {"file:///etc/passwd", "bad URL"},
      {"gopher://127.0.0.1:6379/_FLUSHALL", "bad URL"},
      {"dict://127.0.0.1:11211/", "bad URL"},
      {"ldap://127.0.0.1/", "bad URL"},
      {"unix:///var/run/docker.sock", "bad URL"},
      {"HTTP://LOCALHOST/", "a name"},
      {"http://127.0.0.1.nip.io/", "a name"},
      {"http://localtest.me/", "a name"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(fate(c.url), c.fate) << c.url;
}

TEST(OutboundGuard, leaves_the_open_internet_open) {
  for (const char* url : {"https://8.8.8.8/",        "https://1.1.1.1:8443/",   "https://[2606:4700::1111]/",
                          "http://9.255.255.255/",   "http://11.0.0.0/",        "http://100.63.255.255/",
                          "http://100.128.0.0/",     "http://126.255.255.255/", "http://128.0.0.0/",
                          "http://169.253.255.255/", "http://169.255.0.0/",     "http://172.15.255.255/",
                          "http://172.32.0.0/",      "http://192.167.255.255/", "http://192.169.0.0/",
                          "http://198.17.255.255/",  "http://198.20.0.0/",      "http://223.255.255.255/",
                          "https://[2001:200::1]/",  "https://[2003::1]/",      "https://[2a00::1]/"})
    EXPECT_EQ(fate(url), "allowed") << url;
}

TEST(OutboundGuard, keeps_to_ports_that_may_speak_http) {
  for (const char* url : {"http://8.8.8.8:22/", "http://8.8.8.8:25/", "http://example.org:25/",
                          "http://example.org:587/", "https://8.8.8.8:5432/", "http://example.org:6379/",
                          "http://example.org:11211/", "http://example.org:3306/", "http://8.8.8.8:445/"})
    EXPECT_EQ(fate(url), "blocked-port") << url;
  EXPECT_EQ(fate("http://8.8.8.8:8080/"), "allowed");
  EXPECT_EQ(fate("http://8.8.8.8:25/", allowing("8.8.8.8:25")), "allowed");
  EXPECT_EQ(fate("http://8.8.8.8:25/", allowing("8.8.8.8")), "blocked-port");
  EXPECT_EQ(fate("http://8.8.8.8:25/", allowing("8.8.8.9:25")), "blocked-port");
}

TEST(OutboundGuard, lets_through_what_the_operator_allows) {
  const struct {
    std::string_view allow, url, fate;
  } cases[] = {
      {"127.0.0.0/8", "http://127.0.0.1:9000/", "allowed"},
      {"127.0.0.0/8", "http://[::ffff:127.0.0.1]/", "allowed"},
      {"127.0.0.0/8", "http://[::1]/", "loopback"},
      {"127.0.0.0/8", "http://[64:ff9b::127.0.0.1]/", "loopback"},
      {"::1", "http://[::1]/", "allowed"},
      {"::1", "http://127.0.0.1/", "loopback"},
      {"10.1.0.0/16", "http://10.1.255.255/", "allowed"},
      {"10.1.0.0/16", "http://10.2.0.0/", "private"},
      {"10.1.0.0/16:8080", "http://10.1.0.1:8080/", "allowed"},
      {"10.1.0.0/16:8080", "http://10.1.0.1/", "private"},
      {"10.1.0.0/16", "http://10.1.0.1:6379/", "blocked-port"},
      {"10.1.0.0/16:6379", "http://10.1.0.1:6379/", "allowed"},
      {"fd00::/8", "http://[fd12::1]/", "allowed"},
      {"[fd00::/8]:8443", "https://[fd12::1]:8443/", "allowed"},
      {"[fd00::/8]:8443", "https://[fd12::1]/", "unique-local"},
      {"fd00::/8", "http://[fd00:ec2::254]/", "metadata"},
      {"0.0.0.0/0, ::/0", "http://169.254.169.254/", "metadata"},
      {"169.254.169.254", "http://169.254.169.254/", "allowed"},
      {"169.254.169.254/32", "http://169.254.169.254/", "allowed"},
      {"::/0", "http://10.0.0.1/", "private"},
      {"0.0.0.0/0", "http://10.0.0.1/", "allowed"},
      {"0.0.0.0/0", "http://[::1]/", "loopback"},
      {" 192.168.1.7 , 10.0.0.0/8 ", "http://192.168.1.7/", "allowed"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(fate(c.url, allowing(c.allow)), c.fate) << c.allow << " " << c.url;
}

TEST(OutboundGuard, knows_allowed_hosts_by_their_names) {
  const IpAddress inside = parse_ip_address("10.0.0.5").value();
  const IpAddress metadata = parse_ip_address("169.254.169.254").value();
  const struct {
    std::string_view allow;
    const char* host;
    std::uint16_t port;
    bool is_allowed;
  } cases[] = {
      {"hooks.example.org", "hooks.example.org", 443, true},
      {"Hooks.Example.ORG.", "hooks.example.org", 443, true},
      {"hooks.example.org", "a.hooks.example.org", 443, false},
      {"hooks.example.org", "example.org", 443, false},
      {"hooks.example.org:8080", "hooks.example.org", 8080, true},
      {"hooks.example.org:8080", "hooks.example.org", 443, false},
      {"*.example.org", "a.example.org", 443, true},
      {"*.example.org", "a.b.example.org", 443, true},
      {"*.example.org", "example.org", 443, false},
      {"*.example.org", "badexample.org", 443, false},
      {"*.example.org:80", "a.example.org", 443, false},
      {"bücher.example", "xn--bcher-kva.example", 443, true},
      {"my_service", "my_service", 443, true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(!allowing(c.allow).check(c.host, inside, c.port), c.is_allowed) << c.allow << " " << c.host;
    // A name that may lead inside may still not lead to the keys of the house.
    EXPECT_TRUE(allowing(c.allow).check(c.host, metadata, c.port)) << c.allow;
  }
}

TEST(OutboundGuard, says_which_entry_is_wrong_and_what_would_be_right) {
  for (const char* text : {"*",
                           "10.0.0.1/8",
                           "10.0.0.0/33",
                           "10.0.0.0/-1",
                           "10.0.0.0/",
                           "fd00::/129",
                           "[fd00::/8",
                           "[fd00::/8]8443",
                           "example.org:0",
                           "example.org:65536",
                           "example.org:http",
                           "127.1",
                           "0177.0.0.1",
                           "http://example.org",
                           "example.org/path",
                           "a..b",
                           "-a.example",
                           "*example.org",
                           "a.*.org",
                           "10.0.0.0/8,,",
                           ",",
                           "10.0.0.0/8:"}) {
    const auto parsed = parse_outbound_allow(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find("entry"), std::string::npos) << text;
    EXPECT_NE(parsed.error().message.find("*.example.org"), std::string::npos) << text;
  }
  EXPECT_NE(parse_outbound_allow("10.0.0.0/8,nonsense here").error().message.find("entry 2"),
            std::string::npos);
  EXPECT_TRUE(parse_outbound_allow("")->empty());
}

TEST(OutboundGuard, takes_a_thousand_entries_and_no_more) {
  std::string text = "10.0.0.0/8";
  for (int i = 1; i < 1000; ++i)
    text += ",10.0.0.0/8";
  EXPECT_EQ(allowing(text).check("10.0.0.1", *parse_ip_address("10.0.0.1"), 443), std::nullopt);
  const auto more = parse_outbound_allow(text + ",10.0.0.0/8");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message, "may have at most 1000 entries");
}

TEST(OutboundGuard, never_lets_a_request_come_back_to_its_own_listener) {
  const std::vector<IpAddress> local{parse_ip_address("192.168.7.2").value(),
                                     parse_ip_address("2a00::7").value()};
  const struct {
    const char* listener;
    const char* target;
    bool is_own;
  } cases[] = {
      {"127.0.0.1", "127.0.0.1", true},
      {"127.0.0.1", "::ffff:127.0.0.1", true},
      {"127.0.0.1", "0.0.0.0", true},
      {"127.0.0.1", "::", true},
      {"127.0.0.1", "127.0.0.2", true},
      {"127.0.0.1", "192.168.7.2", false},
      {"::1", "127.0.0.1", true},
      {"0.0.0.0", "127.0.0.1", true},
      {"0.0.0.0", "192.168.7.2", true},
      {"0.0.0.0", "192.168.7.3", false},
      {"::", "2a00::7", true},
      {"::", "192.168.7.2", true},
      {"::", "2a00::8", false},
      {"192.168.7.2", "192.168.7.2", true},
      {"192.168.7.2", "127.0.0.1", false},
      {"192.168.7.2", "0.0.0.0", true},
  };
  for (const auto& c : cases) {
    const OwnListener own{parse_ip_address(c.listener).value(), 8925};
    const IpAddress target = parse_ip_address(c.target).value();
    EXPECT_EQ(leads_to(own, target, 8925, local), c.is_own) << c.listener << " " << c.target;
    EXPECT_FALSE(leads_to(own, target, 8926, local)) << c.listener << " " << c.target;
  }
}

}  // namespace
}  // namespace eilbote::outbound_guard_test
