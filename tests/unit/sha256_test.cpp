// Digests against published vectors (FIPS 180-2) and the properties the 64-bit hash is used for.
#include "base/sha256.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace eilbote::sha256_test {
namespace {

std::string hex(const Sha256& digest) {
  std::string out;
  for (const auto byte : digest)
    out += fmt::format("{:02x}", byte);
  return out;
}

TEST(Sha256, matches_the_published_vectors) {
  const struct {
    const char* name;
    std::string input, want;
  } cases[] = {
      {"empty", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"one block", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"a million", std::string(1'000'000, 'a'),
       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(hex(sha256(c.input)), c.want) << c.name;
}

TEST(Hash64, tells_parts_apart) {
  const std::set<std::int64_t> hashes{
      hash64({}),      hash64({""}),    hash64({"", ""}),        hash64({"ab", "c"}), hash64({"a", "bc"}),
      hash64({"abc"}), hash64({"1:a"}), hash64({"a", "b", "c"}), hash64({"c", "ab"}), hash64({"2:ab1:c"})};
  EXPECT_EQ(hashes.size(), 10U);
}

TEST(Hash64, never_changes_between_releases) {
  // Stored in indexes: a new value here needs a migration.
  EXPECT_EQ(hash64({"a", "b"}), [] {
    const Sha256 digest = sha256("1:a1:b");
    std::uint64_t bits = 0;
    for (int i = 7; i >= 0; --i)
      bits = bits << 8 | digest[static_cast<std::size_t>(i)];
    return static_cast<std::int64_t>(bits);
  }());
}

}  // namespace
}  // namespace eilbote::sha256_test
