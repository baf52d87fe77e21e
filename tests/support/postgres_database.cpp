#include "support/postgres_database.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "base/clock.h"
#include "store/store.h"
#include "support/child_process.h"
#include "support/raw_sql.h"
#include "support/temp_folder.h"

namespace eilbote::test {
namespace {

const std::string kBin = "/usr/lib/postgresql/15/bin/";

// A port nobody listens on now; the server keeps it across restarts.
std::uint16_t free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(probe);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

// PostgreSQL refuses to run as root; then it runs as the user its package made.
std::vector<std::string> not_as_root(std::vector<std::string> command) {
  if (::geteuid() != 0) return command;
  std::vector<std::string> full{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=QUIT"};
  full.insert(full.end(), command.begin(), command.end());
  return full;
}

class Server {
 public:
  static Server& shared() {
    static Server server;
    return server;
  }

  Server() : port_(free_port()) {
    const std::string data = data_folder();
    const CommandResult made = run_command(
        not_as_root({kBin + "initdb", "-D", data, "-U", "eilbote", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"}));
    if (made.exit_code != 0) throw std::runtime_error("initdb: " + made.err + made.out);
    start();
    open_raw_postgres(url("postgres"))->run("CREATE DATABASE template_eilbote");
    const SystemClock clock;
    const auto migrated = migrate_store(StoreOptions{.url = url("template_eilbote")}, clock);
    if (!migrated) throw std::runtime_error("migrate: " + migrated.error().message);
  }
  ~Server() { stop(); }

  void start() {
    // The server says on its standard output when it is ready; errors of statements stay out of it.
    process_ = std::make_unique<ChildProcess>(ChildOptions{
        .command = not_as_root({"sh", "-c", "exec \"$0\" \"$@\" 2>&1", kBin + "postgres", "-D", data_folder(), "-p",
                                std::to_string(port_), "-c", "listen_addresses=127.0.0.1", "-c",
                                "unix_socket_directories=", "-c", "fsync=off", "-c", "log_min_messages=log", "-c",
                                "log_checkpoints=off", "-c", "max_connections=100", "-c", "shared_buffers=64MB"}),
        .folder = folder_.path()});
    while (const auto line = process_->read_line(std::chrono::seconds{30}))
      if (line->find("ready to accept connections") != std::string::npos) return;
    throw std::runtime_error("PostgreSQL does not start");
  }

  // SIGINT: fast, ends open transactions. SIGQUIT: immediate, as a crash.
  void stop(int signal = SIGINT) {
    if (!process_) return;
    process_->signal(signal);
    process_->wait(std::chrono::seconds{30});
    process_.reset();
  }

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& database) const {
    return "postgresql://eilbote@127.0.0.1:" + std::to_string(port_) + "/" + database;
  }

 private:
  std::string data_folder() {
    if (::geteuid() == 0) run_command({"chown", "postgres", folder_.path()});
    return folder_ / "data";
  }

  TempFolder folder_;
  const std::uint16_t port_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace

namespace {

std::string create_database(const std::string& from) {
  static int number = 0;
  const std::string name = "test_" + std::to_string(++number);
  open_raw_postgres(Server::shared().url("postgres"))->run("CREATE DATABASE " + name + " TEMPLATE " + from);
  return Server::shared().url(name);
}

}  // namespace

std::string empty_postgres_database() { return create_database("template1"); }
std::string fresh_postgres_database() { return create_database("template_eilbote STRATEGY file_copy"); }

void drop_postgres_database(const std::string& url) {
  const std::string name = url.substr(url.rfind('/') + 1);
  open_raw_postgres(Server::shared().url("postgres"))->run("DROP DATABASE " + name + " WITH (FORCE)");
}

std::uint16_t postgres_port() { return Server::shared().port(); }

std::string postgres_url_on_port(const std::string& url, std::uint16_t port) {
  return "postgresql://eilbote@127.0.0.1:" + std::to_string(port) + url.substr(url.rfind('/'));
}

void stop_postgres() { Server::shared().stop(); }
void start_postgres() { Server::shared().start(); }
void restart_postgres_hard() {
  Server::shared().stop(SIGQUIT);
  Server::shared().start();
}

}  // namespace eilbote::test
