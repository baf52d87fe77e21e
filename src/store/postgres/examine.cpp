// Looks a PostgreSQL over for `eilbote doctor`; called by store/examine.
#include <fmt/format.h>

#include <map>

#include "store/examine_rules.h"
#include "store/postgres/connection.h"
#include "store/postgres/migrator.h"
#include "store/postgres/operations.h"
#include "store/postgres/postgres_store.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

constexpr int kOldestServer = 140000;
// Dead rows beyond this share, and this number, slow the claims down.
constexpr std::int64_t kDeadRowsMin = 50'000;

struct ConnectAdvice {
  std::string_view said, advice;
};
// By what libpq and the server say when a connection fails; the first that fits.
constexpr ConnectAdvice kConnectAdvice[] = {
    {"password authentication failed",
     "The password is wrong: set the right one where EILBOTE_STORE_PASSWORD_REF (or EILBOTE_STORE_URL) says, "
     "or "
     "ALTER ROLE .. PASSWORD."},
    {"no password supplied", "Say with EILBOTE_STORE_PASSWORD_REF where the password is."},
    {"Connection refused",
     "Nothing listens there: start PostgreSQL, and compare host and port of EILBOTE_STORE_URL with its "
     "listen_addresses and port."},
    {"could not translate host name",
     "The host's name is not known to DNS: correct EILBOTE_STORE_URL, or the resolver of this machine."},
    {"timeout expired", "The host does not answer: look for a firewall or network policy in between."},
    {"no pg_hba.conf entry", "The server does not let this host or user in: add a line to its pg_hba.conf."},
    {"does not exist",
     "Create the database and the role that EILBOTE_STORE_URL names, then run `eilbote migrate`."},
    {"too many clients",
     "All connections are taken: raise max_connections, or lower EILBOTE_STORE_CONNECTIONS of the "
     "instances."},
    {"remaining connection slots",
     "All connections are taken: raise max_connections, or lower EILBOTE_STORE_CONNECTIONS of the "
     "instances."},
    {"certificate",
     "The server's certificate is not trusted: see sslmode and sslrootcert in EILBOTE_STORE_URL."},
};

std::string connect_advice(std::string_view message) {
  for (const auto& [said, advice] : kConnectAdvice)
    if (message.find(said) != std::string_view::npos) return std::string(advice);
  return "Try `psql` with the URL of EILBOTE_STORE_URL from this machine; the server's log has more.";
}

class Examination {
 public:
  Examination(const StoreOptions& options, const Clock& clock) : options_(options), clock_(clock) {}

  std::vector<Finding> run() {
    auto link = Connection::open({options_.url, options_.password}, false);
    if (!link) {
      add(Finding::error("database", link.error().message, connect_advice(link.error().message)));
      return std::move(findings_);
    }
    link_ = std::move(*link);
    const auto looked = look();
    if (!looked)
      add(Finding::error(
          "database", looked.error().message,
          "The role of EILBOTE_STORE_URL must own Eilbote's tables, or have all rights on them."));
    return std::move(findings_);
  }

 private:
  void add(Finding finding) { findings_.push_back(std::move(finding)); }

  Result<void> look() {
    if (auto done = look_at_server(); !done) return done;
    if (!look_at_schema()) return look_at_connections(1);
    if (auto done = look_at_plan(); !done) return done;
    if (auto done = look_at_vacuum(); !done) return done;
    const auto running = look_at_instances();
    if (!running) return fail(running.error());
    if (auto done = look_at_connections(std::max(1, *running)); !done) return done;
    return look_at_queue();
  }

  std::string setting(const std::string& name) const {
    const auto found = settings_.find(name);
    return found == settings_.end() ? "" : found->second;
  }
  int number(const std::string& name) const { return std::atoi(setting(name).c_str()); }

  Result<void> look_at_server() {
    Array names(Type::text);
    for (const char* name : {"server_version", "server_version_num", "max_connections", "autovacuum", "fsync",
                             "superuser_reserved_connections", "synchronous_commit", "track_counts"})
      names.add(std::string_view(name));
    auto settings = link_->run(q::find_settings, std::move(Params().add(std::move(names))));
    if (!settings) return fail(settings.error());
    for (const Row row : *settings)
      settings_.emplace(row.text(0), row.text(1));
    const TimePoint asked = clock_.now();
    auto session = link_->run(q::find_session);
    if (!session) return fail(session.error());
    const TimePoint middle = asked + (clock_.now() - asked) / 2;
    const Row row = (*session)[0];
    connected_ = row.int8(3);
    has_pooler_ = row.int4(1) != link_->backend_pid();
    judge_server(row.boolean(2));
    add(judge_clock(middle - row.time(0)));
    return {};
  }

