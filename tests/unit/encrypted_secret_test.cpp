// Secrets encrypted at rest, with published vectors, both layouts, two keys, and the key file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <thread>

#include "base/base64.h"
#include "secrets/secrets.h"
#include "support/temp_folder.h"

namespace eilbote::encrypted_secret_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string counting(char first) {
  std::string key;
  for (char i = 0; i < 32; ++i)
    key += static_cast<char>(first + i);
  return key;
}

const DataKeys kKeys{Secret(counting(0)), Secret()};
constexpr std::string_view kOldLayout = "AAECAwQFBgcICQoLIWGJfr2Er2vhJJPSRy7P/o0Az3b3cZT0ilQ=";
constexpr std::string_view kLayout1 = "AQABAgMEBQYHCAkKCyFhiX69hK9r4SST0kcuz/6NAM9293GU9IpU";

TEST(EncryptedSecretTest, opens_the_vectors_of_both_layouts) {
  EXPECT_EQ(decrypt_secret(kOldLayout, kKeys)->reveal(), "fc_example");
  EXPECT_EQ(decrypt_secret(kLayout1, kKeys)->reveal(), "fc_example");
}

TEST(EncryptedSecretTest, comes_back_and_never_looks_the_same) {
  std::set<std::string> seen;
  for (const std::string& text : {std::string("hunter2"), std::string(), std::string(5'000, 'x')}) {
    const std::string reference = encrypt_secret(Secret(text), kKeys);
    EXPECT_THAT(reference, StartsWith("encrypted://"));
    EXPECT_THAT(reference, Not(HasSubstr("hunter2")));
    EXPECT_EQ(decrypt_secret(*encrypted_part(reference), kKeys)->reveal(), text);
    EXPECT_TRUE(seen.insert(reference).second);
    EXPECT_TRUE(seen.insert(encrypt_secret(Secret(text), kKeys)).second) << "a nonce of its own each time";
    EXPECT_EQ(base64_decode(*encrypted_part(reference))->front(), '\1');
  }
}

TEST(EncryptedSecretTest, an_old_layout_whose_nonce_begins_like_a_version_opens_too) {
  // Layout 1 without its first byte is the old layout; one nonce in 256 begins with 0x01.
  bool seen = false;
  for (int i = 0; i < 20'000 && !seen; ++i) {
    const std::string sealed = *base64_decode(*encrypted_part(encrypt_secret(Secret("s"), kKeys)));
    const std::string old = sealed.substr(1);
    if (old.front() != '\1') continue;
    seen = true;
    EXPECT_EQ(decrypt_secret(base64_encode(old), kKeys)->reveal(), "s");
  }
  EXPECT_TRUE(seen);
}

TEST(EncryptedSecretTest, the_previous_key_still_opens_and_never_closes) {
  const DataKeys rotated{Secret(counting(7)), kKeys.current};
  EXPECT_EQ(decrypt_secret(kLayout1, rotated)->reveal(), "fc_example");
  const std::string reference = encrypt_secret(Secret("new"), rotated);
  EXPECT_FALSE(decrypt_secret(*encrypted_part(reference), kKeys)) << "written under the current key";
}

TEST(EncryptedSecretTest, a_changed_byte_anywhere_is_noticed) {
  const std::string blob = *base64_decode(kLayout1);
  for (std::size_t i = 0; i < blob.size(); ++i) {
    std::string changed = blob;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(decrypt_secret(base64_encode(changed), kKeys)) << i;
  }
}

TEST(EncryptedSecretTest, what_cannot_be_one_is_refused_without_repeating_it) {
  for (const std::string& text :
       {std::string(), std::string("QUJD"), std::string("not base64"), base64_encode(std::string(27, 'x')),
        base64_encode(std::string(200'000, 'x'))}) {
    const auto refused = decrypt_secret(text, kKeys);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
    if (!text.empty()) {
      EXPECT_THAT(refused.error().message, Not(HasSubstr(text)));
    }
  }
}

class SecretVaultTest : public testing::Test {
 protected:
  std::string key_ref(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name) << content;
    return "file://" + (folder_ / name);
  }
  test::TempFolder folder_;
  std::string key_file_ = folder_ / "data.key";
};

TEST_F(SecretVaultTest, makes_a_key_file_for_its_owner_only_when_it_is_first_needed) {
  const auto vault = make_secret_source({.key_ref = "", .previous_ref = "", .key_file = key_file_});
  EXPECT_FALSE(vault->resolve("encrypted://" + std::string(kLayout1)));
  struct stat info {};
  EXPECT_NE(::stat(key_file_.c_str(), &info), 0) << "reading makes none";
  const auto reference = vault->encrypt(Secret("hunter2"));
  ASSERT_TRUE(reference) << reference.error().message;
  ASSERT_EQ(::stat(key_file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  EXPECT_EQ(
      std::distance(std::filesystem::directory_iterator(std::filesystem::path(key_file_).parent_path()), {}),
      1)
      << "no draft is left";
  EXPECT_EQ(make_secret_source({"", "", key_file_})->resolve(*reference)->reveal(), "hunter2")
      << "another process reads it";
  EXPECT_EQ(vault->resolve("encrypted:" + reference->substr(12))->reveal(), "hunter2") << "the short scheme";
}

TEST_F(SecretVaultTest, two_that_make_the_key_file_at_once_share_one_key) {
  std::vector<std::string> references(8);
  {
    std::vector<std::jthread> threads;
    for (std::string& reference : references)
      threads.emplace_back([&] {
        reference = *make_secret_source({"", "", key_file_})->encrypt(Secret("s"));
      });
  }
  const auto vault = make_secret_source({"", "", key_file_});
  for (const std::string& reference : references)
    EXPECT_EQ(vault->resolve(reference)->reveal(), "s");
}

TEST_F(SecretVaultTest, takes_the_key_by_reference_and_sees_a_rotation) {
  const std::string first = key_ref("first", base64_encode(counting(0)) + "\n");
  const auto vault = make_secret_source({first, "", key_file_});
  EXPECT_EQ(vault->resolve("encrypted://" + std::string(kLayout1))->reveal(), "fc_example");
  const std::string second = key_ref("second", base64_encode(counting(9)));
  const auto rotated = make_secret_source({second, first, key_file_});
  EXPECT_EQ(rotated->resolve("encrypted://" + std::string(kLayout1))->reveal(), "fc_example");
  EXPECT_FALSE(make_secret_source({second, "", key_file_})->resolve("encrypted://" + std::string(kLayout1)));
  key_ref("second", base64_encode(counting(0)));
  EXPECT_TRUE(make_secret_source({second, "", ""})->resolve("encrypted://" + std::string(kLayout1)));
}

TEST_F(SecretVaultTest, a_bad_data_key_is_named_and_not_shown) {
  for (const std::string& content :
       {std::string("c2hvcnQ="), std::string("hunter2hunter2hunter2"), std::string()}) {
    const DataKeyOptions options{key_ref("bad", content), "", ""};
    const auto checked = check_data_keys(options, *make_secret_source());
    ASSERT_FALSE(checked);
    EXPECT_THAT(checked.error().message, HasSubstr("EILBOTE_DATA_KEY_REF"));
    EXPECT_FALSE(make_secret_source(options)->encrypt(Secret("s")));
    if (!content.empty()) {
      EXPECT_THAT(checked.error().message, Not(HasSubstr(content)));
    }
  }
  const auto previous = check_data_keys({"", key_ref("bad", "x"), key_file_}, *make_secret_source());
  ASSERT_FALSE(previous);
  EXPECT_THAT(previous.error().message, HasSubstr("EILBOTE_DATA_KEY_PREVIOUS_REF"));
  EXPECT_TRUE(check_data_keys({"", "", key_file_}, *make_secret_source()))
      << "a key file is made when it is needed";
}

TEST_F(SecretVaultTest, without_a_data_key_nothing_is_encrypted_or_opened) {
  EXPECT_FALSE(make_secret_source()->encrypt(Secret("s")));
  const auto opened = make_secret_source()->resolve("encrypted://" + std::string(kLayout1));
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, Not(HasSubstr(kLayout1)));
}

TEST_F(SecretVaultTest, a_store_that_is_not_configured_is_named) {
  const auto vault = make_secret_source()->resolve("vault://kv/token#value");
  ASSERT_FALSE(vault);
  EXPECT_EQ(vault.error().kind, ErrorKind::invalid);
  EXPECT_THAT(vault.error().message, HasSubstr("EILBOTE_VAULT_ADDR"));
}

TEST_F(SecretVaultTest, a_scheme_that_is_not_allowed_is_not_asked) {
  setenv("EILBOTE_TEST_SECRET", "hunter2", 1);
  SecretOptions options;
  options.schemes = {SecretScheme::vault};
  options.data_key = {"", "", key_file_};
  const auto secrets = open_secrets(options);
  const auto refused = secrets->resolve("env://EILBOTE_TEST_SECRET");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("EILBOTE_SECRET_SCHEMES"));
  unsetenv("EILBOTE_TEST_SECRET");
}

TEST_F(SecretVaultTest, a_secret_moves_to_the_current_key) {
  const std::string first = key_ref("first", base64_encode(counting(1))),
                    second = key_ref("second", base64_encode(counting(2)));
  const auto reference = *make_secret_source({first, "", ""})->encrypt(Secret("hunter2"));
  const auto both = make_secret_source({second, first, ""});
  const std::string moved = *both->under_current_key(reference);
  EXPECT_NE(moved, reference);
  EXPECT_EQ(*both->under_current_key(moved), moved) << "once is enough";
  EXPECT_EQ(make_secret_source({second, "", ""})->resolve(moved)->reveal(), "hunter2");
  EXPECT_EQ(*both->under_current_key("env://X"), "env://X");
}

}  // namespace
}  // namespace eilbote::encrypted_secret_test
