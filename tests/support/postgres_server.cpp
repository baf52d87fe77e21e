#include "support/postgres_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "support/child_process.h"
#include "support/eventually.h"

namespace eilbote::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwner = "postgres";

// Debian keeps the server's programs out of the path, a folder per version.
std::string program(const std::string& name) {
  fs::path newest;
  int version = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", none)) {
    const int found = std::atoi(entry.path().filename().c_str());
    if (found > version && fs::exists(entry.path() / "bin" / name)) {
      version = found;
      newest = entry.path() / "bin" / name;
    }
  }
  return newest.empty() ? name : newest.string();
}

bool is_free(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  const int reuse = 1;  // as the server itself does: connections of an earlier one may linger
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return bound;
}

// Below the ports that outgoing connections get: a server that is restarted must find its port free again. The
// process's number keeps programs that start at the same time apart.
std::uint16_t lasting_port() {
  constexpr int kFirst = 12'000, kCount = 20'000;
  static std::atomic<int> next = ::getpid() * 7;
  for (int tries = 0; tries < kCount; ++tries) {
    const auto port = static_cast<std::uint16_t>(kFirst + next++ % kCount);
    if (is_free(port)) return port;
  }
  throw std::runtime_error("no free port");
}

std::string run(const std::vector<std::string>& command) {
  const CommandResult result = run_command(command, {{"LC_ALL", "C.UTF-8"}}, std::chrono::minutes{5});
  if (result.exit_code == 0) return result.out;
  throw std::runtime_error(command.front() + " … " + command.back() + ": " + result.out + result.err);
}

// Owns a lock on a file, between processes, while it lives.
class FileLock {
 public:
  explicit FileLock(const std::string& path) : fd_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    if (fd_ < 0 || ::flock(fd_, LOCK_EX) != 0) throw std::runtime_error("cannot lock " + path);
  }
  ~FileLock() { ::close(fd_); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_;
};

std::string database_of(const std::string& url) {
  return url.substr(url.rfind('/') + 1);
}

}  // namespace

PostgresServer::PostgresServer(PostgresOptions options) : port_(lasting_port()) {
  make_folder();
  run({"cp", "-a", "--reflink=auto", empty_cluster(), folder_ + "/data"});
  configure(options);
  watch();
  start();
}

PostgresServer::PostgresServer(const std::string& primary_port) : port_(lasting_port()) {
  make_folder();
  watch();
  run(as_owner({program("pg_basebackup"), "-h", "127.0.0.1", "-p", primary_port, "-U", "eilbote", "-D",
                folder_ + "/data", "-R", "-X", "stream", "--checkpoint=fast", "--no-sync"}));
  std::ofstream(folder_ + "/data/postgresql.conf", std::ios::app) << "port = " << port_ << "\n";
  start();
}

