#include "secrets/content_cipher.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/hex.h"
#include "base/hmac.h"
#include "base/secure_random.h"

namespace eilbote {
namespace {

// A text that begins with it and the base64 of it was sealed.
constexpr char kMark = kSealMark;
constexpr std::size_t kIdBytes = 5;  // with the mark six, so that its base64 ends with it
constexpr std::size_t kHeadBytes = 1 + kIdBytes;

// From the key, in one direction only.
std::string id_of(const Secret& key) {
  const Sha256 digest = hmac_sha256(key.reveal(), "eilbote data key id");
  return {reinterpret_cast<const char*>(digest.data()), kIdBytes};
}

std::string bound_to(JobId row, ContentPart part) {
  return fmt::format("{}:{}", static_cast<char>(part), row.value());
}

class Cipher final : public ContentCipher {
 public:
  explicit Cipher(DataKeys keys)
      : keys_(std::move(keys)),
        current_(keys_.current.empty() ? "" : id_of(keys_.current)),
        previous_(keys_.previous.empty() ? "" : id_of(keys_.previous)) {}

  bool seals() const override { return !current_.empty(); }

  std::string seal(JobId row, ContentPart part, std::string_view content) const override {
    if (!seals()) return std::string(content);
    const std::string nonce = secure_bytes(kNonceBytes);
    return kMark + current_ + nonce + aead_seal(content, keys_.current, nonce, bound_to(row, part));
  }

  std::optional<std::string> open(JobId row, ContentPart part, std::string_view stored) const override {
    if (!stored.starts_with(kMark)) return std::string(stored);
    if (stored.size() < kHeadBytes + kNonceBytes) return std::nullopt;
    const std::string_view id = stored.substr(1, kIdBytes);
    const Secret& key = id == current_ ? keys_.current : keys_.previous;
    if (id != current_ && id != previous_) return std::nullopt;
    return aead_open(stored.substr(kHeadBytes + kNonceBytes), key, stored.substr(kHeadBytes, kNonceBytes),
                     bound_to(row, part));
  }

  std::string seal_text(JobId row, ContentPart part, std::string_view content) const override {
    if (!seals()) return std::string(content);
    return kMark + base64_encode(seal(row, part, content));
  }

  std::optional<std::string> open_text(JobId row, ContentPart part, std::string_view stored) const override {
    if (!stored.starts_with(kMark)) return std::string(stored);
    const auto sealed = base64_decode(stored.substr(1));
    // What only looks sealed was written before there was a key.
    if (!sealed || !sealed->starts_with(kMark)) return std::string(stored);
    return open(row, part, *sealed);
  }

  std::string key_id() const override { return to_hex(current_); }
  bool knows(std::string_view id) const override {
    return (seals() && id == to_hex(current_)) || (!previous_.empty() && id == to_hex(previous_));
  }
  std::string head_in_hex(ContentPart part) const override {
    const std::string head = kMark + current_;
    return to_hex(part == ContentPart::mime ? head : kMark + base64_encode(head));
  }

 private:
  const DataKeys keys_;
  const std::string current_, previous_;
};

}  // namespace

std::unique_ptr<ContentCipher> make_content_cipher(DataKeys keys) {
  return std::make_unique<Cipher>(std::move(keys));
}

}  // namespace eilbote