  void judge_server(bool is_replica) {
    const std::string version = "PostgreSQL " + setting("server_version");
    if (number("server_version_num") < kOldestServer)
      add(Finding::error("database", version, "Eilbote needs PostgreSQL 14 or newer."));
    else if (is_replica)
      add(Finding::error(
          "database", version + ", a replica that only reads",
          "EILBOTE_STORE_URL must lead to the primary: target_session_attrs=read-write finds it."));
    else
      add(Finding::ok("database", version));
    if (setting("fsync") == "off" || setting("synchronous_commit") == "off")
      add(Finding::error("database durability", "fsync or synchronous_commit is off",
                         "What was acknowledged can be lost in a crash: set both to on."));
    if (has_pooler_ && options_.listen_url.empty())
      add(Finding::warning("database pooler", "there is a pooler (PgBouncer or its like) in between",
                           "LISTEN does not get through it, so that new work is found by polling: set "
                           "EILBOTE_STORE_LISTEN_URL to a direct address of the server."));
  }

  // False: what needs our tables is not looked at.
  bool look_at_schema() {
    auto rows = link_->run(q::find_migrations);
    if (!rows && link_->sqlstate() != kUndefinedTable) {
      add(Finding::error(
          "database schema", rows.error().message,
          "The role of EILBOTE_STORE_URL must own Eilbote's tables, or have all rights on them."));
      return false;
    }
    const auto applied = rows ? read_migrations(*rows) : std::vector<std::string>();
    add(judge_schema(applied, schema_version(), false));
    return !applied.empty() && applied.back() >= schema_version();
  }

  // As the claim would run, but it does not. A pooler may not have let the session's settings through, hence the transaction.
  Result<void> look_at_plan() {
    const std::string text = "EXPLAIN (COSTS OFF) " + std::string(q::claim_due.text);
    const sql::Text explain{"explain_claim", text};
    Array lanes(Type::int4), counts(Type::int4), lows(Type::timestamptz);
    lanes.add(std::int32_t{1});
    counts.add(std::int32_t{100});
    lows.add(clock_.now());
    Params params;
    params.add(std::move(lanes)).add(std::move(counts)).add(std::move(lows)).add(std::int64_t{1});
    Calls calls;
    calls.push_back({&q::begin_transaction, {}});
    calls.push_back({&q::use_indexes, {}});
    calls.push_back({&explain, std::move(params)});
    calls.push_back({&q::rollback_transaction, {}});
    auto answers = link_->run(calls);
    if (!answers) return fail(answers.error());
    std::string plan;
    for (const Row row : (*answers)[2])
      plan.append(row.text(0)).append("\n");
    add(judge_plan(plan));
    return {};
  }

  Result<void> look_at_vacuum() {
    auto rows = link_->run(q::find_vacuum, std::move(Params().add("outbox")));
    if (!rows) return fail(rows.error());
    if (rows->empty()) return {};
    const Row row = (*rows)[0];
    const std::int64_t live = row.int8(0), dead = row.int8(1);
    const std::string seen = fmt::format("{} rows in outbox, {} dead", live, dead);
    const bool off_here = row.text(3).find("autovacuum_enabled=off") != std::string_view::npos ||
                          row.text(3).find("autovacuum_enabled=false") != std::string_view::npos;
    if (setting("autovacuum") != "on" || setting("track_counts") != "on" || off_here)
      add(Finding::error(
          "database vacuum", seen + "; autovacuum is off",
          "Set autovacuum and track_counts to on; on the table outbox itself RESET (autovacuum_enabled)."));
    else if (dead > kDeadRowsMin && dead > live)
      add(Finding::warning(
          "database vacuum", seen,
          "VACUUM does not keep up: look in pg_stat_activity for old transactions and in "
          "pg_replication_slots for lost slots, which keep dead rows alive; then VACUUM outbox."));
    else
      add(Finding::ok("database vacuum", seen));
    return {};
  }

  Result<int> look_at_instances() {
    auto rows = link_->run(q::find_instances, std::move(Params().add(kInstancesMax)));
    if (!rows) return fail(rows.error());
    std::vector<InstanceFact> instances;
    TimePoint now = clock_.now();
    for (const Row row : *rows) {
      instances.push_back({std::string(row.text(0)), row.time(1)});
      now = row.time(2);
    }
    add(judge_instances(instances, now));
    return running_instances(instances, now);
  }

  // Each instance may use its connections, and one more to listen.
  Result<void> look_at_connections(int instances) {
    const int room = number("max_connections") - number("superuser_reserved_connections");
    const int wanted = (options_.connections + 1) * instances;
    const std::string seen =
        fmt::format("{} of {} are in use, Eilbote may take {}", connected_, room, wanted);
    if (has_pooler_)
      add(Finding::ok("database connections", seen + "; the pooler in between decides"));
    else if (wanted > room)
      add(Finding::error(
          "database connections", seen,
          fmt::format("Raise max_connections to at least {}, or lower EILBOTE_STORE_CONNECTIONS.",
                      wanted + number("superuser_reserved_connections"))));
    else
      add(Finding::ok("database connections", seen));
    return {};
  }

  Result<void> look_at_queue() {
    const auto numbers = stats(*link_);
    if (!numbers) return fail(numbers.error());
    add(judge_queue(numbers->pools, numbers->now));
    return {};
  }

  const StoreOptions& options_;
  const Clock& clock_;
  std::unique_ptr<Connection> link_;
  std::map<std::string, std::string> settings_;
  std::int64_t connected_ = 0;
  bool has_pooler_ = false;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> examine(const StoreOptions& options, const Clock& clock) {
  return Examination(options, clock).run();
}

}  // namespace eilbote::postgres
