// Addresses: what is taken and what it becomes on the wire, what is refused, and that nothing is echoed.
#include "domain/address.h"

#include <gtest/gtest.h>

namespace eilbote::address_test {
namespace {

using namespace std::string_literals;

std::string times(std::size_t n, const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i)
    out += text;
  return out;
}

// 63 + 1 + 63 + 1 + 61 = 189 octets: with a local part of 64 and the @ exactly 254.
const std::string kLongDomain = times(63, "a") + "." + times(63, "b") + "." + times(61, "c");

struct Good {
  const char* name;
  std::string input;
  std::string wire;
  bool smtputf8 = false;
};

const Good kGood[] = {
    {"plain", "name@example.org", "name@example.org"},
    {"one character", "a@b.de", "a@b.de"},
    {"dots inside", "first.middle.last@example.org", "first.middle.last@example.org"},
    {"plus tag", "name+tag@example.org", "name+tag@example.org"},
    {"every atom sign", "!#$%&'*+-/=?^_`{|}~@example.org", "!#$%&'*+-/=?^_`{|}~@example.org"},
    {"digits", "123@456.example", "123@456.example"},
    {"case of the local part stays", "Name@Example.ORG", "Name@example.org"},
    {"sub-domains", "a@b.c.d.e.example.org", "a@b.c.d.e.example.org"},
    {"hyphen inside", "a@my-host.example", "a@my-host.example"},
    {"two hyphens inside", "a@my--host.example", "a@my--host.example"},
    {"one label", "root@localhost", "root@localhost"},
    {"digit first", "a@1und1.de", "a@1und1.de"},
    {"quoted", "\"john doe\"@example.org", "\"john doe\"@example.org"},
    {"quoted @", "\"a@b\"@example.org", "\"a@b\"@example.org"},
    {"quoted dots", "\"..\"@example.org", "\"..\"@example.org"},
    {"quoted pair", R"("a\"b\\c"@example.org)", R"("a\"b\\c"@example.org)"},
    {"quoted angle brackets", "\"<a>\"@example.org", "\"<a>\"@example.org"},
    {"quoted and empty", "\"\"@example.org", "\"\"@example.org"},
    {"IPv4 literal", "a@[192.0.2.1]", "a@[192.0.2.1]"},
    {"IPv6 literal", "a@[IPv6:2001:db8::1]", "a@[IPv6:2001:db8::1]"},
    {"IPv6 literal, any case", "a@[ipv6:2001:DB8::A]", "a@[IPv6:2001:db8::a]"},
    {"IPv6 with IPv4 inside", "a@[IPv6:::ffff:192.0.2.1]", "a@[IPv6:::ffff:192.0.2.1]"},
    {"local part of 64", times(64, "x") + "@example.org", times(64, "x") + "@example.org"},
    {"label of 63", "a@" + times(63, "b") + ".de", "a@" + times(63, "b") + ".de"},
    {"254 octets", times(64, "x") + "@" + kLongDomain, times(64, "x") + "@" + kLongDomain},
    {"IDN", "info@müller.de", "info@xn--mller-kva.de"},
    {"IDN, upper case", "info@MÜLLER.de", "info@xn--mller-kva.de"},
    {"IDN, decomposed", "info@mu\u0308ller.de", "info@xn--mller-kva.de"},
    {"IDN, sharp s stays (non-transitional)", "a@straße.de", "a@xn--strae-oqa.de"},
    {"IDN, whole domain", "a@例え.テスト", "a@xn--r8jz45g.xn--zckzah"},
    {"IDN, cyrillic", "почта@пример.рф", "почта@xn--e1afmkfd.xn--p1ai", true},
    {"IDN, greek final sigma stays", "a@βόλος.com", "a@xn--nxasmm1c.com"},
    {"A-label as given", "a@xn--mller-kva.de", "a@xn--mller-kva.de"},
    {"A-label in upper case", "a@XN--MLLER-KVA.DE", "a@xn--mller-kva.de"},
    {"ideographic dot", "a@例え。テスト", "a@xn--r8jz45g.xn--zckzah"},
    {"UTF-8 local part", "jürgen@example.org", "jürgen@example.org", true},
    {"UTF-8 local part and IDN", "用户@例え.テスト", "用户@xn--r8jz45g.xn--zckzah", true},
    {"emoji local part", "😀@example.org", "😀@example.org", true},
    {"quoted UTF-8", "\"jürgen m\"@example.org", "\"jürgen m\"@example.org", true},
    {"UTF-8 local part of 64 octets", times(32, "ü") + "@example.org", times(32, "ü") + "@example.org", true},
};

TEST(Address, takes_what_rfc_5321_and_6531_allow) {
  for (const Good& c : kGood) {
    SCOPED_TRACE(c.name);
    const auto got = parse_address(c.input);
    ASSERT_TRUE(got.has_value()) << got.error().message;
    EXPECT_EQ(got->wire(), c.wire);
    EXPECT_EQ(got->needs_smtputf8, c.smtputf8);
    EXPECT_EQ(got->local + "@" + got->domain, c.input) << "parts stay as given";
  }
}

struct Bad {
  const char* name;
  std::string input;
  const char* message;  // a part of it
};

const Bad kBad[] = {
    {"empty", "", "name@example.org"},
    {"no @", "name", "name@example.org"},
    {"only @", "@", "name@example.org"},
    {"no local part", "@example.org", "name@example.org"},
    {"no domain", "name@", "name@example.org"},
    {"two @", "a@b@example.org", "domain"},
    {"dot first", ".a@example.org", "dots"},
    {"dot last", "a.@example.org", "dots"},
    {"two dots", "a..b@example.org", "dots"},
    {"blank inside", "a b@example.org", "blanks"},
    {"blank first", " a@example.org", "blanks"},
    {"blank last", "a@example.org ", "domain"},
    {"display name", "Name <a@example.org>", "name@example.org"},
    {"angle brackets", "<a@example.org>", "name@example.org"},
    {"comma list", "a@example.org,b@example.org", "domain"},
    {"semicolon", "a;b@example.org", "name@example.org"},
    {"colon", "a:b@example.org", "name@example.org"},
    {"comment", "a(comment)@example.org", "name@example.org"},
    {"backslash", "a\\b@example.org", "name@example.org"},
    {"quote inside", "a\"b\"@example.org", "name@example.org"},
    {"source route", "@relay:a@example.org", "name@example.org"},
    {"quoted, not closed", "\"abc@example.org", "quoted"},
    {"quoted, closed by an escape", "\"abc\\\"@example.org", "quoted"},
    {"quoted, more after it", "\"a\"b@example.org", "name@example.org"},
    {"quoted pair before UTF-8", "\"a\\ü\"@example.org", "quoted"},
    {"LF", "a@example.org\nBcc: b@example.org", "line breaks"},
    {"CRLF", "a@example.org\r\nRCPT TO:<b@example.org>", "line breaks"},
    {"CR in a quoted string", "\"a\rb\"@example.org", "line breaks"},
    {"envelope injection", "a@x>\r\nRCPT TO:<b@y", "line breaks"},
    {"NUL", "a\0b@example.org"s, "control"},
    {"NUL in the domain", "a@exam\0ple.org"s, "control"},
    {"tab", "a\tb@example.org", "control"},
    {"DEL", "a\x7F@example.org", "control"},
    {"C1", "a\u0085@example.org", "control"},
    {"line separator", "a\u2028b@example.org", "control"},
    {"paragraph separator in the domain", "a@b\u2029.org", "control"},
    {"not UTF-8", "j\xFCrgen@example.org", "UTF-8"},
    {"surrogate", "\xED\xA0\x80@example.org", "UTF-8"},
    {"local part of 65", times(65, "x") + "@example.org", "64"},
    {"UTF-8 local part of 65 octets", times(32, "ü") + "x@example.org", "64"},
    {"255 octets", times(64, "x") + "@" + kLongDomain + "c", "254"},
    {"domain of 256", "a@" + times(64, "bbb."), "255"},
    {"very long", times(5'000, "x") + "@example.org", "254"},
    {"label of 64", "a@" + times(64, "b") + ".de", "63"},
    {"hyphen first", "a@-b.de", "hyphens"},
    {"hyphen last", "a@b-.de", "hyphens"},
    {"hyphen at the very end", "a@b.de-", "hyphens"},
    {"dot first in the domain", "a@.example.org", "single dots"},
    {"dot last in the domain", "a@example.org.", "single dots"},
    {"two dots in the domain", "a@example..org", "single dots"},
    {"underscore in the domain", "a@my_host.org", "letters"},
    {"slash in the domain", "a@b/c.org", "letters"},
    {"percent in the domain", "a@b%c.org", "letters"},
    {"IPv4 without brackets", "a@192.0.2.1", "brackets"},
    {"number as last label", "a@example.1", "brackets"},
    {"IPv4 literal out of range", "a@[192.0.2.256]", "literal"},
    {"literal not closed", "a@[192.0.2.1", "literal"},
    {"literal with more after it", "a@[192.0.2.1].org", "literal"},
    {"empty literal", "a@[]", "literal"},
    {"IPv6 without its tag", "a@[2001:db8::1]", "literal"},
    {"IPv6 with a zone", "a@[IPv6:fe80::1%eth0]", "literal"},
    {"another tag", "a@[x400:abc]", "literal"},
    {"broken A-label", "a@xn--\x2d\x2d.de", "IDNA2008"},
    {"A-label of nothing foreign", "a@xn--abc-.de", "IDNA2008"},
    {"emoji domain", "a@😀.org", "IDNA2008"},
    {"joiner in the domain", "a@a\u200Db.org", "IDNA2008"},
    {"full-width sign in the domain", "a@b＠c.org", "domain"},
    {"IDN label too long", "a@" + times(60, "ü") + ".de", "IDNA2008"},
};

TEST(Address, refuses_everything_else_and_says_what_would_be_right) {
  for (const Bad& c : kBad) {
    SCOPED_TRACE(c.name);
    const auto got = parse_address(c.input);
    ASSERT_FALSE(got.has_value());
    EXPECT_EQ(got.error().kind, ErrorKind::invalid);
    EXPECT_NE(got.error().message.find(c.message), std::string::npos) << got.error().message;
  }
}

TEST(Address, never_echoes_what_it_refuses) {
  for (const char* input :
       {"geheim", "geheim@", "geheim@@geheim", "geheim geheim@example.org", "geheim@192.0.2.7",
        "geheim@-geheim.org", "\"geheim@example.org", "geheim@[geheim]", "geheim\n@example.org"})
    EXPECT_EQ(parse_address(input).error().message.find("geheim"), std::string::npos) << input;
}

TEST(Address, domain_for_logs) {
  const struct {
    const char* input;
    const char* want;
  } cases[] = {{"a@example.org", "example.org"},
               {"\"a@b\"@example.org", "example.org"},
               {"a@", "?"},
               {"nothing", "?"},
               {"", "?"},
               {"a@müller.de", "müller.de"}};
  for (const auto& c : cases)
    EXPECT_EQ(address_domain(c.input), c.want) << c.input;
}

}  // namespace
}  // namespace eilbote::address_test
