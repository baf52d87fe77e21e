#include "store/sqlite/joined_writes.h"

#include <sqlite3.h>

#include <new>
#include <vector>

namespace eilbote::sqlite {
namespace {

// More goes in several pieces. SQLite never asks for more than a page, and its unix file system takes the low 17 bits of a length for the
// whole.
constexpr std::size_t kJoinedMax = 124 * 1024;

// What is written one after the other and not handed on yet.
struct Kept {
  sqlite3_int64 at = 0;
  std::vector<char> bytes;
  sqlite3_int64 end() const { return at + static_cast<sqlite3_int64>(bytes.size()); }
};

struct File {
  sqlite3_file base;
  sqlite3_file* real;  // in memory of its own: its size is its file system's affair
  Kept* kept;          // of a WAL, else null
};

sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<File*>(file)->real;
}
const sqlite3_io_methods* methods(sqlite3_file* file) {
  return real(file)->pMethods;
}
Kept* kept(sqlite3_file* file) {
  return reinterpret_cast<File*>(file)->kept;
}

// What cannot be written is not kept for another try: SQLite takes the transaction back and writes the place anew.
int hand_on(sqlite3_file* file) {
  Kept* keep = kept(file);
  if (keep == nullptr || keep->bytes.empty()) return SQLITE_OK;
  const int code =
      methods(file)->xWrite(real(file), keep->bytes.data(), static_cast<int>(keep->bytes.size()), keep->at);
  keep->bytes.clear();
  return code;
}

int write(sqlite3_file* file, const void* data, int n, sqlite3_int64 at) {
  Kept* keep = kept(file);
  if (keep == nullptr) return methods(file)->xWrite(real(file), data, n, at);
  if (at != keep->end() || keep->bytes.size() + static_cast<std::size_t>(n) > kJoinedMax) {
    if (const int code = hand_on(file); code != SQLITE_OK) return code;
    keep->at = at;
  }
  const char* from = static_cast<const char*>(data);
  keep->bytes.insert(keep->bytes.end(), from, from + n);
  return SQLITE_OK;
}

int read(sqlite3_file* file, void* data, int n, sqlite3_int64 at) {
  const Kept* keep = kept(file);
  if (keep != nullptr && at < keep->end() && at + n > keep->at)
    if (const int code = hand_on(file); code != SQLITE_OK) return code;
  return methods(file)->xRead(real(file), data, n, at);
}

int close(sqlite3_file* file) {
  File* self = reinterpret_cast<File*>(file);
  const int written = hand_on(file);
  const int closed = methods(file)->xClose(real(file));
  delete self->kept;
  sqlite3_free(self->real);
  return written != SQLITE_OK ? written : closed;
}

int sync(sqlite3_file* file, int flags) {
  if (const int code = hand_on(file); code != SQLITE_OK) return code;
  return methods(file)->xSync(real(file), flags);
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (const int code = hand_on(file); code != SQLITE_OK) return code;
  return methods(file)->xTruncate(real(file), size);
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  if (const int code = hand_on(file); code != SQLITE_OK) return code;
  return methods(file)->xFileSize(real(file), size);
}

// The rest goes straight through.
int lock(sqlite3_file* file, int level) {
  return methods(file)->xLock(real(file), level);
}
int unlock(sqlite3_file* file, int level) {
  return methods(file)->xUnlock(real(file), level);
}
int check_reserved(sqlite3_file* file, int* answer) {
  return methods(file)->xCheckReservedLock(real(file), answer);
}
int control(sqlite3_file* file, int what, void* argument) {
  return methods(file)->xFileControl(real(file), what, argument);
}
int sector_size(sqlite3_file* file) {
  return methods(file)->xSectorSize(real(file));
}
int characteristics(sqlite3_file* file) {
  return methods(file)->xDeviceCharacteristics(real(file));
}
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
  return methods(file)->xShmMap(real(file), page, size, extend, memory);
}
int shm_lock(sqlite3_file* file, int offset, int n, int flags) {
  return methods(file)->xShmLock(real(file), offset, n, flags);
}
void shm_barrier(sqlite3_file* file) {
  methods(file)->xShmBarrier(real(file));
}
int shm_unmap(sqlite3_file* file, int remove) {
  return methods(file)->xShmUnmap(real(file), remove);
}

// Version 2: with shared memory, which a WAL needs, and without memory-mapped reads, which nobody here asks for.
const sqlite3_io_methods kMethods{
    2,         close,          read,    write,       truncate,        sync,    file_size, lock,
    unlock,    check_reserved, control, sector_size, characteristics, shm_map, shm_lock,  shm_barrier,
    shm_unmap, nullptr,        nullptr};

int open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* flags_out) {
  File* self = new (file) File{};
  sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
  self->real = static_cast<sqlite3_file*>(sqlite3_malloc(system->szOsFile));
  if (self->real == nullptr) return SQLITE_NOMEM;
  self->real->pMethods = nullptr;
  const int code = system->xOpen(system, name, self->real, flags, flags_out);
  if (self->real->pMethods == nullptr) {
    sqlite3_free(self->real);
    return code;
  }
  // From here on SQLite closes the file, whatever the code says.
  self->kept = (flags & SQLITE_OPEN_WAL) != 0 ? new Kept : nullptr;
  self->base.pMethods = &kMethods;
  return code;
}

// Names and paths are the system's, which may not be asked by way of another's structure.
sqlite3_vfs* system_vfs() {
  return sqlite3_vfs_find(nullptr);
}
int remove(sqlite3_vfs*, const char* name, int sync_folder) {
  return system_vfs()->xDelete(system_vfs(), name, sync_folder);
}
int access(sqlite3_vfs*, const char* name, int flags, int* answer) {
  return system_vfs()->xAccess(system_vfs(), name, flags, answer);
}
int full_path(sqlite3_vfs*, const char* name, int size, char* out) {
  return system_vfs()->xFullPathname(system_vfs(), name, size, out);
}

struct Registered {
  Registered() : vfs(*system_vfs()) {
    vfs.pNext = nullptr;
    vfs.zName = "eilbote";
    vfs.szOsFile = sizeof(File);
    vfs.xOpen = open;
    vfs.xDelete = remove;
    vfs.xAccess = access;
    vfs.xFullPathname = full_path;
    sqlite3_vfs_register(&vfs, 0);
  }
  sqlite3_vfs vfs;  // random numbers, time and the like are the system's own
};

}  // namespace

const char* joined_writes() {
  static Registered registered;
  return registered.vfs.zName;
}

}  // namespace eilbote::sqlite
