#include "support/aiosmtpd_relay.h"

#include <filesystem>
#include <stdexcept>

#include "support/captured_mail.h"

namespace eilbote::test {
namespace {

namespace fs = std::filesystem;

const std::string kModules = "usr/lib/python3/dist-packages";
const std::vector<ServerFile> kPackages{
    {"python3-aiosmtpd", kModules}, {"python3-attr", kModules}, {"python3-public", kModules}};

std::string modules() {
  std::string path;
  for (const ServerFile& one : kPackages)
    path += (path.empty() ? "" : ":") + path_of(one);
  return path;
}

}  // namespace

std::string AiosmtpdRelay::missing() {
  if (std::string why = missing_servers(kPackages); !why.empty()) return why;
  // The modules are the system's; another Python on the PATH need not be able to use them.
  const CommandResult tried =
      run_command({"python3", "-c", "import aiosmtpd.smtp"}, {{"PYTHONPATH", modules()}});
  return tried.exit_code == 0 ? "" : "python3 cannot use aiosmtpd: " + tried.err;
}

AiosmtpdRelay::AiosmtpdRelay(const TlsIdentity* identity) {
  std::vector<std::string> command{"python3", EILBOTE_SOURCE_DIR "/tests/support/aiosmtpd_relay.py",
                                   folder_ / "mails"};
  fs::create_directory(folder_ / "mails");
  if (identity != nullptr) {
    write_text_file(folder_ / "certificate.pem", identity->certificate());
    write_text_file(folder_ / "key.pem", identity->key());
    command.insert(command.end(), {folder_ / "certificate.pem", folder_ / "key.pem"});
  }
  process_ = std::make_unique<ChildProcess>(
      ChildOptions{command, {{"PYTHONPATH", modules()}}, folder_ / "log", "/"});
  const auto port = process_->read_line(std::chrono::seconds{60});
  if (!port) throw std::runtime_error("aiosmtpd did not start\n" + read_text_file(folder_ / "log"));
  port_ = static_cast<std::uint16_t>(std::stoi(*port));
}

std::vector<std::string> AiosmtpdRelay::files() const {
  return files_in(folder_ / "mails");
}

}  // namespace eilbote::test
