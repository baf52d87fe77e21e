#include "app/sealing.h"

#include "app/options.h"
#include "secrets/content_cipher.h"

namespace eilbote {
namespace {

// Without a current key nothing is sealed, but what others seal is opened, or at least known for what it is: instances of one
// database are not restarted all at once.
Result<DataKeys> content_keys(const Config& config, SecretSource& secrets) {
  DataKeyOptions options = secret_options(config).data_key;
  if (!options.key_ref.empty()) return read_data_keys(options, secrets);
  if (options.previous_ref.empty()) return DataKeys{};
  options.key_ref = std::exchange(options.previous_ref, "");
  auto keys = read_data_keys(options, secrets);
  if (keys) std::swap(keys->current, keys->previous);
  return keys;
}

}  // namespace

Result<std::unique_ptr<ContentCipher>> content_cipher(const Config& config, SecretSource& secrets,
                                                      ContentRows& contents) {
  const auto used = contents.key_ids();
  if (!used) return fail(used.error().with_context("data keys in use"));
  const auto keys = content_keys(config, secrets);
  if (!keys) return fail(keys.error());
  auto cipher = make_content_cipher(*keys);
  if (!cipher->seals() && keys->previous.empty() && !used->empty())
    return fail(
        ErrorKind::invalid,
        "EILBOTE_DATA_KEY_REF: is not set, but contents in the database are encrypted under a data key; "
        "say where it is");
  for (const std::string& id : *used)
    if (!cipher->knows(id))
      return fail(ErrorKind::invalid,
                  "EILBOTE_DATA_KEY_REF: contents in the database are encrypted under another key (id " + id +
                      "); give that one as EILBOTE_DATA_KEY_PREVIOUS_REF, and run `eilbote rekey`");
  if (!cipher->seals()) return cipher;
  if (auto added = contents.add_key_id(cipher->key_id()); !added) return fail(added.error());
  return cipher;
}

}  // namespace eilbote
