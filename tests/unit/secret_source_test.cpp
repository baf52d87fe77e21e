// Secrets from the environment and from files; a secret never shows in an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "secrets/secrets.h"

namespace eilbote::secret_source_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class SecretSourceTest : public testing::Test {
 protected:
  ~SecretSourceTest() override { std::filesystem::remove(path_); }
  std::string file(const std::string& content) {
    std::ofstream(path_, std::ios::binary) << content;
    return "file://" + path_.string();
  }
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("eilbote-secret-" + std::to_string(getpid()));
  std::unique_ptr<SecretSource> source_ = make_secret_source();
};

TEST_F(SecretSourceTest, reads_a_variable) {
  setenv("EILBOTE_TEST_SECRET", "hunter2", 1);
  EXPECT_EQ(source_->resolve("env://EILBOTE_TEST_SECRET")->reveal(), "hunter2");
  unsetenv("EILBOTE_TEST_SECRET");
  const auto gone = source_->resolve("env://EILBOTE_TEST_SECRET");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::not_found);
  EXPECT_THAT(gone.error().message, HasSubstr("env://EILBOTE_TEST_SECRET"));
}

TEST_F(SecretSourceTest, reads_a_file_without_its_last_line_end_and_sees_a_rotation) {
  EXPECT_EQ(source_->resolve(file("hunter2\n"))->reveal(), "hunter2");
  EXPECT_EQ(source_->resolve(file("hunter3\r\n"))->reveal(), "hunter3");
  EXPECT_EQ(source_->resolve(file(" two\nlines \n"))->reveal(), " two\nlines ");
}

TEST_F(SecretSourceTest, refuses_what_holds_no_secret) {
  EXPECT_EQ(source_->resolve("file:///does/not/exist").error().kind, ErrorKind::not_found);
  EXPECT_EQ(source_->resolve(file("\n")).error().kind, ErrorKind::not_found);
  EXPECT_EQ(source_->resolve(file(std::string(70'000, 'x'))).error().kind, ErrorKind::invalid);
}

TEST_F(SecretSourceTest, reads_a_credential_of_systemd) {
  struct Case {
    const char* name;
    const char* folder;  // null: not set
    const char* reference;
    const char* content;
    const char* want;  // the secret, or what the error says
  };
  const std::string here = path_.parent_path().string(), slashed = here + "/",
                    credential = "systemd://" + path_.filename().string();
  for (const Case& c : {
           Case{"a line end is cut off", here.c_str(), credential.c_str(), "hunter2\n", "hunter2"},
           {"a folder with a slash", slashed.c_str(), credential.c_str(), "hunter3", "hunter3"},
           {"nobody gave credentials", nullptr, credential.c_str(), "x", "the unit needs LoadCredential="},
           {"no folder", "", credential.c_str(), "x", "CREDENTIALS_DIRECTORY is not set"},
           {"another name", here.c_str(), "systemd://eilbote-not-there", "x", "No such file"},
           {"an empty one", here.c_str(), credential.c_str(), "\n", "the file is empty"},
           {"a path", here.c_str(), "systemd://a/b", "x", "must be the name of a credential"},
           {"a path from the root", here.c_str(), "systemd:///etc/passwd", "x", "must be the name"},
           {"a way out", here.c_str(), "systemd://..", "x", "must be the name of a credential"},
       }) {
    file(c.content);
    if (c.folder == nullptr)
      unsetenv("CREDENTIALS_DIRECTORY");
    else
      setenv("CREDENTIALS_DIRECTORY", c.folder, 1);
    const auto read = source_->resolve(c.reference);
    EXPECT_THAT(read ? std::string(read->reveal()) : read.error().message, HasSubstr(c.want)) << c.name;
  }
  unsetenv("CREDENTIALS_DIRECTORY");
}

// A row in the table of schemes without somebody who reads it would be refused only when it is used.
TEST_F(SecretSourceTest, somebody_reads_every_scheme) {
  for (const SecretSchemeRow& row : kSecretSchemes) {
    if (row.home == SecretHome::machine) {
      const auto read = source_->resolve(std::string(row.name) + "://EILBOTE_TEST_NOT_THERE");
      ASSERT_FALSE(read) << row.name;
      EXPECT_EQ(read.error().kind, ErrorKind::not_found) << row.name;
    }
    const auto stores = std::count_if(kSecretStores.begin(), kSecretStores.end(),
                                      [&](const auto& store) { return store.scheme == row.scheme; });
    EXPECT_EQ(stores, row.home == SecretHome::network ? 1 : 0) << row.name;
  }
}

TEST_F(SecretSourceTest, does_not_repeat_a_literal_secret) {
  const auto literal = source_->resolve("hunter2");
  ASSERT_FALSE(literal);
  EXPECT_EQ(literal.error().kind, ErrorKind::invalid);
  EXPECT_THAT(literal.error().message, Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace eilbote::secret_source_test
