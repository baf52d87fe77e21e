// A real PostgreSQL of the test's own: a cluster in a temporary folder, run by pg_ctl, on a free port of the
// loopback. Started by the constructor, gone with the object or with the test program, however that ends. As
// root it runs as the user `postgres`, which the server insists on. What goes wrong throws std::runtime_error
// with what the tool said, which fails the test.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
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
  void stop();  // immediate: as a crash is, its memory is lost
  void
  stop_fast();  // as an administrator stops it: sessions are ended, what they did not commit is rolled back
  void restart();  // stop and start
  // Whether it answers; one that met a full disk may have ended by itself.
  bool answers() const;
  // What start() does for one that may have ended by itself.
  void start_again();

  // A second server, with all that this one has, that follows it.
  std::unique_ptr<PostgresServer> make_standby();
  // From then on a commit is answered when the standby has it too; false: no longer. Waits until the standby is that far.
  void wait_for_standby(bool on);
  // A standby becomes a server of its own.
  void promote();

  // Ends every other session, as an administrator does, and waits until they are gone; how many there were.
  int terminate_backends();

  // Runs statements with psql, as a foreign program would; what it printed, unaligned and without headers.
  static std::string sql(const std::string& url, const std::string& text);

 private:
  explicit PostgresServer(const std::string& primary_port);
  void make_folder();
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
