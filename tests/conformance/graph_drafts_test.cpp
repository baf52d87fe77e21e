// The draft book: what is about to be sent is on record under the lease of its mail, found by whoever has the mail next,
// closed when the mail is sent anew after all, and gone with its mail.
#include <gmock/gmock.h>

#include <future>

#include "support/eventually.h"
#include "support/outbox_fixture.h"

namespace eilbote::test::graph_drafts_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GraphDrafts : public StoreFixture {
 protected:
  static DraftNote note_of(const ClaimedJob& claimed, const std::string& id,
                           const std::string& message_id = "") {
    return {{claimed.job.id, "sender@example.org", id, message_id, {}}, claimed.token};
  }
  std::vector<bool> note(const std::vector<DraftNote>& notes) { return must(drafts().note(notes)); }
  std::vector<Draft> find(const std::vector<JobId>& jobs) { return must(drafts().find(jobs)).drafts; }
  std::vector<std::string> ids(JobId job) {
    std::vector<std::string> all;
    for (const Draft& draft : find({job}))
      all.push_back(draft.id);
    return all;
  }
  ClaimedJob claimed() {
    const JobId id = accepted(new_mail());
    return one().claim_one(id).value();
  }
  Worker& one() {
    if (!worker_) worker_ = std::make_unique<Worker>(outbox(), care(), "one", days{1000});
    return *worker_;
  }

