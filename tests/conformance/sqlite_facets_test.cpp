// The inbox in front of the index of facets: moved over when it is full, and never seen by who searches.
#include "support/raw_sql.h"
#include "support/sqlite_file.h"

namespace eilbote::test::sqlite_facets_test {
namespace {

class SqliteFacets : public SqliteFile {
 protected:
  std::string count(const std::string& table) {
    return open_raw_sqlite(path())->rows("SELECT count(*) FROM " + table).at(0).at(0);
  }
};

std::vector<JobId> found(Outbox& outbox, const std::string& recipient) {
  ListQuery query;
  query.client = ClientName{"shop"};
  query.recipient = recipient;
  const Page page = outbox.list(query).value();
  std::vector<JobId> ids;
  for (const JobRecord& record : page.jobs)
    ids.push_back(record.job.id);
  return ids;
}

TEST_F(SqliteFacets, are_found_in_the_inbox_and_in_the_index_newest_first) {
  const auto outbox = open();
  std::vector<NewJob> jobs = new_jobs(2500);
  // One that will be moved, one that will not, to the same address.
  jobs[3].mail.recipients[0].address = jobs[2400].mail.recipients[0].address = "twice@example.org";
  // The same address as To and Cc counts once.
  jobs[2400].mail.recipients.push_back(
      {RecipientKind::cc, "twice@example.org", RecipientStatus::waiting, ""});
  ASSERT_TRUE(outbox->accept(std::span(jobs).first(2000), AcceptRun::first));
  EXPECT_EQ(count("facet_inbox"), "2000");
  ASSERT_TRUE(outbox->accept(std::span(jobs).subspan(2000, 100), AcceptRun::first));
  EXPECT_EQ(count("facet_inbox"), "0");
  EXPECT_EQ(count("facet_index"), "2100");
  ASSERT_TRUE(outbox->accept(std::span(jobs).subspan(2100), AcceptRun::first));
  EXPECT_EQ(count("facet_inbox"), "400");

  EXPECT_EQ(found(*outbox, "twice@example.org"), (std::vector{jobs[2400].id, jobs[3].id}));
  EXPECT_EQ(found(*outbox, jobs[0].mail.recipients[0].address), std::vector{jobs[0].id});
  EXPECT_EQ(found(*outbox, jobs[2499].mail.recipients[0].address), std::vector{jobs[2499].id});
  EXPECT_EQ(count("facets"), "2500");
}

}  // namespace
}  // namespace eilbote::test::sqlite_facets_test
