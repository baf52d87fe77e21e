#include "support/faulty_vfs.h"

#include <functional>
#include <new>
#include <string_view>
#include <utility>

namespace eilbote::test {
namespace {

sqlite3_vfs* real_vfs = nullptr;
int (*real_open)(sqlite3_vfs*, sqlite3_filename, sqlite3_file*, int, int*) = nullptr;
int (*real_remove)(sqlite3_vfs*, const char*, int) = nullptr;

// The real file lies behind this one, in the same piece of memory that SQLite gives.
struct File {
  sqlite3_file base;
  FaultyVfs* faults;
  int kind;  // SQLITE_OPEN_MAIN_DB, SQLITE_OPEN_WAL, SQLITE_OPEN_MAIN_JOURNAL or another
  bool was_synced;
};

sqlite3_file* behind(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(File));
}

const sqlite3_io_methods* real(sqlite3_file* file) {
  return behind(file)->pMethods;
}

int write_fault(sqlite3_file* file) {
  const File* self = reinterpret_cast<File*>(file);
  if (self->kind == SQLITE_OPEN_WAL) return self->faults->wal_write;
  return self->kind == SQLITE_OPEN_MAIN_DB ? self->faults->database_write.load() : SQLITE_OK;
}

std::optional<DiskFile> disk_file(int kind) {
  switch (kind) {
    case SQLITE_OPEN_MAIN_DB:
      return DiskFile::database;
    case SQLITE_OPEN_WAL:
      return DiskFile::wal;
    case SQLITE_OPEN_MAIN_JOURNAL:
      return DiskFile::journal;
    default:
      return std::nullopt;
  }
}

// Does it, and has the log note it where there is one.
int noted(FaultyVfs* faults, std::optional<DiskFile> which, const std::function<DiskEvent()>& event,
          const std::function<int()>& act) {
  DiskLog* log = faults->log;
  if (log == nullptr || !which) return act();
  DiskEvent what = event();
  what.file = *which;
  return log->note(std::move(what), act);
}
int noted(sqlite3_file* file, const std::function<DiskEvent()>& event, const std::function<int()>& act) {
  const File* self = reinterpret_cast<File*>(file);
  return noted(self->faults, disk_file(self->kind), event, act);
}

int close(sqlite3_file* file) {
  return real(file)->xClose(behind(file));
}
int read(sqlite3_file* file, void* data, int n, sqlite3_int64 at) {
  return real(file)->xRead(behind(file), data, n, at);
}
int write(sqlite3_file* file, const void* data, int n, sqlite3_int64 at) {
  const int fault = write_fault(file);
  if (fault != SQLITE_OK) return fault;
  return noted(
      file,
      [&] {
        return DiskEvent{.kind = DiskEvent::Kind::write,
                         .at = static_cast<std::size_t>(at),
                         .bytes = std::string(static_cast<const char*>(data), static_cast<std::size_t>(n))};
      },
      [&] { return real(file)->xWrite(behind(file), data, n, at); });
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  return noted(
      file,
      [&] {
        return DiskEvent{
            .kind = DiskEvent::Kind::truncate, .at = static_cast<std::size_t>(size), .bytes = {}};
      },
      [&] { return real(file)->xTruncate(behind(file), size); });
}
// The whole file, as it is now.
std::optional<std::string> read_all(sqlite3_file* file) {
  sqlite3_int64 size = 0;
  if (real(file)->xFileSize(behind(file), &size) != SQLITE_OK) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (size > 0 && real(file)->xRead(behind(file), bytes.data(), static_cast<int>(size), 0) != SQLITE_OK)
    return std::nullopt;
  return bytes;
}
// With the first sync of a journal or WAL it opened, SQLite syncs their folder, too.
int note_folder(File* self) {
  const bool was_synced = std::exchange(self->was_synced, true);
  if (was_synced || self->kind == SQLITE_OPEN_MAIN_DB) return SQLITE_OK;
  return noted(
      &self->base, [] { return DiskEvent{.kind = DiskEvent::Kind::sync_folder, .bytes = {}}; },
      [] { return SQLITE_OK; });
}
int sync(sqlite3_file* file, int flags) {
  File* self = reinterpret_cast<File*>(file);
  if (self->kind == SQLITE_OPEN_WAL && self->faults->wal_sync != SQLITE_OK) return self->faults->wal_sync;
  if (self->kind == SQLITE_OPEN_WAL && self->faults->wal_sync_lies) return SQLITE_OK;
  const int code = noted(
      file, [] { return DiskEvent{.kind = DiskEvent::Kind::sync, .bytes = {}}; },
      [&] { return self->faults->skips_syncs ? SQLITE_OK : real(file)->xSync(behind(file), flags); });
  if (code != SQLITE_OK) return code;
  if (self->faults->keeps_synced) self->faults->keep_synced(self->kind, [file] { return read_all(file); });
  return note_folder(self);
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->xFileSize(behind(file), size);
}
int lock(sqlite3_file* file, int level) {
  return real(file)->xLock(behind(file), level);
}
int unlock(sqlite3_file* file, int level) {
  return real(file)->xUnlock(behind(file), level);
}
int check_reserved(sqlite3_file* file, int* answer) {
  return real(file)->xCheckReservedLock(behind(file), answer);
}
int control(sqlite3_file* file, int what, void* argument) {
  return real(file)->xFileControl(behind(file), what, argument);
}
int sector_size(sqlite3_file* file) {
  return real(file)->xSectorSize(behind(file));
}
int characteristics(sqlite3_file* file) {
  return real(file)->xDeviceCharacteristics(behind(file));
}
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
  return real(file)->xShmMap(behind(file), page, size, extend, memory);
}
int shm_lock(sqlite3_file* file, int offset, int n, int flags) {
  return real(file)->xShmLock(behind(file), offset, n, flags);
}
void shm_barrier(sqlite3_file* file) {
  real(file)->xShmBarrier(behind(file));
}
int shm_unmap(sqlite3_file* file, int remove) {
  return real(file)->xShmUnmap(behind(file), remove);
}

