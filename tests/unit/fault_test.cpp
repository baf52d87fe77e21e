// Faults and their pointers: what each check lets pass, and what it says of the rest.
#include "domain/fault.h"

#include <gtest/gtest.h>

#include <functional>

namespace eilbote::fault_test {
namespace {

TEST(PointerStep, is_escaped_and_cut) {
  EXPECT_EQ(pointer_step("a/b~c"), "a~1b~0c");
  EXPECT_EQ(pointer_step(std::string(65, 'x')), std::string(64, 'x'));
  EXPECT_EQ(pointer_step(std::string(65, 'x'), 65), std::string(65, 'x'));
  EXPECT_EQ(pointer_step("\xC3\xA4\xC3\xB6", 1), "\xC3\xA4") << "characters, not bytes";
}

TEST(Faults, each_check_says_what_would_be_right) {
  const std::string umlauts = "\xC3\xA4\xC3\xB6\xC3\xBC";
  const struct {
    const char* name;
    std::function<bool(Faults&)> check;
    const char* want;  // empty: nothing is wrong
  } cases[] = {
      {"characters", [&](Faults& f) { return f.line(umlauts, "/a", 3); }, ""},
      {"too many of them", [&](Faults& f) { return f.line(umlauts, "/a", 2); },
       "must be at most 2 characters long"},
      {"too few of them", [&](Faults& f) { return f.line("", "/a", 3, 1); },
       "must be 1 to 3 characters long"},
      {"a line break", [&](Faults& f) { return f.line("a\nb", "/a", 9); },
       "must not contain line breaks or other control characters"},
      {"no UTF-8", [&](Faults& f) { return f.line("\xFF", "/a", 9); }, "must be valid UTF-8"},
      {"bytes", [&](Faults& f) { return f.line_in_bytes(umlauts, "/a", 6); }, ""},
      {"too many bytes", [&](Faults& f) { return f.line_in_bytes(umlauts, "/a", 5); },
       "must be at most 5 bytes long"},
      {"lines may be stored", [&](Faults& f) { return f.storable("a\nb", "/a"); }, ""},
      {"NUL may not", [&](Faults& f) { return f.storable(std::string_view("a\0b", 3), "/a"); },
       "must not contain U+0000"},
      {"a list", [&](Faults& f) { return f.count(2, 2, "/a"); }, ""},
      {"a long list", [&](Faults& f) { return f.count(3, 2, "/a"); }, "may have at most 2 entries"},
      {"a number", [&](Faults& f) { return f.range(1, 1, 5, "/a"); }, ""},
      {"a number out of range", [&](Faults& f) { return f.range(6, 1, 5, "/a"); },
       "must be a whole number from 1 to 5"},
  };
  for (const auto& c : cases) {
    Faults faults;
    EXPECT_EQ(c.check(faults), *c.want == '\0') << c.name;
    const std::vector<Fault> want =
        *c.want == '\0' ? std::vector<Fault>{} : std::vector<Fault>{{"/a", c.want}};
    EXPECT_EQ(faults.take(), want) << c.name;
  }
}

}  // namespace
}  // namespace eilbote::fault_test
