// With a data key nothing of a mail or a payload can be read in the database, in no file and no table; those who may see it
// see it; the key can be changed; without it the server does not start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/base64.h"
#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/job_api.h"
#include "support/program.h"
#include "support/raw_sql.h"
#include "support/scripted_http.h"
#include "support/test_store.h"

namespace eilbote::test::contents_lie_encrypted_in_the_database {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const std::string kSubject = "Kuendigung-zum-Quartal";
const std::string kText = "Vertrauliche-Einzelheiten";
const std::string kPayload = "Kontostand-4711";

class ContentsWithADataKey : public StoreScenario {
 protected:
  std::string new_key(const std::string& name, char fill) const {
    std::ofstream(folder_ / name) << base64_encode(std::string(32, fill)) << "\n";
    return "file://" + (folder_ / name);
  }
  // Whatever can be read without the key: every file of the server but what it captured, and every table with content.
  std::string all_that_lies_there() const {
    std::string all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file() && entry.path().string().find("/captured/") == std::string::npos)
        all += read_text_file(entry.path().string());
    if (on_postgres())
      for (const char* table :
           {"messages", "webhooks", "attempts", "mail_status", "facets", "idempotency_keys"})
        for (const SqlRow& row :
             open_raw_postgres(database_url())->rows(std::string("SELECT t::text, 'x' FROM ") + table + " t"))
          all += row.at(0);
    return all;
  }
  CommandResult run(const std::string& verb, Settings settings) const {
    settings.try_emplace("EILBOTE_LISTEN", "127.0.0.1:0");
    settings.try_emplace("EILBOTE_DATA_DIR", folder_ / "data");
    if (on_postgres()) settings.try_emplace("EILBOTE_STORE_URL", database_url());
    return run_command({program_under_test(), verb}, settings, 60s);
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, ContentsWithADataKey,
                         testing::Values(StoreKind::sqlite, StoreKind::postgres), store_name);

TEST_P(ContentsWithADataKey, are_read_by_nobody_else) {
  const std::string first = new_key("first.key", 'a'), second = new_key("second.key", 'b');
  ScriptedHttp endpoint;
  std::string mail, job;
  {
    const auto server = start_server({{"EILBOTE_DATA_KEY_REF", first}});
    const MailApi api(*server);
    mail = api.accept(R"({"from":"a@example.org","to":["ann@example.org"],"subject":")" + kSubject +
                      R"(","body":{"text":")" + kText + R"("},"tags":["blue"]})");
    job = JobApi(*server).accept(R"({"source":"shop","code":"orders:created","targetUrl":")" +
                                 endpoint.url() + R"(","payload":"{\"a\":\")" + kPayload + R"(\"}"})");
    ASSERT_TRUE(api.reaches(mail, "SENT"));
    ASSERT_TRUE(JobApi(*server).reaches(job, "COMPLETED"));
    EXPECT_THAT(endpoint.seen().at(0).body, HasSubstr(kPayload)) << "the endpoint gets it as it was";
    const std::string captured = read_text_file(captured_mails(server->capture_folder()).at(0).path);
    EXPECT_THAT(captured, testing::AllOf(HasSubstr(kSubject), HasSubstr(kText)))
        << "and the mail leaves whole";
    EXPECT_THAT(json::serialize(JobApi(*server).job(job)), HasSubstr(kPayload));
    EXPECT_EQ(api.list("tag=blue").size(), 1U) << "what is searched for is found";
    EXPECT_EQ(server->stop(), 0);
  }
  const auto nowhere = [&] {
    const std::string all = all_that_lies_there();
    for (const std::string& text : {kSubject, kText, kPayload})
      EXPECT_EQ(all.find(text), std::string::npos) << text;
  };
  nowhere();

  const CommandResult without = run("serve", {});
  EXPECT_NE(without.exit_code, 0);
  EXPECT_THAT(without.err, HasSubstr("EILBOTE_DATA_KEY_REF: is not set, but contents"));
  const CommandResult other = run("serve", {{"EILBOTE_DATA_KEY_REF", second}});
  EXPECT_NE(other.exit_code, 0);
  EXPECT_THAT(other.err, HasSubstr("EILBOTE_DATA_KEY_PREVIOUS_REF"));

  const CommandResult rekeyed =
      run("rekey", {{"EILBOTE_DATA_KEY_REF", second}, {"EILBOTE_DATA_KEY_PREVIOUS_REF", first}});
  EXPECT_EQ(rekeyed.exit_code, 0) << rekeyed.err;
  EXPECT_THAT(rekeyed.out, HasSubstr("2 rows: 2 are newly encrypted"));
  const auto server = start_server({{"EILBOTE_DATA_KEY_REF", second}});
  EXPECT_EQ(MailApi(*server).status(mail), "SENT");
  EXPECT_THAT(json::serialize(JobApi(*server).job(job)), HasSubstr(kPayload));
  EXPECT_EQ(server->stop(), 0);
  nowhere();
}

TEST_P(ContentsWithADataKey, that_do_not_open_end_their_mail_with_a_word_about_the_key) {
  const auto server = start_server({{"EILBOTE_DATA_KEY_REF", new_key("some.key", 'a')}});
  const MailApi api(*server);
  const std::string mail = api.accept(mail_json("ann@example.org", kSubject, due_in_a_month()));
  const auto sql = on_postgres() ? open_raw_postgres(database_url())
                                 : open_raw_sqlite(server->data_folder() + "/eilbote.db");
  // It has the mark of an encrypted content, and nothing else of one.
  const std::string bytes = "01" + std::string(120, '0');
  sql->run("UPDATE messages SET mime = " + (on_postgres() ? "'\\x" + bytes + "'" : "x'" + bytes + "'"));
  EXPECT_EQ(server->post("/internal/dispatch/" + mail, "{}").status, 200);
  ASSERT_TRUE(api.reaches(mail, "FAILED")) << json::serialize(api.message(mail));
  EXPECT_THAT(json::serialize(api.attempts(mail)), HasSubstr("does not open with the data key"));
}

TEST_P(ContentsWithADataKey, a_reference_can_be_checked_without_being_shown) {
  const std::string key = new_key("some.key", 'a');
  const auto check = [&](const std::string& reference) {
    return run_command({program_under_test(), "secret", "check", reference}, {}, 30s);
  };
  const CommandResult good = check(key);
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(good.out, "resolves\n");
  EXPECT_THAT(good.out + good.err, Not(HasSubstr(base64_encode(std::string(32, 'a')))));
  EXPECT_EQ(check("file:///nowhere/at/all").exit_code, 4);
  EXPECT_EQ(check("hunter2").exit_code, 2);
  EXPECT_THAT(check("hunter2").err, Not(HasSubstr("hunter2")));
  EXPECT_THAT(check("vault://a#b").err, HasSubstr("EILBOTE_VAULT_ADDR"));
}

}  // namespace
}  // namespace eilbote::test::contents_lie_encrypted_in_the_database
