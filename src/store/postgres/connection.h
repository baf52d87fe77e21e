// One link to PostgreSQL: statements in, rows out, many in one round trip. Used by one thread at a time (the
// pool sees to it). Promises: never hangs (connect, answer and dead links have deadlines), tells a link that
// died before COMMIT was sent (unavailable) from one that died after (ambiguous), and prepares each statement
// once.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "sql/postgres.h"
#include "store/postgres/params.h"
#include "store/postgres/rows.h"

namespace eilbote::postgres {

struct Call {
  const sql::Text* statement;
  Params params;
};
// Grown by push_back, because Params is moved in.
using Calls = std::vector<Call>;

// Where the database is and how to get in.
struct Address {
  std::string url;
  Secret password;  // empty: the URL (or libpq's own ways) has it
};

using PgConn = std::unique_ptr<PGconn, decltype(&PQfinish)>;

// Connects with Eilbote's deadlines (what the URL says wins); the error is `unavailable`.
Result<PgConn> connect(const Address& address);

class Connection {
 public:
  // `named`: statements are prepared under a name; not behind a pooler that cannot carry them.
  static Result<std::unique_ptr<Connection>> open(const Address& address, bool named);

  // All calls in one round trip, in order; the first failure ends the rest. One answer per call.
  Result<std::vector<Rows>> run(const Calls& calls);
  // One call.
  Result<Rows> run(const sql::Text& statement, Params params = {});

  // False once the link broke.
  bool usable() const;
  // The link is up as far as the socket knows; finds out about a server that went away meanwhile. Never
  // blocks.
  bool healthy();
  // Back to outside a transaction; false when the link cannot be used again.
  bool settle_down();

  bool named() const { return named_; }
  // The server's process as it introduced itself; a pooler in between makes one up.
  int backend_pid() const { return PQbackendPID(conn_.get()); }
  // The SQLSTATE of the latest failure; empty when it was the link.
  const std::string& sqlstate() const { return sqlstate_; }

 private:
  struct Sent {
    const sql::Text* statement;
    bool is_prepare;
  };
  explicit Connection(PgConn conn, bool named) : conn_(std::move(conn)), named_(named) {}

  bool send(const Call& call, std::vector<Sent>& sent);
  const std::string& name_of(const sql::Text& statement);
  bool wait_for_answer();
  PGresult* next_result();
  Result<std::vector<Rows>> receive(const std::vector<Sent>& sent, std::size_t calls);
  void drain_to_sync();
  Error link_error();
  Error server_error(const Rows& failed, bool at_commit);

  PgConn conn_;
  bool named_;
  bool commit_sent_ = false;
  bool silent_ = false;  // an answer did not come in time
  std::string sqlstate_;
  std::unordered_map<const sql::Text*, std::string> names_;  // of what was asked for so far
  std::unordered_set<const sql::Text*> prepared_;
};

}  // namespace eilbote::postgres
