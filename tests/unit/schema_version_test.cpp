// What is said about a schema of another version, the same for both stores.
#include "store/schema_version.h"

#include <gmock/gmock.h>

namespace eilbote::schema_version_test {
namespace {

using ::testing::HasSubstr;

TEST(SchemaVersion, says_what_to_do) {
  struct Case {
    const char* name;
    std::vector<std::string> applied;
    const char* want;
  };
  const Case cases[] = {
      {"the same", {"001_a", "002_b", "003_c"}, ""},
      {"newer, and only added to", {"001_a", "003_c", "004_d", "005_contracts_of_clients"}, ""},
      {"newer, and something was taken away",
       {"003_c", "004_contract_d", "005_e"},
       "(004_contract_d) is newer"},
      {"taken away before", {"002_contract_b", "003_c", "004_d"}, ""},
      {"older", {"001_a", "002_b"}, "run `eilbote migrate`"},
      {"none", {}, "(none) is older"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const Result<void> judged = judge_version(one.applied, "003_c");
    EXPECT_EQ(judged.has_value(), *one.want == '\0');
    if (judged) continue;
    EXPECT_EQ(judged.error().kind, ErrorKind::invalid);
    EXPECT_THAT(judged.error().message, HasSubstr(one.want));
    EXPECT_THAT(judged.error().message, HasSubstr("003_c"));
  }
}

}  // namespace
}  // namespace eilbote::schema_version_test
