#include "base/secret.h"

#include <openssl/crypto.h>

namespace eilbote {

void wipe(std::string& text) {
  text.resize(text.capacity());  // a text that was shortened, or moved away, left more behind than it shows
  OPENSSL_cleanse(text.data(), text.size());
  text.clear();
}

bool Secret::is_same_as(const Secret& other) const {
  return text_.size() == other.text_.size() &&
         CRYPTO_memcmp(text_.data(), other.text_.data(), text_.size()) == 0;
}

}  // namespace eilbote
