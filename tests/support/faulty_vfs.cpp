#include "support/faulty_vfs.h"

#include <new>

namespace eilbote::test {
namespace {

sqlite3_vfs* real_vfs = nullptr;
int (*real_open)(sqlite3_vfs*, sqlite3_filename, sqlite3_file*, int, int*) = nullptr;

// The real file lies behind this one, in the same piece of memory that SQLite gives.
struct File {
  sqlite3_file base;
  FaultyVfs* faults;
  int kind;  // SQLITE_OPEN_MAIN_DB, SQLITE_OPEN_WAL or another
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

int close(sqlite3_file* file) {
  return real(file)->xClose(behind(file));
}
int read(sqlite3_file* file, void* data, int n, sqlite3_int64 at) {
  return real(file)->xRead(behind(file), data, n, at);
}
int write(sqlite3_file* file, const void* data, int n, sqlite3_int64 at) {
  const int fault = write_fault(file);
  return fault != SQLITE_OK ? fault : real(file)->xWrite(behind(file), data, n, at);
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  return real(file)->xTruncate(behind(file), size);
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
int sync(sqlite3_file* file, int flags) {
  const File* self = reinterpret_cast<File*>(file);
  if (self->kind == SQLITE_OPEN_WAL && self->faults->wal_sync != SQLITE_OK) return self->faults->wal_sync;
  if (self->kind == SQLITE_OPEN_WAL && self->faults->wal_sync_lies) return SQLITE_OK;
  const int code = real(file)->xSync(behind(file), flags);
  if (code == SQLITE_OK && self->faults->keeps_synced)
    self->faults->keep_synced(self->kind, [file] { return read_all(file); });
  return code;
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
  self->kind = flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL);
  return code;
}

}  // namespace

FaultyVfs::FaultyVfs() {
  real_vfs = sqlite3_vfs_find(nullptr);
  real_open = real_vfs->xOpen;
  vfs_ = *real_vfs;
  vfs_.zName = "faulty";
  vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_vfs->szOsFile;
  vfs_.xOpen = open;
  vfs_.pAppData = this;
  sqlite3_vfs_register(&vfs_, 1);
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_unregister(&vfs_);
  sqlite3_vfs_register(real_vfs, 1);
}

}  // namespace eilbote::test
