// Watched mailboxes and their notices on SQLite; shares the outbox's writer and readers.
#include "ports/mailbox_watch.h"

#include "store/graph_readers.h"
#include "store/sqlite/parts.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

template <class Values>
GivenRows rows_of(const Values& values) {
  GivenRows rows;
  for (const auto& value : values)
    rows.add(value);
  return rows;
}

std::vector<WatchedMailbox> keep_mailboxes(Session& session, Epoch epoch,
                                           std::span<const std::string> mailboxes, Duration lease) {
  const GivenRows names = rows_of(mailboxes);
  std::vector<WatchedMailbox> kept;
  Run run = session.database.run(q::keep_mailboxes);
  for (run.with(epoch, names, session.now, session.now + lease); run.row();)
    kept.push_back(read_watched(run));
  return kept;
}

void save_mailbox(Session& session, const WatchedMailbox& mailbox) {
  std::optional<std::string_view> wanted;
  if (mailbox.wants) wanted = kGraphLifecycleNames.text(*mailbox.wants);
  session.database.run(q::save_mailbox)
      .with(mailbox.mailbox, mailbox.subscription_id, mailbox.client_state, mailbox.subscription_ends,
            mailbox.delta_link, mailbox.traced_until, wanted)
      .done();
}

std::vector<WatchedMailbox> find_subscribed(Reading& reading, std::span<const std::string> subscription_ids) {
  const GivenRows ids = rows_of(subscription_ids);
  std::vector<WatchedMailbox> found;
  Run run = reading.database.run(q::subscribed_mailboxes);
  for (run.with(ids); run.row();)
    found.push_back(read_watched(run));
  return found;
}

std::vector<std::string> find_known(Reading& reading, int limit) {
  std::vector<std::string> names;
  Run run = reading.database.run(q::known_mailboxes);
  for (run.with(limit); run.row();)
    names.emplace_back(run.text(0));
  return names;
}

std::vector<MailNotice> find_waiting(Reading& reading, std::span<const std::string> mailboxes, int limit) {
  const GivenRows names = rows_of(mailboxes);
  std::vector<MailNotice> notices;
  Run run = reading.database.run(q::waiting_notices);
  for (run.with(names, reading.now, limit); run.row();)
    notices.push_back(read_notice(run));
  return notices;
}

class SqliteMailboxWatch final : public MailboxWatch {
 public:
  explicit SqliteMailboxWatch(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  Result<std::vector<WatchedMailbox>> keep(Epoch epoch, std::span<const std::string> mailboxes,
                                           Duration lease) override {
    return writer().run([&](Session& session) { return keep_mailboxes(session, epoch, mailboxes, lease); });
  }
  Result<std::vector<std::string>> known(int limit) override {
    return readers().read([&](Reading& reading) { return find_known(reading, limit); });
  }
  Result<void> save(const WatchedMailbox& mailbox) override {
    return writer().run([&](Session& session) { save_mailbox(session, mailbox); });
  }
  Result<std::vector<WatchedMailbox>> with_subscriptions(
      std::span<const std::string> subscription_ids) override {
    return readers().read([&](Reading& reading) { return find_subscribed(reading, subscription_ids); });
  }
  Result<void> want(const std::string& mailbox, GraphLifecycle wish) override {
    return writer().run([&](Session& session) {
      const GivenRows lesser = rows_of(lesser_wishes(wish));
      session.database.run(q::want_of_mailbox).with(mailbox, kGraphLifecycleNames.text(wish), lesser).done();
    });
  }

  Result<int> add(std::span<const MailNotice> notices) override {
    return writer().run([&](Session& session) {
      GivenRows rows;
      for (const MailNotice& notice : notices)
        rows.add(notice.mailbox, notice.message_id);
      return session.database.run(q::insert_notices).with(rows, session.now).done();
    });
  }
  Result<std::vector<MailNotice>> waiting(std::span<const std::string> mailboxes, int limit) override {
    return readers().read([&](Reading& reading) { return find_waiting(reading, mailboxes, limit); });
  }
  Result<void> read(std::span<const std::int64_t> numbers) override {
    return writer().run([&](Session& session) {
      const GivenRows rows = rows_of(numbers);
      session.database.run(q::read_notices).with(rows, session.now).done();
    });
  }
  Result<void> put_off(std::int64_t number, Duration delay) override {
    return writer().run([&](Session& session) {
      session.database.run(q::put_off_notice).with(number, session.now + delay).done();
    });
  }
  Result<int> forget_read(int rows_max) override {
    return writer().run([&](Session& session) {
      return session.database.run(q::delete_read_notices)
          .with(session.now - kReadNoticeLife, rows_max)
          .done();
    });
  }

 private:
  Writer& writer() { return *parts_->writer; }
  Readers& readers() { return *parts_->readers; }

  std::shared_ptr<Parts> parts_;  // with the outbox
};

}  // namespace

std::unique_ptr<MailboxWatch> make_mailbox_watch(std::shared_ptr<Parts> parts) {
  return std::make_unique<SqliteMailboxWatch>(std::move(parts));
}

}  // namespace eilbote::sqlite
