// deploy/vault: the references that its page names are ones the program reads, its options exist, and the policy opens each of
// them for reading and nothing for more. That a Vault takes the policy is not shown here.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "domain/secret_reference.h"
#include "secrets/vault_client.h"

namespace eilbote::test::vault_policy_test {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(std::string(EILBOTE_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> all_of(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    found.insert((*it)[0]);
  return found;
}

// Path -> capabilities, as the policy says them.
std::map<std::string, std::string> policy() {
  static const std::regex kRule(R"re(path "([^"]+)" \{\s*capabilities = \[([^\]]*)\]\s*\})re");
  const std::string text = text_of("deploy/vault/eilbote-policy.hcl");
  std::map<std::string, std::string> rules;
  for (std::sregex_iterator it(text.begin(), text.end(), kRule), end; it != end; ++it)
    rules[(*it)[1]] = (*it)[2];
  return rules;
}

// As Vault does: exactly, or what a final * stands for.
bool opens(const std::string& rule, const std::string& path) {
  return rule.ends_with('*') ? path.starts_with(rule.substr(0, rule.size() - 1)) : rule == path;
}

TEST(VaultPolicy, opens_what_the_page_names) {
  const auto references =
      all_of(text_of("deploy/vault/README.md"), std::regex(R"(\b[a-z-]+://[\w/.?=-]+#[\w-]+)"));
  EXPECT_GE(references.size(), 8U);
  for (const std::string& text : references) {
    const auto reference = read_secret_reference(text);
    ASSERT_TRUE(reference) << text;
    EXPECT_EQ(reference->scheme, SecretScheme::vault) << text;
    const auto place = read_secret_place(reference->place);
    ASSERT_TRUE(place) << text << ": " << place.error().message;
    EXPECT_FALSE(place->key.empty()) << text;
    const std::string path = VaultOptions{}.mount + "/data/" + place->path;
    bool readable = false;
    for (const auto& [rule, capabilities] : policy())
      readable = readable || (opens(rule, path) && capabilities == "\"read\"");
    EXPECT_TRUE(readable) << path << " is in no path of the policy";
  }
}

TEST(VaultPolicy, opens_nothing_else) {
  const std::map<std::string, std::string> want{{"secret/data/eilbote/*", "\"read\""},
                                                {"auth/token/renew-self", "\"update\""},
                                                {"auth/token/lookup-self", "\"read\""}};
  EXPECT_EQ(policy(), want);
}

TEST(VaultPolicy, is_told_with_options_that_exist) {
  const std::string reference = text_of("docs/configuration.md");
  for (const char* page : {"deploy/vault/README.md", "deploy/keycloak/README.md"}) {
    const auto options = all_of(text_of(page), std::regex(R"(\bEILBOTE_[A-Z0-9_]+)"));
    EXPECT_FALSE(options.empty()) << page;
    for (const std::string& option : options)
      EXPECT_NE(reference.find("`" + option + "`"), std::string::npos) << page << ": " << option;
  }
}

}  // namespace
}  // namespace eilbote::test::vault_policy_test
