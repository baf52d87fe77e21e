// What is said about a schema of another version, the same for both stores.
#include "store/schema_version.h"

#include <gmock/gmock.h>

namespace eilbote::schema_version_test {
namespace {

using ::testing::HasSubstr;

TEST(SchemaVersion, says_what_to_do) {
  struct Case {
    const char* name;
    std::string_view found;
    const char* want;
  };
  const Case cases[] = {
      {"the same", "003_c", ""},
      {"newer", "004_d", "use a newer eilbote"},
      {"older", "002_b", "run `eilbote migrate`"},
      {"none", "", "(none) is older"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const Result<void> judged = judge_version(one.found, "003_c");
    EXPECT_EQ(judged.has_value(), *one.want == '\0');
    if (judged) continue;
    EXPECT_EQ(judged.error().kind, ErrorKind::invalid);
    EXPECT_THAT(judged.error().message, HasSubstr(one.want));
    EXPECT_THAT(judged.error().message, HasSubstr("003_c"));
  }
}

}  // namespace
}  // namespace eilbote::schema_version_test
