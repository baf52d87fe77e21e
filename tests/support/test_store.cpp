#include "support/test_store.h"

#include <algorithm>

#include "support/eventually.h"

namespace eilbote::test {

std::string store_name(const testing::TestParamInfo<StoreKind>& info) {
  return info.param == StoreKind::sqlite ? "sqlite" : "postgres";
}

void StoreScenario::SetUp() {
  if (on_postgres()) database_url_ = fresh_postgres_database();
}

void StoreScenario::TearDown() {
  if (!database_url_.empty()) drop_postgres_database(database_url_);
}

std::unique_ptr<EilboteProcess> StoreScenario::make_server(Settings settings, const std::string& name) const {
  if (on_postgres()) settings.try_emplace("EILBOTE_STORE_URL", database_url_);
  return std::make_unique<EilboteProcess>(folder_ / name, std::move(settings));
}

std::unique_ptr<EilboteProcess> StoreScenario::start_server(Settings settings, const std::string& name) const {
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
                          const std::vector<std::string>& capture_folders, std::chrono::milliseconds patience) {
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
        return std::all_of(stored.begin(), stored.end(), [](const StoredMail& mail) { return mail.status == "SENT"; });
      },
      patience, std::chrono::milliseconds{200});
  stored = stored_mails(api);
  return history.judge(captured(), stored, rules);
}

}  // namespace eilbote::test