// Version 2: with shared memory, without memory-mapped reads.
const sqlite3_io_methods kMethods{
    2,         close,          read,    write,       truncate,        sync,    file_size, lock,
    unlock,    check_reserved, control, sector_size, characteristics, shm_map, shm_lock,  shm_barrier,
    shm_unmap, nullptr,        nullptr};

int open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* flags_out) {
  File* self = new (file) File{};
  const int code = real_open(real_vfs, name, behind(file), flags, flags_out);
  if (real(file) == nullptr) return code;
  self->base.pMethods = &kMethods;
  self->faults = static_cast<FaultyVfs*>(vfs->pAppData);
  self->kind = flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL);
  return code;
}

std::optional<DiskFile> removed_file(std::string_view name) {
  if (name.ends_with("-wal")) return DiskFile::wal;
  if (name.ends_with("-journal")) return DiskFile::journal;
  return std::nullopt;
}
int remove(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  FaultyVfs* faults = static_cast<FaultyVfs*>(vfs->pAppData);
  const int code = noted(
      faults, removed_file(name), [] { return DiskEvent{.kind = DiskEvent::Kind::remove, .bytes = {}}; },
      [&] { return real_remove(real_vfs, name, sync_folder); });
  if (code != SQLITE_OK || sync_folder == 0) return code;
  return noted(
      faults, removed_file(name), [] { return DiskEvent{.kind = DiskEvent::Kind::sync_folder, .bytes = {}}; },
      [] { return SQLITE_OK; });
}

}  // namespace

FaultyVfs::FaultyVfs() {
  real_vfs = sqlite3_vfs_find(nullptr);
  real_open = real_vfs->xOpen;
  real_remove = real_vfs->xDelete;
  vfs_ = *real_vfs;
  vfs_.zName = "faulty";
  vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_vfs->szOsFile;
  vfs_.xOpen = open;
  vfs_.xDelete = remove;
  vfs_.pAppData = this;
  sqlite3_vfs_register(&vfs_, 1);
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_unregister(&vfs_);
  sqlite3_vfs_register(real_vfs, 1);
}

}  // namespace eilbote::test
