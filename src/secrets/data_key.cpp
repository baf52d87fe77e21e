#include "secrets/data_key.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/base64.h"
#include "base/hex.h"
#include "base/log.h"
#include "base/secure_random.h"

namespace eilbote {
namespace {

Result<Secret> key_of(const std::string& reference, const char* option, SecretSource& references) {
  auto text = references.resolve(reference);
  if (!text) return fail(text.error().with_context(option));
  Result<Secret> key = Secret(base64_decode(text->reveal()).value_or(std::string()));
  if (key->reveal().size() != kDataKeyBytes)
    key = fail(ErrorKind::invalid,
               std::string(option) + ": must be the base64 of 32 bytes, as `openssl rand -base64 32` prints");
  return key;
}

Error trouble(const std::string& path) {
  return Error{ErrorKind::unavailable, "data key file " + path + ": " + std::strerror(errno)};
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file) == 0;
}

void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

// Written whole under another name, then linked: the link fails when somebody else was first, and then theirs counts.
// On disk before anything is encrypted with it.
Result<void> make_key_file(const std::string& path) {
  const std::string draft = path + "." + std::to_string(::getpid()) + "." + secure_text(8, kLowerHex);
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return fail(trouble(draft));
  const bool written = write_all(file, base64_encode(secure_bytes(kDataKeyBytes)) + "\n");
  ::close(file);
  const bool linked = written && ::link(draft.c_str(), path.c_str()) == 0;
  const int error = errno;
  ::unlink(draft.c_str());
  errno = error;
  if (!written || (!linked && error != EEXIST)) return fail(trouble(path));
  sync_folder_of(path);
  if (linked)
    log::warning(
        "made a data key file; without it the secrets in the database cannot be read, so keep a copy, and "
        "give instances that share a database the same key by EILBOTE_DATA_KEY_REF",
        {{"file", path}});
  return {};
}

}  // namespace

Result<DataKeys> read_data_keys(const DataKeyOptions& options, SecretSource& references) {
  if (options.key_ref.empty() && options.key_file.empty())
    return fail(ErrorKind::invalid, "there is no data key; set EILBOTE_DATA_KEY_REF");
  DataKeys keys;
  auto current = options.key_ref.empty()
                     ? key_of("file://" + options.key_file,
                              "data key file (restore it, or set EILBOTE_DATA_KEY_REF)", references)
                     : key_of(options.key_ref, "EILBOTE_DATA_KEY_REF", references);
  if (!current) return fail(current.error());
  keys.current = std::move(*current);
  if (!options.previous_ref.empty()) {
    auto previous = key_of(options.previous_ref, "EILBOTE_DATA_KEY_PREVIOUS_REF", references);
    if (!previous) return fail(previous.error());
    keys.previous = std::move(*previous);
  }
  return keys;
}

Result<void> check_data_keys(const DataKeyOptions& options, SecretSource& references) {
  for (const auto& [reference, option] : {std::pair(&options.key_ref, "EILBOTE_DATA_KEY_REF"),
                                          std::pair(&options.previous_ref, "EILBOTE_DATA_KEY_PREVIOUS_REF")})
    if (!reference->empty())
      if (const auto key = key_of(*reference, option, references); !key) return fail(key.error());
  return {};
}

Result<DataKeys> read_or_make_data_keys(const DataKeyOptions& options, SecretSource& references) {
  if (options.key_ref.empty() && !options.key_file.empty() && ::access(options.key_file.c_str(), F_OK) != 0)
    if (auto made = make_key_file(options.key_file); !made) return fail(made.error());
  return read_data_keys(options, references);
}

}  // namespace eilbote
