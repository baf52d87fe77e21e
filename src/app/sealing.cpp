#include "app/sealing.h"

#include "app/secret_options.h"
#include "secrets/content_cipher.h"

namespace eilbote {

Result<std::unique_ptr<ContentCipher>> content_cipher(const Config& config, SecretSource& secrets,
                                                      ContentRows& contents) {
  const auto used = contents.key_ids();
  if (!used) return fail(used.error().with_context("data keys in use"));
  if (config.data_key_ref.empty()) {
    if (used->empty()) return nullptr;
    return fail(
        ErrorKind::invalid,
        "EILBOTE_DATA_KEY_REF: is not set, but contents in the database are encrypted under a data key; "
        "say where it is");
  }
  auto keys = read_data_keys(secret_options(config).data_key, secrets);
  if (!keys) return fail(keys.error());
  auto cipher = make_content_cipher(std::move(*keys));
  for (const std::string& id : *used)
    if (!cipher->knows(id))
      return fail(ErrorKind::invalid,
                  "EILBOTE_DATA_KEY_REF: contents in the database are encrypted under another key (id " + id +
                      "); give that one as EILBOTE_DATA_KEY_PREVIOUS_REF, and run `eilbote rekey`");
  if (auto added = contents.add_key_id(cipher->key_id()); !added) return fail(added.error());
  return cipher;
}

}  // namespace eilbote
