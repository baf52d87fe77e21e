// Forged and wrong tokens, each with the reason it must be refused for. Used against the pure check and against a running
// server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/token_maker.h"

namespace eilbote::test {

// An issuer's keys, and somebody else's with the same kids. Made once in a while: RSA keys take their time.
struct IssuerKeys {
  SigningKey rsa = SigningKey::rsa("r1"), ec = SigningKey::ec("e1"), ed = SigningKey::ed25519("d1");
  SigningKey other_rsa = SigningKey::rsa("r1"), other_ec = SigningKey::ec("e1");

  std::vector<std::string> jwks() const { return {rsa.jwk(), ec.jwk(), ed.jwk()}; }
};

struct Forged {
  const char* what;
  std::string token;
  const char* fault;  // the name of the TokenFault
};

// What the tokens say when they do not lie.
struct TokenWords {
  std::string issuer, audience;
  std::int64_t now;
};

std::vector<Forged> forged_tokens(const IssuerKeys& keys, const TokenWords& words);

}  // namespace eilbote::test
