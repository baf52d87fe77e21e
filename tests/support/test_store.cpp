#include "support/test_store.h"

#include <algorithm>
#include <stdexcept>

#include "support/eventually.h"
#include "support/program.h"

namespace eilbote::test {

void PrintTo(StoreKind kind, std::ostream* out) {
  *out << (kind == StoreKind::sqlite ? "sqlite" : "postgres");
}

std::string store_name(const testing::TestParamInfo<StoreKind>& info) {
  return testing::PrintToString(info.param);
}

namespace {

// The name of a database that `eilbote migrate` has made ready; scenarios get copies of it.
const std::string& migrated_template() {
  static const std::string name = [] {
    const TempFolder folder;
    const std::string url = PostgresServer::shared().create_database();
    const CommandResult migrated = run_command(
        {program_under_test(), "migrate"}, {{"EILBOTE_STORE_URL", url}, {"EILBOTE_DATA_DIR", folder.path()}});
    if (migrated.exit_code != 0) throw std::runtime_error("eilbote migrate: " + migrated.out + migrated.err);
    return url.substr(url.rfind('/') + 1);
  }();
  return name;
}

}  // namespace

std::string create_migrated_database() {
  return PostgresServer::shared().create_database(migrated_template());
}

void StoreScenario::SetUp() {
  if (on_postgres()) database_url_ = create_migrated_database();
}

void StoreScenario::TearDown() {
  if (!database_url_.empty()) postgres().drop_database(database_url_);
}

std::unique_ptr<EilboteProcess> StoreScenario::make_server(Settings settings, const std::string& name) const {
  if (on_postgres()) settings.try_emplace("EILBOTE_STORE_URL", database_url_);
  return std::make_unique<EilboteProcess>(folder_ / name, std::move(settings));
}

std::unique_ptr<EilboteProcess> StoreScenario::start_server(Settings settings,
                                                            const std::string& name) const {
  auto server = make_server(std::move(settings), name);
  server->start();
  return server;
}

std::vector<StoredMail> stored_mails(const MailApi& api) {
  std::vector<StoredMail> all;
  for (const json::value& one : api.list())
    all.push_back({text_at(one, "/messageId"), text_at(one, "/status")});
  return all;
}

Judgement judge_when_done(const MailHistory& history, const EilboteProcess& server, MailHistory::Rules rules,
                          const std::vector<std::string>& capture_folders,
                          std::chrono::milliseconds patience) {
  const MailApi api(server);
  const auto captured = [&] {
    std::vector<CapturedMail> all;
    for (const std::string& folder : capture_folders)
      for (CapturedMail& mail : captured_mails(folder))
        all.push_back(std::move(mail));
    return all;
  };
  std::vector<StoredMail> stored;
  eventually(
      [&] {
        std::size_t files = 0;
        for (const std::string& folder : capture_folders)
          files += captured_count(folder);
        if (files < history.acknowledged_count()) return false;
        stored = stored_mails(api);
        return std::all_of(stored.begin(), stored.end(),
                           [](const StoredMail& mail) { return mail.status == "SENT"; });
      },
      patience, std::chrono::milliseconds{200});
  stored = stored_mails(api);
  return history.judge(captured(), stored, rules);
}

}  // namespace eilbote::test
