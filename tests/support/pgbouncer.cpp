#include "support/pgbouncer.h"

#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "support/server_packages.h"

namespace eilbote::test {
namespace {

const ServerFile kProgram{"pgbouncer", "usr/sbin/pgbouncer"};
constexpr const char* kBouncerOwner = "postgres";

// Anybody may come in, and is `eilbote` behind it, as in the server itself. Connections are few on purpose: transactions of many
// clients must share them.
std::string settings(std::uint16_t port, std::uint16_t postgres_port) {
  return "[databases]\n* = host=127.0.0.1 port=" + std::to_string(postgres_port) +
         " user=eilbote\n\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = " + std::to_string(port) +
         "\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\nmax_client_conn = 500\n"
         "default_pool_size = 12\nserver_login_retry = 1\nlog_connections = 0\nlog_disconnections = 0\n";
}

}  // namespace

std::string PgBouncer::missing() {
  if (std::string why = missing_servers({kProgram}); !why.empty()) return why;
  if (::geteuid() == 0 && ::getpwnam(kBouncerOwner) == nullptr)
    return "root needs the user `postgres` to run PgBouncer as";
  return "";
}

PgBouncer::PgBouncer(std::uint16_t postgres_port) : postgres_port_(postgres_port), port_(free_port()) {
  const std::string file = folder_ / "pgbouncer.ini", log = folder_ / "log";
  write_text_file(file, settings(port_, postgres_port_));
  // The user it becomes may not see into the build folder.
  std::filesystem::copy_file(path_of(kProgram), folder_ / "pgbouncer");
  std::vector<std::string> command{folder_ / "pgbouncer", file};
  if (::geteuid() == 0) {
    const passwd* owner = ::getpwnam(kBouncerOwner);
    if (owner == nullptr || ::chown(folder_.path().c_str(), owner->pw_uid, owner->pw_gid) != 0)
      throw std::runtime_error(missing());
    command.insert(command.begin(), {"setpriv", std::string("--reuid=") + kBouncerOwner,
                                     std::string("--regid=") + kBouncerOwner, "--init-groups"});
  }
  process_ = std::make_unique<ChildProcess>(ChildOptions{command, {}, log, ""});
  wait_for_port(*process_, port_, log);
}

std::string PgBouncer::url_of(const std::string& direct_url) const {
  const std::string port = ":" + std::to_string(postgres_port_) + "/";
  std::string url = direct_url;
  const std::size_t at = url.find(port);
  if (at == std::string::npos) throw std::runtime_error("not a database of this server: " + direct_url);
  return url.replace(at, port.size(), ":" + std::to_string(port_) + "/");
}

}  // namespace eilbote::test
