// A real PgBouncer in front of a PostgreSQL of the tests: transaction mode, on a free port of the loopback. Debian's, unpacked by
// `./dev test`. As root it runs as the user `postgres`, since it refuses to be root. Started by the constructor, gone with the
// object. What goes wrong throws std::runtime_error, which fails the test.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "support/child_process.h"
#include "support/temp_folder.h"

namespace eilbote::test {

class PgBouncer {
 public:
  // Why there can be none on this machine; empty: there can.
  static std::string missing();

  explicit PgBouncer(std::uint16_t postgres_port);

  std::uint16_t port() const { return port_; }
  // The same database as `direct_url` names, by way of this.
  std::string url_of(const std::string& direct_url) const;

 private:
  TempFolder folder_;
  const std::uint16_t postgres_port_, port_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace eilbote::test