void PostgresServer::make_folder() {
  std::string pattern = (fs::temp_directory_path() / "eilbote-postgres-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  if (::geteuid() != 0) return;
  const passwd* owner = ::getpwnam(kOwner);
  if (owner == nullptr || ::chown(folder_.c_str(), owner->pw_uid, owner->pw_gid) != 0)
    throw std::runtime_error("root needs the user `postgres` to run the server as");
}

// What initdb makes takes a second or two of work, and is the same for every test: it is made once per build
// folder, and copied.
std::string PostgresServer::empty_cluster() const {
  const fs::path initdb = program("initdb");
  const std::string version = initdb.parent_path().parent_path().filename();
  const std::string made = (fs::path(EILBOTE_BINARY).parent_path() / ("postgres-" + version)).string();
  const FileLock lock(made + ".lock");
  if (fs::exists(made)) return made;
  run(as_owner({initdb.string(), "--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8",
                "--username=eilbote", "-D", folder_ + "/made"}));
  // The owner may not be able to write there; a copy that was cut short must not be taken for a whole one.
  run({"rm", "-rf", made + ".part"});
  run({"cp", "-a", folder_ + "/made", made + ".part"});
  fs::rename(made + ".part", made);
  return made;
}

PostgresServer::~PostgresServer() {
  ::close(lifeline_);
  ::waitpid(watcher_, nullptr, 0);
}

// A process that waits for the end of this one, however it comes (a crash included), and then clears up: it
// reads from a pipe whose other end only this process has.
void PostgresServer::watch() {
  std::string script = "cat > /dev/null; exec > /dev/null 2>&1;";
  for (const std::string& word :
       as_owner({program("pg_ctl"), "stop", "-w", "-m", "immediate", "-D", folder_ + "/data"}))
    script += " " + word;
  script += "; rm -rf " + folder_;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  watcher_ = ::fork();
  if (watcher_ == 0) {
    ::setsid();  // a Ctrl-C is for the tests, not for the one who clears up after them
    ::dup2(ends[0], 0);
    ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[0]);
  lifeline_ = ends[1];
}

PostgresServer& PostgresServer::shared() {
  static PostgresServer server;
  return server;
}

std::vector<std::string> PostgresServer::as_owner(std::vector<std::string> command) const {
  if (::geteuid() != 0) return command;
  std::vector<std::string> all{"setpriv", std::string("--reuid=") + kOwner, std::string("--regid=") + kOwner,
                               "--init-groups"};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

void PostgresServer::configure(const PostgresOptions& options) {
  std::ofstream file(folder_ + "/data/postgresql.conf", std::ios::app);
  file << "\nlisten_addresses = '127.0.0.1'\nport = " << port_ << "\nunix_socket_directories = ''\n"
       << "max_connections = 200\nshared_buffers = 128MB\nlog_min_messages = fatal\n"
       << "fsync = " << (options.fsync ? "on" : "off") << "\n";
  for (const auto& [name, value] : options.settings)
    file << name << " = '" << value << "'\n";
}

void PostgresServer::start() {
  // The server's own output goes to a file: it must not hold the pipe of pg_ctl.
  run(as_owner(
      {program("pg_ctl"), "start", "-w", "-t", "60", "-D", folder_ + "/data", "-l", folder_ + "/log"}));
  running_ = true;
}

void PostgresServer::stop() {
  if (!running_) return;
  running_ = false;
  run(as_owner({program("pg_ctl"), "stop", "-w", "-m", "immediate", "-D", folder_ + "/data"}));
}

void PostgresServer::stop_fast() {
  if (!running_) return;
  running_ = false;
  run(as_owner({program("pg_ctl"), "stop", "-w", "-t", "60", "-m", "fast", "-D", folder_ + "/data"}));
}

bool PostgresServer::answers() const {
  const std::string port = std::to_string(port_);
  return run_command({program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", port, "-t", "5"}).exit_code == 0;
}

void PostgresServer::start_again() {
  // What is left of one that ended by itself does not keep the next from starting.
  run_command(as_owner({program("pg_ctl"), "stop", "-w", "-m", "immediate", "-D", folder_ + "/data"}));
  start();
}

std::unique_ptr<PostgresServer> PostgresServer::make_standby() {
  return std::unique_ptr<PostgresServer>(new PostgresServer(std::to_string(port_)));
}

void PostgresServer::wait_for_standby(bool on) {
  // Not in one transaction: ALTER SYSTEM refuses that.
  sql(url(), std::string("ALTER SYSTEM SET synchronous_standby_names = '") + (on ? "*" : "") + "'");
  sql(url(), "SELECT pg_reload_conf()");
  if (!on) return;
  const auto is_sync = [&] {
    return sql(url(), "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1\n";
  };
  if (!eventually(is_sync, std::chrono::seconds{60}, std::chrono::milliseconds{100}))
    throw std::runtime_error("the standby does not keep up");
}

void PostgresServer::promote() {
  run(as_owner({program("pg_ctl"), "promote", "-w", "-t", "60", "-D", folder_ + "/data"}));
}

void PostgresServer::restart() {
  stop();
  start();
}

std::string PostgresServer::url(const std::string& database) const {
  return "postgresql://eilbote@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

std::string PostgresServer::create_database(const std::string& from) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::string name = "db" + std::to_string(++databases_);
  const std::string copied = from.empty() ? "" : " TEMPLATE " + database_of(from);
  sql(url(), "CREATE DATABASE " + name + copied);
  return url(name);
}

void PostgresServer::drop_database(const std::string& database_url) {
  sql(url(), "DROP DATABASE " + database_of(database_url) + " WITH (FORCE)");
}

int PostgresServer::terminate_backends() {
  return std::stoi(sql(url(),
                       "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity "
                       "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"));
}

std::string PostgresServer::sql(const std::string& url, const std::string& text) {
  return run({"psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", text});
}

}  // namespace eilbote::test
