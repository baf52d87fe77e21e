#include "store/postgres/connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "base/sha256.h"
#include "store/postgres/sql_error.h"

namespace eilbote::postgres {
namespace {

using Steady = std::chrono::steady_clock;

// How long one round trip may take before the link counts as dead. Far above any statement's time; it is here
// for a server that stopped answering while its kernel still does.
constexpr auto kAnswerPatience = std::chrono::seconds{30};

// A name that changes with the text, so that two versions of Eilbote behind one pooler never run each
// other's.
std::string prepared_name(const sql::Text& statement) {
  return fmt::format("{}_{:08x}", statement.name,
                     static_cast<std::uint32_t>(hash64({statement.text}) & 0xFFFF'FFFF));
}

std::string trimmed(const char* message) {
  std::string text = message ? message : "";
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

// A prepared statement keeps the plan it got when its tables were small or empty: without this a scan of
// `recipients` planned on the first day would still run on the second. Every statement of ours has an index;
// compiling plans costs more than it saves on them.
// A process that is frozen in the middle of a transaction must not keep its row locks for ever: nobody could take its
// jobs over. Ours never idle there for more than moments.
constexpr const char* kSessionSettings =
    "-c enable_seqscan=off -c jit=off -c idle_in_transaction_session_timeout=5s";

Result<PgConn> connect_with(const Address& address, const char* session_settings) {
  const std::string& password = address.password.reveal();
  // What stands before dbname may be overridden by the URL; a null value is skipped.
  const std::array<std::pair<const char*, const char*>, 11> settings{
      {{"application_name", "eilbote"},
       {"connect_timeout", "2"},
       {"keepalives", "1"},
       {"keepalives_idle", "5"},
       {"keepalives_interval", "2"},
       {"keepalives_count", "3"},
       {"tcp_user_timeout", "10000"},
       {"options", session_settings},
       {"dbname", address.url.c_str()},
       {"password", password.empty() ? nullptr : password.c_str()},
       {"client_encoding", "UTF8"}}};
  std::array<const char*, settings.size() + 1> keys{}, values{};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    keys[i] = settings[i].first;
    values[i] = settings[i].second;
  }
  PgConn conn(PQconnectdbParams(keys.data(), values.data(), 1), &PQfinish);
  if (!conn) return fail(ErrorKind::internal, "postgres: out of memory");
  if (PQstatus(conn.get()) != CONNECTION_OK)
    return fail(ErrorKind::unavailable, "postgres: " + trimmed(PQerrorMessage(conn.get())));
  PQsetNoticeProcessor(
      conn.get(), [](void*, const char*) {}, nullptr);
  return conn;
}

// The parameters as libpq wants them.
struct Wire {
  std::vector<Oid> types;
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;

  explicit Wire(const Params& params) {
    for (const auto& value : params.values()) {
      types.push_back(value.oid);
      values.push_back(value.bytes ? value.bytes->data() : nullptr);
      lengths.push_back(value.bytes ? static_cast<int>(value.bytes->size()) : 0);
      formats.push_back(1);
    }
  }
  int count() const { return static_cast<int>(types.size()); }
};

}  // namespace

Result<PgConn> connect(const Address& address) {
  auto conn = connect_with(address, kSessionSettings);
  // PgBouncer before 1.20 knows no startup options; then the server's defaults have to do.
  if (!conn && conn.error().message.find("unsupported startup parameter") != std::string::npos)
    conn = connect_with(address, "");
  return conn;
}

Result<std::unique_ptr<Connection>> Connection::open(const Address& address, bool named) {
  auto conn = connect(address);
  if (!conn) return fail(conn.error());
  if (PQenterPipelineMode(conn->get()) != 1) return fail(ErrorKind::internal, "postgres: no pipeline mode");
  return std::unique_ptr<Connection>(new Connection(std::move(*conn), named));
}

Result<Rows> Connection::run(const sql::Text& statement, Params params) {
  Calls calls;
  calls.push_back({&statement, std::move(params)});
  auto all = run(calls);
  if (!all) return fail(all.error());
  return std::move(all->front());
}

Result<std::vector<Rows>> Connection::run(const Calls& calls) {
  sqlstate_.clear();
  commit_sent_ = false;
  std::vector<Sent> sent;
  sent.reserve(calls.size() * 2);
  for (const Call& call : calls)
    if (!send(call, sent)) return fail(link_error());
  if (PQpipelineSync(conn_.get()) != 1) return fail(link_error());
  return receive(sent, calls.size());
}

bool Connection::send(const Call& call, std::vector<Sent>& sent) {
  const Wire wire(call.params);
  PGconn* conn = conn_.get();
  if (call.statement == &sql::postgres::commit_transaction) commit_sent_ = true;
  if (!named_) {
    sent.push_back({call.statement, false});
    const std::string text(call.statement->text);
    return PQsendQueryParams(conn, text.c_str(), wire.count(), wire.types.data(), wire.values.data(),
                             wire.lengths.data(), wire.formats.data(), 1) == 1;
  }
  const std::string& name = name_of(*call.statement);
  if (!prepared_.contains(call.statement)) {
    const auto same = [&](const Sent& s) { return s.is_prepare && s.statement == call.statement; };
    if (std::none_of(sent.begin(), sent.end(), same)) {
      sent.push_back({call.statement, true});
      const std::string text(call.statement->text);
      if (PQsendPrepare(conn, name.c_str(), text.c_str(), wire.count(), wire.types.data()) != 1) return false;
    }
  }
  sent.push_back({call.statement, false});
  return PQsendQueryPrepared(conn, name.c_str(), wire.count(), wire.values.data(), wire.lengths.data(),
                             wire.formats.data(), 1) == 1;
}

const std::string& Connection::name_of(const sql::Text& statement) {
  std::string& name = names_[&statement];
  if (name.empty()) name = prepared_name(statement);
  return name;
}

bool Connection::wait_for_answer() {
  const auto deadline = Steady::now() + kAnswerPatience;
  while (PQisBusy(conn_.get())) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Steady::now());
    if (left.count() <= 0) return false;
    pollfd waiting{PQsocket(conn_.get()), POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return false;
    // When the link broke, the server's last words may be in the buffer: PQgetResult gives them out, then its
    // own.
    if (ready > 0 && PQconsumeInput(conn_.get()) != 1) return true;
  }
  return true;
}

PGresult* Connection::next_result() {
  if (silent_) return nullptr;
  silent_ = !wait_for_answer();
  return silent_ ? nullptr : PQgetResult(conn_.get());
}

Result<std::vector<Rows>> Connection::receive(const std::vector<Sent>& sent, std::size_t calls) {
  std::vector<Rows> answers;
  answers.reserve(calls);
  for (const Sent& item : sent) {
    Rows rows(next_result());
    const ExecStatusType status = rows.status();
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
      if (status != PGRES_FATAL_ERROR || rows.sqlstate().empty()) return fail(link_error());
      const Error error = server_error(rows, item.statement == &sql::postgres::commit_transaction);
      drain_to_sync();
      return fail(error);
    }
    if (PGresult* end = next_result()) {  // each command's answer ends in a null
      PQclear(end);
      return fail(link_error());
    }
    if (silent_ || PQstatus(conn_.get()) != CONNECTION_OK) return fail(link_error());
    if (item.is_prepare)
      prepared_.insert(item.statement);
    else
      answers.push_back(std::move(rows));
  }
  drain_to_sync();
  return answers;
}

// Reads up to the end of the pipeline. Between the answers stand nulls; a dead link answers nothing else.
void Connection::drain_to_sync() {
  for (;;) {
    const Rows rows(next_result());
    if (rows.status() == PGRES_PIPELINE_SYNC) return;
    if (silent_ || PQstatus(conn_.get()) != CONNECTION_OK) return;
  }
}

// Nothing is known after the link died; what COMMIT had come to, neither. The link is of no use any more.
Error Connection::link_error() {
  Error error{commit_sent_ ? ErrorKind::ambiguous : ErrorKind::unavailable,
              "postgres: " + lost_link(silent_, trimmed(PQerrorMessage(conn_.get())))};
  conn_.reset();
  return error;
}

Error Connection::server_error(const Rows& failed, bool at_commit) {
  sqlstate_ = failed.sqlstate();
  return Error{error_kind(sqlstate_, at_commit),
               fmt::format("postgres {}: {}", sqlstate_, trimmed(failed.message().c_str()))};
}

bool Connection::usable() const {
  return conn_ && !silent_ && PQstatus(conn_.get()) == CONNECTION_OK;
}

bool Connection::healthy() {
  if (!usable()) return false;
  // What comes in unasked is a notice, or the server's farewell and then the end of the stream: read on until
  // then.
  for (;;) {
    pollfd look{PQsocket(conn_.get()), POLLIN, 0};
    if (poll(&look, 1, 0) == 0) return true;
    if (PQconsumeInput(conn_.get()) != 1 || !usable()) return false;
  }
}

bool Connection::settle_down() {
  if (!usable()) return false;
  if (PQtransactionStatus(conn_.get()) == PQTRANS_IDLE) return true;
  return run(sql::postgres::rollback_transaction).has_value();
}

}  // namespace eilbote::postgres
