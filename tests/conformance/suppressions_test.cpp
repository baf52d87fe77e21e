// The suppression list on both stores: what people put on it and take off, and how it is laid over mails that are about to go
// out.
#include <gmock/gmock.h>

#include "support/outbox_fixture.h"

namespace eilbote::test::suppressions_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

AuditEntry audit(const std::string& act) {
  return {"operator", act, R"({"address":"x"})", "0af7651916cd43dd8448eb211c80319c", "suppression:x"};
}

class Suppressions : public StoreFixture {
 protected:
  bool suppress(const std::string& client, const std::string& address,
                const std::string& reason = "asked us to") {
    return must(
        suppressions().suppress({ClientName{client}, address, reason, {}, {}}, audit("suppression.add")));
  }
  bool unsuppress(const std::string& client, const std::string& address) {
    return must(suppressions().unsuppress(ClientName{client}, address, audit("suppression.remove")));
  }
  std::vector<std::string> list(const SuppressionQuery& query = {}) {
    std::vector<std::string> all;
    for (const Suppression& one : must(suppressions().suppressions(query)))
      all.push_back(one.client.value() + " " + one.address);
    return all;
  }
  MailContent content(JobId id) { return must(outbox().load_contents(std::vector{id}, {})).mails.at(0); }
};
INSTANTIATE_TEST_SUITE_P(Stores, Suppressions, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(Suppressions, AnEntryComesBackAsItWasGiven) {
  EXPECT_TRUE(suppress("shop", "ann@example.org", "asked us to"));
  const auto all = must(suppressions().suppressions({}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].client, ClientName{"shop"});
  EXPECT_EQ(all[0].address, "ann@example.org");
  EXPECT_EQ(all[0].reason, "asked us to");
  EXPECT_FALSE(all[0].job);
  EXPECT_TRUE(about(all[0].since, now()));
}

TEST_P(Suppressions, TwiceIsOnceAndTheFirstStays) {
  EXPECT_TRUE(suppress("shop", "ann@example.org", "first"));
  EXPECT_FALSE(suppress("shop", "ann@example.org", "second"));
  EXPECT_TRUE(suppress("billing", "ann@example.org")) << "another client has a list of its own";
  EXPECT_EQ(must(suppressions().suppressions({.client = ClientName{"shop"}})).at(0).reason, "first");
  EXPECT_EQ(count("audit_log"), 2) << "what changed nothing is not on record";
}

TEST_P(Suppressions, RemovingIsOnRecord) {
  suppress("shop", "ann@example.org");
  suppress("billing", "ann@example.org");
  EXPECT_FALSE(unsuppress("shop", "bob@example.org"));
  EXPECT_FALSE(unsuppress("nobody", "ann@example.org"));
  EXPECT_TRUE(unsuppress("shop", "ann@example.org"));
  EXPECT_FALSE(unsuppress("shop", "ann@example.org"));
  EXPECT_THAT(list(), ElementsAre("billing ann@example.org"));
  const auto records = must(registry().audit({.act = "suppression.remove"}));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].entry.target, "suppression:x");
  EXPECT_EQ(records[0].entry.actor, "operator");
}

TEST_P(Suppressions, AreListedByClientAndAddressPageByPage) {
  for (const char* client : {"shop", "billing", "Zoo"})
    for (const char* address : {"c@x.org", "a@x.org", "b@x.org"})
      suppress(client, address);
  const std::vector<std::string> want{"Zoo a@x.org",     "Zoo b@x.org",     "Zoo c@x.org",
                                      "billing a@x.org", "billing b@x.org", "billing c@x.org",
                                      "shop a@x.org",    "shop b@x.org",    "shop c@x.org"};
  EXPECT_EQ(list(), want);
  for (const int limit : {1, 2, 4, 100}) {
    std::vector<std::string> got;
    SuppressionQuery query{.limit = limit};
    for (auto page = must(suppressions().suppressions(query)); !page.empty();
         page = must(suppressions().suppressions(query))) {
      EXPECT_LE(page.size(), static_cast<std::size_t>(limit));
      for (const Suppression& one : page)
        got.push_back(one.client.value() + " " + one.address);
      query.after = {page.back().client, page.back().address};
    }
    EXPECT_EQ(got, want) << "pages of " << limit;
  }
  EXPECT_THAT(list({.client = ClientName{"shop"}, .address = "b@x.org"}), ElementsAre("shop b@x.org"));
  EXPECT_THAT(list({.address = "b@x.org"}), ElementsAre("Zoo b@x.org", "billing b@x.org", "shop b@x.org"));
  EXPECT_THAT(list({.client = ClientName{"nobody"}}), IsEmpty());
}

