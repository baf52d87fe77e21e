// What is rendered from the option table: the reference in docs/, the sample file, the effective values.
#include "config/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>
#include <set>

#include "base/nearest.h"
#include "config/store_url.h"
#include "config/toml_file.h"

namespace eilbote::config_reference_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string file_text(const std::string& path) {
  std::ifstream in(std::string(EILBOTE_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ConfigReference, the_document_is_what_the_program_prints) {
  EXPECT_EQ(file_text("docs/configuration.md"), options_markdown()) << "run ./dev fmt";
}

TEST(ConfigReference, every_option_has_its_own_names_a_help_text_and_a_default_that_it_accepts) {
  std::set<std::string> keys, flags, toml;
  for (const auto& option : option_table()) {
    EXPECT_TRUE(keys.insert(std::string(option.key)).second) << option.key;
    EXPECT_TRUE(flags.insert(flag_name(option)).second) << option.key;
    EXPECT_TRUE(toml.insert(std::string(option.toml)).second) << option.key;
    EXPECT_TRUE(option.help.ends_with('.')) << option.key;
    EXPECT_FALSE(is_foreign_variable(option.key)) << option.key;
    Config config;
    if (!option.fallback.empty()) {
      EXPECT_TRUE(option.kind.set(config, option.fallback)) << option.key;
    }
  }
}

TEST(ConfigReference, the_sample_file_is_the_default_configuration) {
  const auto file = read_toml_text(sample_toml(), "sample");
  EXPECT_THAT(file.faults, IsEmpty());
  for (const auto& option : option_table())
    if (!option.fallback.empty()) {
      ASSERT_TRUE(file.values.contains(std::string(option.toml))) << option.toml;
      EXPECT_EQ(file.values.at(std::string(option.toml)).text, option.fallback);
    }
}

TEST(ConfigReference, the_effective_values_hide_secrets) {
  ConfigSources sources;
  sources.environment = {{"EILBOTE_STORE_URL", "postgresql://mailer:hunter2@db/outbox"}};
  const auto loaded = load_config(sources);
  EXPECT_THAT(effective_text(loaded), HasSubstr("postgresql://mailer:****@db/outbox  (environment)"));
  EXPECT_THAT(effective_text(loaded), Not(HasSubstr("hunter2")));
  const auto json = boost::json::parse(effective_json(loaded));
  EXPECT_EQ(json.at_pointer("/options/EILBOTE_STORE_URL/value").as_string(),
            "postgresql://mailer:****@db/outbox");
  EXPECT_EQ(json.at_pointer("/options/EILBOTE_LISTEN/source").as_string(), "default");
  EXPECT_EQ(json.at_pointer("/pools/0/code").as_string(), "mail");
}

TEST(ConfigStoreUrl, passwords_are_masked) {
  struct Case {
    const char* url;
    const char* masked;
  };
  const Case cases[] = {
      {"sqlite:/var/lib/x.db", "sqlite:/var/lib/x.db"},
      {"postgresql://db/x", "postgresql://db/x"},
      {"postgresql://me@db:5432/x", "postgresql://me@db:5432/x"},
      {"postgresql://me:p@ss@db:5432/x", "postgresql://me:****@db:5432/x"},
      {"postgresql://db:5432/x?user=me&password=p&sslmode=require",
       "postgresql://db:5432/x?user=me&password=****&sslmode=require"},
      {"postgresql://db/x?password=p", "postgresql://db/x?password=****"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(masked_url(c.url), c.masked);
}

TEST(ConfigNearest, counts_the_steps_and_gives_up_when_nothing_is_near) {
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("listen", "listne"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  const std::vector<std::string> names{"server.listen", "store.url"};
  EXPECT_EQ(nearest("Server.Lisen", names), "server.listen");
  EXPECT_EQ(nearest("completely.else", names), "");
}

}  // namespace
}  // namespace eilbote::config_reference_test