 private:
  std::unique_ptr<Worker> worker_;
};
INSTANTIATE_TEST_SUITE_P(Stores, GraphDrafts, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(GraphDrafts, WhatIsNotedIsFoundAsItWas) {
  const ClaimedJob job = claimed();
  EXPECT_THAT(find({job.job.id}), IsEmpty());
  EXPECT_THAT(note({note_of(job, "AAMkAG=", "<made-by@outlook.com>")}), ElementsAre(true));
  const DraftBook::Found found = must(drafts().find(std::vector{JobId{42}, job.job.id}));
  ASSERT_EQ(found.drafts.size(), 1U);
  const Draft& draft = found.drafts[0];
  EXPECT_EQ(draft.job, job.job.id);
  EXPECT_EQ(draft.mailbox, "sender@example.org");
  EXPECT_EQ(draft.id, "AAMkAG=");
  EXPECT_EQ(draft.internet_message_id, "<made-by@outlook.com>");
  EXPECT_TRUE(about(draft.noted_at, now()));
  EXPECT_TRUE(about(found.now, now()));
  EXPECT_TRUE(about(must(drafts().find({})).now, now())) << "also when nothing is asked for";
}

TEST_P(GraphDrafts, AStolenLeaseWritesNothing) {
  const ClaimedJob mine = claimed(), kept = claimed();
  must(care().reconcile(one().epoch(), std::vector{kept.job.id}));
  Worker two = worker("two");
  const ClaimedJob theirs = two.claim_one(mine.job.id).value();
  EXPECT_THAT(note({note_of(mine, "old"), note_of(kept, "k"), note_of(theirs, "new")}),
              ElementsAre(false, true, true))
      << "in the order asked, each by its own lease";
  EXPECT_THAT(ids(mine.job.id), ElementsAre("new"));
  EXPECT_EQ(count("graph_drafts"), 2);
}

TEST_P(GraphDrafts, NothingIsNotedForAMailThatNobodyHolds) {
  const ClaimedJob job = claimed();
  one().settle(settle_sent(job));
  DraftNote unknown = note_of(job, "x");
  unknown.draft.job = JobId{42};
  EXPECT_THAT(note({note_of(job, "x"), unknown}), ElementsAre(false, false));
  EXPECT_EQ(count("graph_drafts"), 0);
  EXPECT_THAT(note({}), IsEmpty());
}

TEST_P(GraphDrafts, NotingTwiceMovesTheTimeAndForgetsNothing) {
  const ClaimedJob job = claimed();
  note({note_of(job, "a", "<1@outlook.com>")});
  travel(minutes{10});
  note({note_of(job, "a")});
  const std::vector<Draft> found = find({job.job.id});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(about(found[0].noted_at, now()));
  EXPECT_EQ(found[0].internet_message_id, "<1@outlook.com>");
  EXPECT_THAT(note({note_of(job, "a"), note_of(job, "a")}), ElementsAre(true, true)) << "twice at once";
  EXPECT_EQ(count("graph_drafts"), 1);
}

TEST_P(GraphDrafts, TheLatestOfAMailIsTheOneThatCounts) {
  const ClaimedJob job = claimed(), without_draft = claimed();
  note({note_of(job, "b")});
  travel(minutes{1});
  note({note_of(job, "a"), note_of(without_draft, "")});
  EXPECT_THAT(ids(job.job.id), ElementsAre("a"));
  EXPECT_THAT(ids(without_draft.job.id), ElementsAre(""));
  EXPECT_EQ(count("graph_drafts"), 3) << "earlier ones stay on record";
  travel(minutes{1});
  note({note_of(job, "b")});
  EXPECT_THAT(ids(job.job.id), ElementsAre("b"));
}

TEST_P(GraphDrafts, AreClosedWhenABouncedMailIsSentAgain) {
  const ClaimedJob job = claimed(), other = claimed();
  note({note_of(job, "a", "<1@outlook.com>"), note_of(other, "o")});
  one().settle(settle_sent(job));
  sql("UPDATE outbox SET report = 'bounced' WHERE id = " + std::to_string(job.job.id.value()));
  ASSERT_EQ(act(job.job.id, Act::retry).kind, ActKind::done);
  EXPECT_THAT(ids(job.job.id), IsEmpty()) << "it is really sent again";
  EXPECT_THAT(ids(other.job.id), ElementsAre("o"));
  EXPECT_EQ(count("graph_drafts WHERE internet_message_id = '<1@outlook.com>'"), 1)
      << "a late report on the first one still finds its mail";
  const ClaimedJob again = one().claim_one(job.job.id).value();
  note({note_of(again, "b")});
  EXPECT_THAT(ids(job.job.id), ElementsAre("b"));
  note({note_of(again, "a")});
  EXPECT_EQ(count("graph_drafts WHERE NOT closed"), 3) << "what is about to be sent is open";
}

TEST_P(GraphDrafts, StayOpenWhenAFailedMailIsTriedAgain) {
  const ClaimedJob job = claimed();
  note({note_of(job, "a")});
  one().settle(settle_failed(job, DeadReason::Uncertain));
  ASSERT_EQ(act(job.job.id, Act::retry).kind, ActKind::done);
  EXPECT_THAT(ids(job.job.id), ElementsAre("a")) << "it may have been sent: the draft says";
}

TEST_P(GraphDrafts, GoWithTheirMail) {
  const ClaimedJob gone = claimed(), kept = claimed();
  note({note_of(gone, "a"), note_of(gone, "b"), note_of(kept, "c")});
  one().settle(settle_sent(gone));
  travel(days{31});
  ASSERT_EQ(sweep(Sweep::retain).changed, 1);
  EXPECT_EQ(value("SELECT draft_id FROM graph_drafts"), "c");
}

TEST_P(GraphDrafts, AThousandInOneCall) {
  std::vector<DraftNote> notes;
  std::vector<JobId> jobs = accepted_many(1000);
  for (const ClaimedJob& job : one().claim(1000))
    notes.push_back(note_of(job, "draft-" + std::to_string(job.job.id.value())));
  ASSERT_EQ(notes.size(), 1000U);
  notes[500].token = LeaseToken{1};
  const std::vector<bool> noted = note(notes);
  for (std::size_t i = 0; i < noted.size(); ++i)
    EXPECT_EQ(noted[i], i != 500) << i;
  EXPECT_EQ(find(jobs).size(), 999U);
}

// Only with several programs on one database: a mail is taken from us while its draft is being noted. Whoever comes second
// waits for the first, and sees what it did.
TEST_P(GraphDrafts, ANoteWaitsForWhoeverIsTakingTheMail) {
  if (!on_postgres()) GTEST_SKIP() << "SQLite has one writer";
  const ClaimedJob job = claimed();
  sql("BEGIN; UPDATE outbox SET status = 'queued', lease_token = NULL WHERE id = " +
      std::to_string(job.job.id.value()));
  auto noted = std::async(std::launch::async, [&] { return note({note_of(job, "late")}); });
  const auto raw = open_raw_postgres(options().url);
  EXPECT_TRUE(eventually([&] {
    return raw->rows(
                  "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
                  "wait_event_type = 'Lock'")
               .at(0)
               .at(0) == "1";
  }));
  sql("COMMIT");
  EXPECT_THAT(noted.get(), ElementsAre(false));
  EXPECT_EQ(count("graph_drafts"), 0);
}

}  // namespace
}  // namespace eilbote::test::graph_drafts_test
