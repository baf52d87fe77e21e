// The text part derived from html.
#include <gtest/gtest.h>

#include "domain/html_text.h"

namespace eilbote::mime::html_text_test {
namespace {

TEST(HtmlText, reads_like_the_html) {
  const struct {
    const char* name;
    std::string input, want;
  } cases[] = {
      {"empty", "", ""},
      {"no tags", "just text", "just text"},
      {"white space is one blank", "  a \n\t b\r\n\r\nc  ", "a b c"},
      {"paragraphs", "<p>One</p><p>Two</p>", "One\n\nTwo"},
      {"paragraph with attributes", "<P class=\"x > y\">One</P >", "One"},
      {"line break", "a<br>b<br/>c<BR />d", "a\nb\nc\nd"},
      {"two line breaks", "a<br><br>b", "a\n\nb"},
      {"never more than one empty line", "a<br><br><br><br></p><p></p>b", "a\n\nb"},
      {"inline tags", "a <b>bo</b>ld <i>word</i>", "a bold word"},
      {"divs", "<div>a</div><div>b</div>", "a\nb"},
      {"headings", "<h1>Title</h1>text", "Title\n\ntext"},
      {"list", "<ul><li>one</li><li>two</li></ul>after", "- one\n- two\n\nafter"},
      {"table", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"},
      {"link", "<a href=\"https://example.org/x?a=1&amp;b=2\">here</a>!",
       "here (https://example.org/x?a=1&b=2)!"},
      {"link in single quotes", "<a class=x href='http://example.org'>go</a>", "go (http://example.org)"},
      {"link without quotes", "<a href=http://example.org target=x>go</a>", "go (http://example.org)"},
      {"link that says its address", "<a href=\"https://example.org\">https://example.org</a>",
       "https://example.org"},
      {"link to nowhere", "<a href=\"javascript:alert(1)\">x</a><a name=y>z</a>", "xz"},
      {"entities", "&lt;a&gt; &amp;amp; &quot;q&quot; &apos; &auml;&Ouml;&szlig; &euro;",
       "<a> &amp; \"q\" ' äÖß €"},
      {"numeric entities", "&#65;&#x42;&#X43;&#8364;&#x1F600;", "ABC€😀"},
      {"entities that are none", "&;&nosuch;&#;&#x;&#xG;&#12a; AT&T &amp",
       "&;&nosuch;&#;&#x;&#xG;&#12a; AT&T &amp"},
      {"entities out of range", "&#0;&#xD800;&#x110000;&#99999999;", "\uFFFD\uFFFD\uFFFD\uFFFD"},
      {"hard blank", "a&nbsp;&nbsp;b", "a b"},
      {"comment", "a<!-- <p>no</p> -->b", "ab"},
      {"comment, not closed", "a<!-- b", "a"},
      {"script and style", "<style>p{}</style>a<script>if (a<b) x()</script>b", "ab"},
      {"script in any case", "<SCRIPT>x</ScRiPt>a", "a"},
      {"script, not closed", "a<script>b", "a"},
      {"head", "<html><head><title>T</title></head><body>B</body></html>", "B"},
      {"doctype", "<!DOCTYPE html><?xml x?>a", "a"},
      {"less than", "1 < 2 and 3<4", "1 < 2 and 3<4"},
      {"tag, not closed", "a<b", "a"},
      {"lone bracket at the end", "a <", "a <"},
      {"UTF-8 stays", "<p>Grüße 😀</p>", "Grüße 😀"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(text_of_html(c.input), c.want) << c.name;
}

TEST(HtmlText, is_linear_in_hostile_input) {
  std::string open;
  for (int i = 0; i < 100'000; ++i)
    open += "<a href=\"x\">&#";
  EXPECT_FALSE(text_of_html(open).empty());
  std::string scripts;
  for (int i = 0; i < 2'000; ++i)
    scripts += "<script>";
  EXPECT_EQ(text_of_html(scripts), "");
}

}  // namespace
}  // namespace eilbote::mime::html_text_test
