#include "app/own_metrics.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "domain/names.h"
#include "metrics/metrics.h"
#include "ports/overload.h"

namespace eilbote {

void begin_metrics(const std::string& version, Metrics& metrics) {
  metrics.set(Metric::build_info, 1, {version});
  for (const auto& [reason, text] : kDeadReasonNames.entries)
    metrics.add(Metric::dead, 0, {std::string(text)});
  for (const auto& [cause, text] : kOverloadCauseNames.entries)
    metrics.add(Metric::http_overload, 0, {std::string(text)});
}

std::string host_and_process() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("{}:{}", host.data(), ::getpid());
}

Result<void> measure_disk(const std::string& folder, Metrics& metrics) {
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0)
    return fail(ErrorKind::unavailable, "EILBOTE_DATA_DIR: the disk of " + folder +
                                            " cannot be asked: " + std::generic_category().message(errno));
  const auto block = static_cast<double>(disk.f_frsize);
  metrics.set(Metric::data_disk_free, static_cast<double>(disk.f_bavail) * block);
  metrics.set(Metric::data_disk_size, static_cast<double>(disk.f_blocks) * block);
  return {};
}

}  // namespace eilbote
