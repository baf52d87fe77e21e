// What the doctor looks at on this machine: the data folder, the key in it, and the room on its disk.
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/doctor.h"
#include "app/options.h"

namespace eilbote {
namespace {

constexpr std::uintmax_t kDiskWarningMiB = 1024, kDiskErrorMiB = 64;

// The folder itself, or the nearest one above it that is there.
std::filesystem::path nearest_folder(std::filesystem::path path) {
  std::error_code unknown;
  while (!std::filesystem::exists(path, unknown) && path.has_relative_path())
    path = path.parent_path();
  return path;
}

// Makes a file and removes it: modes alone do not tell of read-only mounts and full quotas.
std::string why_not_writable(const std::filesystem::path& folder) {
  std::string name = (folder / ".doctor-XXXXXX").native();
  const int file = ::mkstemp(name.data());
  if (file < 0) return std::strerror(errno);
  ::close(file);
  ::unlink(name.c_str());
  return {};
}

Finding judge_folder(const std::string& data_dir, const std::filesystem::path& there) {
  constexpr const char* kWhat = "data folder";
  const std::string why = why_not_writable(there);
  const bool is_missing = there != std::filesystem::absolute(data_dir).lexically_normal();
  if (!why.empty())
    return Finding::error(kWhat,
                          is_missing ? fmt::format("{} is not there, and {} cannot be written to: {}",
                                                   data_dir, there.native(), why)
                                     : fmt::format("{} cannot be written to: {}", data_dir, why),
                          "Make the folder for the user of the server (install -d -m 0700 -o USER DIR), or "
                          "set EILBOTE_DATA_DIR to "
                          "one on a volume that can be written to.");
  if (is_missing) return Finding::ok(kWhat, data_dir + " is not there yet; `eilbote serve` makes it");
  struct stat found {};
  if (::stat(there.c_str(), &found) == 0 && (found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return Finding::warning(kWhat, fmt::format("{} has mode {:o}", data_dir, found.st_mode & 0777),
                            "Others on this machine may look into it: chmod 0700.");
  return Finding::ok(kWhat, data_dir + " can be written to");
}

Finding judge_disk(const std::filesystem::path& folder) {
  constexpr const char* kWhat = "disk";
  struct statvfs found {};
  if (::statvfs(folder.c_str(), &found) != 0)
    return Finding::error(kWhat, fmt::format("{}: {}", folder.native(), std::strerror(errno)),
                          "Look at the mount of the data folder.");
  const std::uintmax_t free = std::uintmax_t{found.f_bavail} * found.f_frsize / (1024 * 1024);
  const std::string seen = fmt::format("{} MiB are free at {}", free, folder.native());
  if (free >= kDiskWarningMiB) return Finding::ok(kWhat, seen);
  return {free < kDiskErrorMiB ? Severity::error : Severity::warning, kWhat, seen,
          "Make room, or shorten EILBOTE_RETENTION_DAYS; a full disk stops everything that SQLite and "
          "captured mails need."};
}

void judge_key_file(const std::string& path, std::vector<Finding>& findings) {
  constexpr const char* kWhat = "key file";
  struct stat found {};
  if (path.empty() || ::stat(path.c_str(), &found) != 0) return;  // made when it is first needed
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    findings.push_back(
        Finding::error(kWhat, fmt::format("{} has mode {:o}", path, found.st_mode & 0777),
                       fmt::format("Whoever reads it can open every stored secret: chmod 0600 {}.", path)));
  else
    findings.push_back(Finding::ok(kWhat, path + " is its owner's alone"));
}

}  // namespace

void add_machine_checks(Checks& checks, const SharedConfig& loaded) {
  checks.push_back(
      {"data folder", "Its disk does not answer: look at the mount (a network file system that is away?).",
       [loaded] {
         const std::string& data_dir = loaded->config.data_dir;
         const auto there = nearest_folder(std::filesystem::absolute(data_dir).lexically_normal());
         std::vector<Finding> findings{judge_folder(data_dir, there), judge_disk(there)};
         judge_key_file(secret_options(loaded->config).data_key.key_file, findings);
         return findings;
       }});
}

}  // namespace eilbote
