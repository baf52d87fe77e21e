// Power loss, at every write: a run of the store is recorded, each write, truncation and sync of its files, and the power is
// cut after each of them, in every way it can go (support/disk_log.h). Whatever is left opens, is whole, and holds every job
// that was acknowledged and every settlement that was answered. sqlite_power_cut_test.cpp cuts once, at the end of a long run.
#include <iostream>
#include <thread>

#include "support/mail_builder.h"
#include "support/raw_sql.h"
#include "support/recorded_run.h"
#include "support/settlements.h"
#include "support/test_scale.h"
#include "support/test_seed.h"
#include "support/webhook_builder.h"
#include "support/worker.h"

namespace eilbote::test::sqlite_power_loss_test {
namespace {

class SqlitePowerLoss : public RecordedRun {
 protected:
  void open_recorded() {
    Store store = must(open_store(options(), clock_));
    outbox_ = std::move(store.outbox);
    care_ = std::move(store.care);
  }
  void close_recorded() {
    care_.reset();
    outbox_.reset();
  }

  JobId id() { return ids_.next(clock_.now()); }
  void accept_all(const std::vector<NewJob>& jobs) {
    must(outbox_->accept(jobs, AcceptRun::first));
    promised(jobs);
  }
  void settle_sent_all(Worker& worker, const std::vector<ClaimedJob>& claimed) {
    std::vector<Settlement> settlements;
    for (const ClaimedJob& one : claimed)
      settlements.push_back(settle_sent(one));
    for (const SettleOutcome outcome : worker.exchange(settlements).settled)
      EXPECT_EQ(outcome, SettleOutcome::settled);
    promised_sent(settlements);
  }
  void checkpoint(const std::string& mode) {
    open_raw_sqlite(path())->rows("PRAGMA wal_checkpoint(" + mode + ")");
  }

  void tell(const Look& look) {
    std::cout << "[  power   ] cut at " << look.boundaries << " of " << look.events << " writes and syncs, "
              << look.images << " different images\n";
  }

  // Everything a store is asked for, one after the other, with what it holds after each answer.
  void live(const std::string& checkpoint_mode);
  void accept_some();
  void deliver_some(Worker& worker);

  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<OutboxCare> care_;
};

void SqlitePowerLoss::accept_some() {
  accept_all({MailBuilder(id()).keyed("key " + to_text(id())).tagged("news").about("order", "1001")});
  note_content();
  accept_all({MailBuilder(id()).in_group("g", 10), MailBuilder(id()).in_group("g", 20),
              MailBuilder(id()).blocking_group("b"), MailBuilder(id()).blocking_group("b"),
              MailBuilder(id()).with_mime(std::string(9000, 'm'))});
  note_content();
  accept_all({WebhookBuilder(id()).in_group("w"), WebhookBuilder(id()).in_group("w"),
              WebhookBuilder(id()).to_host("b.example")});
  note_content();
}

// Each way an attempt can end, with turns of groups that pass on.
void SqlitePowerLoss::deliver_some(Worker& worker) {
  const std::vector<ClaimedJob> claimed = worker.claim();
  note_content();
  std::vector<ClaimedJob> first(claimed.begin(),
                                claimed.begin() + static_cast<std::ptrdiff_t>(claimed.size() / 2));
  settle_sent_all(worker, first);
  note_content();
  std::vector<Settlement> others;
  for (std::size_t i = first.size(); i < claimed.size(); ++i)
    others.push_back(i % 3 == 0   ? settle_retry(claimed[i])
                     : i % 3 == 1 ? settle_failed(claimed[i])
                                  : settle_released(claimed[i]));
  worker.exchange(others);
  note_content();
  const std::vector<ClaimedJob> next = worker.claim();
  note_content();
  settle_sent_all(worker, next);
  note_content();
}

void SqlitePowerLoss::live(const std::string& checkpoint_mode) {
  open_recorded();
  note_content();
  Worker worker(*outbox_, *care_, "one");
  note_content();
  accept_some();
  deliver_some(worker);
  checkpoint(checkpoint_mode);
  note_content();
  const std::vector<NewJob> cancelled{MailBuilder(id())};
  accept_all(cancelled);
  note_content();
  ActRequest cancel;
  cancel.client = ClientName{"shop"};
  cancel.actor = "shop";
  must(outbox_->act(std::span(&cancelled[0].id, 1), cancel));
  note_content();
  clock_.advance(std::chrono::minutes{2});
  must(care_->sweep(SweepParams{.sweep = Sweep::promote}));
  note_content();
  must(care_->heartbeat(worker.epoch(), std::chrono::minutes{5}, true));
  note_content();
  accept_some();
  must(care_->end_instance(worker.epoch()));
  note_content();
  must(care_->rescue(RescueParams{}));
  note_content();
  close_recorded();
}

TEST_F(SqlitePowerLoss, at_any_write_leaves_what_was_acknowledged) {
  begin();
  for (const char* mode : {"PASSIVE", "RESTART", "TRUNCATE"})
    live(mode);
  end();
  const std::uint64_t seed = test_seed();
  const Look found = look(static_cast<std::size_t>(scaled(400, 30)), seed);
  tell(found);
  EXPECT_EQ(found.fault, "") << "\nrepeat with EILBOTE_TEST_SEED=" << seed;
}

// Several callers share a commit, and the store's own thread copies the WAL back and starts it over meanwhile.
TEST_F(SqlitePowerLoss, under_load_leaves_what_was_acknowledged) {
  begin();
  open_recorded();
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([this, caller] {
        TsidFactory ids{Epoch{10 + caller}};
        Worker worker(*outbox_, *care_, "w" + std::to_string(caller));
        for (int i = 0; i < 30; ++i) {
          accept_all({MailBuilder(ids.next(clock_.now())).with_mime(std::string(80'000, 'm'))});
          settle_sent_all(worker, worker.claim(2));
        }
      });
  }
  close_recorded();
  end();
  const std::uint64_t seed = test_seed();
  const Look found = look(static_cast<std::size_t>(scaled(40, 8)), seed);
  tell(found);
  EXPECT_EQ(found.fault, "") << "\nrepeat with EILBOTE_TEST_SEED=" << seed;
}

// The proof that the tests above can fail: a disk that says it has synced and has not.
TEST_F(SqlitePowerLoss, is_seen_to_take_what_a_disk_that_lies_did_not_sync) {
  begin();
  open_recorded();
  accept_all({MailBuilder(id())});
  note_content();
  const std::size_t from = events();
  vfs_.wal_sync_lies = true;
  accept_all({MailBuilder(id())});
  note_content();
  vfs_.wal_sync_lies = false;
  close_recorded();
  end();
  const Look found = look(1000, 1, from);
  EXPECT_NE(found.fault.find("Of 2 mails and 0 webhooks that were acknowledged, 1 and 0 are there."),
            std::string::npos)
      << found.fault;
}

// And one that answers before the commit: what is promised is not on the disk yet.
TEST_F(SqlitePowerLoss, is_seen_to_take_what_was_promised_too_early) {
  begin();
  open_recorded();
  note_content();
  const std::size_t from = events();
  const std::vector<NewJob> jobs{MailBuilder(id())};
  promised(jobs);
  must(outbox_->accept(jobs, AcceptRun::first));
  note_content();
  close_recorded();
  end();
  EXPECT_NE(look(1000, 1, from).fault, "");
}

}  // namespace
}  // namespace eilbote::test::sqlite_power_loss_test
