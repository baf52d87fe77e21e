// The reader the contract tests go by: it must not lose a line, or they would hold nothing against nothing.
#include "support/contract_file.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace eilbote::test::contract_file_test {
namespace {

TEST(ContractFile, reads_the_forms_the_contract_is_written_in) {
  const ContractFile file(
      "a:\n  b: plain text\n  'c': 'it''s'\n  d: {e: 1, f: [x, 'y, z'], g: {}}\n"
      "list:\n  - one\n  - {two: 2}\n  - three: 3\n    more: \"a \\\"b\\\"\"\n"
      "  - $ref: '#/a/b'\nblock: |\n  two\n  lines: not a key\nlong:\n  [p, q,\n   r]\nend: x: y\n");
  const std::map<std::string, std::pair<std::string, int>> want{{"a.b", {"plain text", 2}},
                                                                {"a.c", {"it's", 3}},
                                                                {"a.d.e", {"1", 4}},
                                                                {"a.d.f.0", {"x", 4}},
                                                                {"a.d.f.1", {"y, z", 4}},
                                                                {"list.0", {"one", 6}},
                                                                {"list.1.two", {"2", 7}},
                                                                {"list.2.three", {"3", 8}},
                                                                {"list.2.more", {"a \"b\"", 9}},
                                                                {"list.3.$ref", {"#/a/b", 10}},
                                                                {"block", {"two lines: not a key", 11}},
                                                                {"long.0", {"p", 15}},
                                                                {"long.1", {"q", 15}},
                                                                {"long.2", {"r", 16}},
                                                                {"end", {"x: y", 17}}};
  std::map<std::string, std::pair<std::string, int>> got;
  for (const auto& [path, value] : file.values())
    got[path] = {value.text, value.line};
  EXPECT_EQ(got, want);
  EXPECT_EQ(file.list("long"), (std::vector<std::string>{"p", "q", "r"}));
  EXPECT_EQ(file.resolved("list.3"), "a.b");
  EXPECT_EQ(file.resolved("list.2"), "list.2");
}

// A comma ends a text in {...}: YAML would make a member of the rest, and clients would see half a sentence.
TEST(ContractFile, refuses_a_text_that_yaml_would_cut) {
  EXPECT_THROW(ContractFile("a: {description: The client, or client/subject}\n"), std::runtime_error);
  EXPECT_THROW(ContractFile("a: {description: 'no end}\n"), std::runtime_error);
}

TEST(ContractFile, reads_the_whole_contract) {
  const ContractFile& contract = ContractFile::of_the_project();
  EXPECT_GT(contract.values().size(), 2000U);
  const auto* last =
      contract.find("components.schemas.Problem.properties.errors.items.properties.detail.type");
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->text, "string");
}

}  // namespace
}  // namespace eilbote::test::contract_file_test
