// References to secrets: which texts are some, by which names, and what is in them. And the Secret they lead to.
#include "domain/secret_reference.h"

#include <gtest/gtest.h>

#include "base/secret.h"

namespace eilbote::secret_reference_test {
namespace {

TEST(SecretReference, knows_every_scheme_and_its_other_names) {
  struct Case {
    const char* text;
    SecretScheme scheme;
    const char* place;
  };
  for (const Case& one :
       {Case{"env://NAME", SecretScheme::env, "NAME"},
        {"file:///etc/key", SecretScheme::file, "/etc/key"},
        {"systemd://relay-password", SecretScheme::systemd, "relay-password"},
        {"encrypted://QUJD", SecretScheme::encrypted, "QUJD"},
        {"encrypted:QUJD", SecretScheme::encrypted, "QUJD"},
        {"vault://mail/relay#password", SecretScheme::vault, "mail/relay#password"},
        {"aws-secretsmanager://a", SecretScheme::aws_secretsmanager, "a"},
        {"aws-sm://a", SecretScheme::aws_secretsmanager, "a"},
        {"aws-ssm:///a/b", SecretScheme::aws_ssm, "/a/b"},
        {"aws-ps://a", SecretScheme::aws_ssm, "a"},
        {"gcp-secretmanager://projects/x/secrets/y", SecretScheme::gcp_secretmanager, "projects/x/secrets/y"},
        {"gcp-sm://projects/x/secrets/y", SecretScheme::gcp_secretmanager, "projects/x/secrets/y"}}) {
    const auto read = read_secret_reference(one.text);
    ASSERT_TRUE(read) << one.text;
    EXPECT_EQ(read->scheme, one.scheme) << one.text;
    EXPECT_EQ(read->place, one.place) << one.text;
    EXPECT_EQ(is_remote_secret(one.text), one.scheme >= SecretScheme::vault) << one.text;
  }
}

TEST(SecretReference, takes_nothing_else_for_one) {
  for (const char* text : {"", "hunter2", "env://", "systemd://", "vault://", "https://example.org/",
                           "literal:hunter2", "encrypt:hunter2", "ENV://NAME", "env:NAME", "encrypted:"})
    EXPECT_FALSE(read_secret_reference(text)) << text;
}

TEST(SecretReference, the_forms_are_told_for_one_home_or_for_all) {
  EXPECT_EQ(secret_reference_forms(SecretHome::machine), "env://NAME, file://PATH or systemd://NAME");
  EXPECT_EQ(secret_reference_forms(SecretHome::reference), "encrypted://BASE64");
  EXPECT_EQ(secret_reference_forms(),
            "env://NAME, file://PATH, systemd://NAME, encrypted://BASE64, vault://PATH#KEY, "
            "aws-secretsmanager://NAME, aws-ssm://NAME or gcp-secretmanager://projects/X/secrets/Y");
}

TEST(SecretReference, a_place_has_a_path_a_version_and_a_key) {
  const auto all = read_secret_place("a/b?version=7#key");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->path, "a/b");
  EXPECT_EQ(all->version, "7");
  EXPECT_EQ(all->key, "key");
  EXPECT_EQ(read_secret_place("a")->key, "");
  EXPECT_EQ(read_secret_place("a#/key")->key, "key");
  for (const char* text : {"#key", "a#", "a?b=1", "a?version=", "a?version=1&x=2", "a b", "\xC3\xA4"})
    EXPECT_FALSE(read_secret_place(text)) << text;
}

TEST(SecretSchemes, allow_all_unless_some_are_named) {
  EXPECT_TRUE(is_allowed({}, SecretScheme::env));
  EXPECT_TRUE(is_allowed({SecretScheme::vault}, SecretScheme::vault));
  EXPECT_FALSE(is_allowed({SecretScheme::vault}, SecretScheme::env));
}

TEST(Secret, is_compared_by_its_whole_text) {
  EXPECT_TRUE(Secret("hunter2").is_same_as(Secret("hunter2")));
  EXPECT_FALSE(Secret("hunter2").is_same_as(Secret("hunter3")));
  EXPECT_FALSE(Secret("hunter2").is_same_as(Secret("hunter")));
  EXPECT_TRUE(Secret().is_same_as(Secret()));
}

TEST(Secret, leaves_nothing_behind_where_it_was) {
  Secret from("hunter2");
  const char* const where = from.reveal().data();
  const Secret to(std::move(from));
  EXPECT_EQ(to.reveal(), "hunter2");
  EXPECT_NE(std::string_view(where, 7), "hunter2");  // a short text lies in the object itself
  std::string text = "hunter2";
  const char* const lay = text.data();
  wipe(text);
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(std::string_view(lay, 7), std::string_view("\0\0\0\0\0\0\0", 7));
  Secret copy = to;
  copy = Secret("other");
  EXPECT_EQ(copy.reveal(), "other");
  EXPECT_EQ(to.reveal(), "hunter2");
}

}  // namespace
}  // namespace eilbote::secret_reference_test
