#include "support/broker_scenario.h"

#include <unistd.h>

#include <filesystem>
#include <ostream>
#include <stdexcept>

#include "domain/tsid.h"
#include "support/eventually.h"
#include "support/server_packages.h"

namespace eilbote::test {

void PrintTo(const BrokerCase& one, std::ostream* out) {
  *out << (one.broker == BrokerKind::rabbitmq ? "rabbitmq" : "sqs") << "_"
       << testing::PrintToString(one.store);
}

std::string broker_case_name(const testing::TestParamInfo<BrokerCase>& info) {
  return testing::PrintToString(info.param);
}

void BrokerScenario::SetUp() {
  SKIP_BECAUSE(missing_broker(GetParam().broker));
  broker_ = make_test_broker(GetParam().broker);
  if (on_postgres()) database_url_ = create_migrated_database();
}

void BrokerScenario::TearDown() {
  if (!database_url_.empty()) postgres().drop_database(database_url_);
}

std::unique_ptr<EilboteProcess> BrokerScenario::make_server(const std::string& role, Settings settings,
                                                            const std::string& name) const {
  if (on_postgres()) settings.try_emplace("EILBOTE_STORE_URL", database_url_);
  settings.try_emplace("EILBOTE_ROLE", role);
  settings.try_emplace("EILBOTE_LEASE_SECONDS", "3");
  settings.try_emplace("EILBOTE_PENDING_POLL_SECONDS", "1");
  settings.try_emplace("DISPATCH_RETRY_INTERVAL_SECONDS", "1");
  for (const auto& [option, value] : broker_->settings())
    settings.try_emplace(option, value);
  return std::make_unique<EilboteProcess>(folder_ / name, std::move(settings));
}

std::unique_ptr<EilboteProcess> BrokerScenario::start_server(const std::string& role, Settings settings,
                                                             const std::string& name) const {
  auto server = make_server(role, std::move(settings), name);
  server->start();
  return server;
}

std::unique_ptr<RawSql> BrokerScenario::open_sql(const std::string& name) const {
  return on_postgres() ? open_raw_postgres(database_url_) : open_raw_sqlite(folder_ / (name + "/eilbote.db"));
}

bool gets_connected(const EilboteProcess& server, bool connected) {
  return eventually([&] { return MailApi(server).metric("eilbote_broker_connected") == (connected ? 1 : 0); },
                    std::chrono::seconds{60});
}

HistoryVerdict expect_history_holds(const History& history, const HistoryRules& rules) {
  HistoryVerdict verdict = check_history(history.events(), rules);
  if (verdict.holds()) return verdict;
  const std::string file =
      (std::filesystem::temp_directory_path() / ("eilbote-history-" + std::to_string(::getpid()) + ".jsonl"))
          .string();
  history.save(file);
  ADD_FAILURE() << verdict.page() << "the whole history: " << file;
  return verdict;
}

std::string row_value(RawSql& sql, const std::string& id, const std::string& column) {
  const auto job = parse_job_id(id);
  if (!job) throw std::runtime_error("no id: " + id);
  const auto rows = sql.rows("SELECT " + column + " FROM outbox WHERE id = " + std::to_string(job->value()));
  return rows.empty() ? "" : rows[0][0];
}

std::string row_status(RawSql& sql, const std::string& id) {
  return row_value(sql, id, "status");
}

}  // namespace eilbote::test
