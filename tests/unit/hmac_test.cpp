// HMAC-SHA256 against RFC 4231.
#include "base/hmac.h"

#include <gtest/gtest.h>
#include <openssl/hmac.h>

#include "base/hex.h"

namespace eilbote::hmac_test {
namespace {

TEST(Hmac, matches_the_vectors_of_rfc_4231) {
  EXPECT_EQ(to_hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      to_hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  // A key of exactly a block, against OpenSSL's own.
  const std::string block(64, 'k'), message(1000, 'm');
  Sha256 expected;
  HMAC(EVP_sha256(), block.data(), 64, reinterpret_cast<const unsigned char*>(message.data()), message.size(),
       expected.data(), nullptr);
  EXPECT_EQ(hmac_sha256(block, message), expected);
  EXPECT_EQ(to_hex(hmac_sha256("", "")), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

}  // namespace
}  // namespace eilbote::hmac_test
