// A real PostgreSQL of the test's own: a cluster in a temporary folder, run by pg_ctl, on a free port of the
// loopback. Started by the constructor, gone with the object or with the test program, however that ends. As
// root it runs as the user `postgres`, which the server insists on. What goes wrong throws std::runtime_error
// with what the tool said, which fails the test.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace eilbote::test {

struct PostgresOptions {
  bool fsync = false;                           // true where durability or speed is under test
  std::map<std::string, std::string> settings;  // lines of postgresql.conf on top
};

class PostgresServer {
 public:
  explicit PostgresServer(PostgresOptions options = {});
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // One server for the whole test program, without fsync, started when it is first asked for.
  static PostgresServer& shared();

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& database = "postgres") const;
  // The URL of a new, empty database; with `from` a copy of that one, which nobody may be connected to.
  std::string create_database(const std::string& from = "");
  void drop_database(const std::string& url);

  void start();
  void stop();     // immediate: as a crash is, its memory is lost
  void restart();  // stop and start
  // Ends every other session, as an administrator does, and waits until they are gone; how many there were.
  int terminate_backends();

  // Runs statements with psql, as a foreign program would; what it printed, unaligned and without headers.
  static std::string sql(const std::string& url, const std::string& text);

 private:
  std::vector<std::string> as_owner(std::vector<std::string> command) const;
  std::string empty_cluster() const;
  void configure(const PostgresOptions& options);
  void watch();

  std::string folder_;
  std::uint16_t port_ = 0;
  int databases_ = 0;
  bool running_ = false;
  pid_t watcher_ = -1;
  int lifeline_ = -1;
};

}  // namespace eilbote::test
