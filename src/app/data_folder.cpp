#include "app/data_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace eilbote {
namespace {

Error trouble(const std::string& path, int error) {
  return Error{ErrorKind::invalid, fmt::format("EILBOTE_DATA_DIR: {}: {}", path, std::strerror(error))};
}

std::string read_name(const std::string& path) {
  std::ifstream in(path);
  std::string name;
  std::getline(in, name);
  return name;
}

}  // namespace

Result<DataFolder> DataFolder::open(const std::string& path, Random& random) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return fail(trouble(path, failed.value()));
  ::chmod(path.c_str(), 0700);
  const std::string lock_path = path + "/instance.lock";
  const int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return fail(trouble(lock_path, errno));
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock);
    return fail(
        ErrorKind::conflict,
        fmt::format("EILBOTE_DATA_DIR: {} is in use by another eilbote; give this one its own", path));
  }
  const std::string name_path = path + "/instance-name";
  std::string name = read_name(name_path);
  if (name.empty()) {
    name = fmt::format("{:016x}", random.bits());
    std::ofstream out(name_path);
    out << name << '\n';
    out.flush();
    if (!out) {
      ::close(lock);
      return fail(trouble(name_path, errno));
    }
  }
  return DataFolder(lock, std::move(name));
}

DataFolder::DataFolder(DataFolder&& other) noexcept
    : lock_(std::exchange(other.lock_, -1)), name_(std::move(other.name_)) {}

DataFolder::~DataFolder() {
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace eilbote
