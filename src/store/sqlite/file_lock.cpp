#include "store/sqlite/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace eilbote::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnerOnly = 0600;

Error file_error(const std::string& doing, const std::string& file, int code) {
  return Error{ErrorKind::unavailable, doing + " " + file + ": " + std::strerror(code)};
}

// What was made in a folder survives a power cut once the folder is synced. SQLite does it for the folder of the file, and
// knows nothing of those above.
Result<void> sync_folder(const fs::path& folder) {
  const std::string path = folder.empty() ? "." : folder.string();
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // One that may not be read cannot be synced; the file in it can still be used.
  if (descriptor < 0) return {};
  const int code = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  ::close(descriptor);
  if (code != 0) return fail(file_error("sync folder", path, code));
  return {};
}

// Each missing folder on the way, mode 0700; existing ones keep theirs.
Result<void> make_folders(const fs::path& folder) {
  if (folder.empty() || fs::exists(folder)) return {};
  if (Result<void> above = make_folders(folder.parent_path()); !above) return above;
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return fail(file_error("make folder", folder.string(), errno));
  return sync_folder(folder.parent_path());
}

std::string holder_of(int descriptor) {
  char text[32] = {};
  const ssize_t length = ::pread(descriptor, text, sizeof text - 1, 0);
  return length > 0 ? " (process " + std::string(text, static_cast<std::size_t>(length)) + ")" : "";
}

}  // namespace

Result<std::unique_ptr<FileLock>> FileLock::take(const std::string& file) {
  const std::string path = file + ".lock";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (descriptor < 0) return fail(file_error("open", path, errno));
  std::unique_ptr<FileLock> lock(new FileLock(descriptor));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail(file_error("lock", path, errno));
    return fail(ErrorKind::conflict,
                "another eilbote" + holder_of(descriptor) + " is using " + file +
                    "; an SQLite file is used by one at a time: stop that one first, or use PostgreSQL");
  }
  // For people and for the message above; the lock itself is the kernel's.
  const std::string process = std::to_string(::getpid());
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, process.data(), process.size(), 0) != static_cast<ssize_t>(process.size()))
    return fail(file_error("write", path, errno));
  return lock;
}

FileLock::~FileLock() {
  ::close(descriptor_);
}

Result<void> make_file(const std::string& file) {
  if (Result<void> folders = make_folders(fs::path(file).parent_path()); !folders) return folders;
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (descriptor < 0) return fail(file_error("open", file, errno));
  ::close(descriptor);
  return {};
}

}  // namespace eilbote::sqlite