TEST_P(Suppressions, RecipientsThatWaitAreMarkedWhenTheirMailIsLoaded) {
  suppress("shop", "bob@xn--bcher-kva.example", "asked us to");
  const JobId id = accepted(new_mail().to("ann@x.org").cc("Bob@BÜCHER.example").bcc("cid@x.org"));
  const MailContent mail = content(id);
  EXPECT_THAT(mail.suppressed_now, ElementsAre(1));
  EXPECT_EQ(mail.recipients.at(0).status, RecipientStatus::waiting);
  EXPECT_EQ(mail.recipients.at(1).status, RecipientStatus::suppressed);
  EXPECT_THAT(mail.recipients.at(1).reply, StartsWith("suppressed since 20"));
  EXPECT_THAT(mail.recipients.at(1).reply, HasSubstr("asked us to"));
  EXPECT_EQ(record(id).recipients.at(1).status, RecipientStatus::waiting) << "not on record yet";

  unsuppress("shop", "bob@xn--bcher-kva.example");
  EXPECT_THAT(content(id).suppressed_now, IsEmpty());
}

TEST_P(Suppressions, ALoadOfManyMailsMarksEachByItsOwnClient) {
  suppress("shop", "ann@x.org");
  const JobId shop = accepted(new_mail().from_client("shop").to("ann@x.org").to("bob@x.org"));
  const JobId billing = accepted(new_mail().from_client("billing").to("ann@x.org"));
  const JobId other = accepted(new_mail().from_client("shop").to("bob@x.org"));
  const auto mails = must(outbox().load_contents(std::vector{other, billing, shop}, {})).mails;
  ASSERT_EQ(mails.size(), 3U);
  EXPECT_THAT(mails[0].suppressed_now, IsEmpty());
  EXPECT_THAT(mails[1].suppressed_now, IsEmpty()) << "another client's list";
  EXPECT_THAT(mails[2].suppressed_now, ElementsAre(0));
}

TEST_P(Suppressions, WhoHasAResultIsNotMarked) {
  const JobId id = accepted(new_mail().to("ann@x.org").to("bob@x.org"));
  Worker one = worker();
  one.settle(settle_partial(one.claim_only()));
  suppress("shop", "ann@x.org");
  const MailContent mail = content(id);
  EXPECT_THAT(mail.suppressed_now, IsEmpty());
  EXPECT_EQ(mail.recipients.at(0).status, RecipientStatus::taken);
}

TEST_P(Suppressions, ABounceSaysWhenAndWhy) {
  const JobId first = accepted(new_mail().to("ann@x.org"));
  Worker one = worker();
  one.settle(settle_sent(one.claim_only()));
  DeliveryReport report;
  report.key = "dsn:1";
  report.references = {{first, "", ""}};
  report.recipients = {{"ann@x.org", "", ReportAction::failed, "5.1.1", "no such user"}};
  EXPECT_THAT(must(reports().take(report)).suppressed, ElementsAre("ann@x.org"));
  const JobId next = accepted(new_mail().to("ann@x.org"));
  EXPECT_EQ(content(next).recipients.at(0).reply,
            "suppressed: it bounced on " + to_rfc3339(now()).substr(0, 10) + " (5.1.1 no such user)");
}

}  // namespace
}  // namespace eilbote::test::suppressions_test
