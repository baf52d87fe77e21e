// Copies a SQLite file while a server writes to it: SQLite's own backup, from one snapshot. Called by store/backup.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

constexpr int kPagesPerStep = 1024;
constexpr int kCopyMode = 0600;  // as the file itself: mails are private

tl::unexpected<Error> copy_fault(const std::string& file, const std::string& why) {
  return fail(ErrorKind::unavailable, file + ": " + why);
}

// A file that was not there before; gone again unless it is kept.
class PartialFile {
 public:
  static Result<std::unique_ptr<PartialFile>> make(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kCopyMode);
    if (descriptor < 0 && errno == EEXIST)
      return fail(ErrorKind::conflict,
                  path + ": is there: another backup writes it, or one was cut short; remove it then");
    if (descriptor < 0) return copy_fault(path, std::strerror(errno));
    ::close(descriptor);
    return std::unique_ptr<PartialFile>(new PartialFile(path));
  }
  ~PartialFile() {
    for (const char* tail : {"", "-wal", "-shm", "-journal"})
      ::unlink((path_ + tail).c_str());
  }
  const std::string& path() const { return path_; }

 private:
  explicit PartialFile(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

Result<void> sync(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return copy_fault(path, std::strerror(errno));
  const bool done = ::fsync(descriptor) == 0;
  const int error = errno;
  ::close(descriptor);
  return done ? Result<void>() : copy_fault(path, std::strerror(error));
}

// The source is read in one transaction: in steps of its own, SQLite would begin anew whenever the server has committed.
Result<void> copy(Database& from, Database& to, const std::function<void(const BackupProgress&)>& tell) {
  from.run(q::begin_read).done();
  const bool has_snapshot = from.run(q::find_migrations).row();
  if (from.failed()) return fail(from.take_error());
  if (!has_snapshot) return fail(ErrorKind::invalid, "it is no database of Eilbote's");
  const std::unique_ptr<sqlite3_backup, decltype(&sqlite3_backup_finish)> backup(
      sqlite3_backup_init(to.handle(), "main", from.handle(), "main"), &sqlite3_backup_finish);
  if (!backup) return fail(ErrorKind::unavailable, sqlite3_errmsg(to.handle()));
  int code = SQLITE_OK;
  while (code == SQLITE_OK) {
    code = sqlite3_backup_step(backup.get(), kPagesPerStep);
    const double pages = std::max(1, sqlite3_backup_pagecount(backup.get()));
    tell({1 - sqlite3_backup_remaining(backup.get()) / pages, 0});
  }
  if (code != SQLITE_DONE) return fail(kind_of(code), sqlite3_errstr(code));
  return {};
}

// Through a new connection, as whoever restores it will.
Result<void> verify_copy(const std::string& path) {
  auto database = Database::open(path);
  if (!database) return fail(database.error());
  Run run = (*database)->run(q::quick_check);
  const std::string said = run.row() ? std::string(run.text(0)) : "it cannot be read";
  if ((*database)->failed()) return fail((*database)->take_error());
  if (said != "ok") return fail(ErrorKind::internal, "the copy is damaged: " + said);
  return {};
}

}  // namespace

Result<BackupProgress> back_up(const StoreOptions& options, const std::string& file,
                               const std::function<void(const BackupProgress&)>& tell) {
  const auto source = path_of(options);
  if (!source) return fail(source.error());
  std::error_code unknown;
  if (!std::filesystem::exists(*source, unknown))
    return fail(ErrorKind::not_found,
                *source + ": is not there; EILBOTE_STORE_URL or EILBOTE_DATA_DIR names another");
  if (std::filesystem::exists(file, unknown))
    return fail(ErrorKind::conflict, file + ": is there already, and is not overwritten");
  const auto part = PartialFile::make(file + ".part");
  if (!part) return fail(part.error());
  const std::string& path = (*part)->path();
  {
    auto from = Database::open(*source);
    if (!from) return fail(from.error());
    auto to = Database::open(path);
    if (!to) return fail(to.error());
    (*from)->script(q::open_reader);
    if (auto copied = copy(**from, **to, tell); !copied)
      return fail(copied.error().with_context("copying " + *source));
  }
  if (auto good = verify_copy(path); !good) return fail(good.error().with_context(path));
  if (auto synced = sync(path); !synced) return fail(synced.error());
  std::error_code failed;
  std::filesystem::rename(path, file, failed);
  if (failed) return copy_fault(file, failed.message());
  if (auto synced = sync(std::filesystem::absolute(file).parent_path().native()); !synced)
    return fail(synced.error());
  return BackupProgress{1, static_cast<std::int64_t>(std::filesystem::file_size(file, unknown))};
}

}  // namespace eilbote::sqlite
