// Watched mailboxes and their notices on PostgreSQL; shares the outbox's connections. Each operation is one statement, and so
// one transaction.
#include "ports/mailbox_watch.h"

#include "store/graph_readers.h"
#include "store/postgres/connection_pool.h"
#include "store/postgres/postgres_store.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

template <class Texts>
Array text_array(const Texts& texts) {
  Array array(Type::text);
  for (const std::string_view text : texts)
    array.add(text);
  return array;
}

void add_time(Params& params, std::optional<TimePoint> at) {
  if (at)
    params.add(*at);
  else
    params.add_null(Type::timestamptz);
}

Params params_of(const WatchedMailbox& mailbox) {
  Params params;
  params.add(mailbox.mailbox).add(mailbox.subscription_id).add(mailbox.client_state);
  add_time(params, mailbox.subscription_ends);
  params.add(mailbox.delta_link);
  add_time(params, mailbox.traced_until);
  if (mailbox.wants)
    params.add(kGraphLifecycleNames.text(*mailbox.wants));
  else
    params.add_null(Type::text);
  return params;
}

class PostgresMailboxWatch final : public MailboxWatch {
 public:
  explicit PostgresMailboxWatch(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}

  Result<std::vector<WatchedMailbox>> keep(Epoch epoch, std::span<const std::string> mailboxes,
                                           Duration lease) override {
    return read_all<WatchedMailbox>(q::keep_mailboxes, read_watched<Row>, [&] {
      return std::move(Params().add(epoch.value()).add(text_array(mailboxes)).add(lease));
    });
  }
  Result<std::vector<std::string>> known(int limit) override {
    return read_all<std::string>(
        q::known_mailboxes, [](const Row& row) { return std::string(row.text(0)); },
        [&] { return std::move(Params().add(limit)); });
  }
  Result<void> save(const WatchedMailbox& mailbox) override {
    return write(q::save_mailbox, [&] { return params_of(mailbox); });
  }
  Result<std::vector<WatchedMailbox>> with_subscriptions(
      std::span<const std::string> subscription_ids) override {
    return read_all<WatchedMailbox>(q::subscribed_mailboxes, read_watched<Row>,
                                    [&] { return std::move(Params().add(text_array(subscription_ids))); });
  }
  Result<void> want(const std::string& mailbox, GraphLifecycle wish) override {
    return write(q::want_of_mailbox, [&] {
      return std::move(
          Params().add(mailbox).add(kGraphLifecycleNames.text(wish)).add(text_array(lesser_wishes(wish))));
    });
  }

  Result<int> add(std::span<const MailNotice> notices) override {
    return change(q::insert_notices, [&] {
      Array mailbox(Type::text), message_id(Type::text);
      for (const MailNotice& notice : notices) {
        mailbox.add(notice.mailbox);
        message_id.add(notice.message_id);
      }
      return std::move(Params().add(std::move(mailbox)).add(std::move(message_id)));
    });
  }
  Result<std::vector<MailNotice>> waiting(std::span<const std::string> mailboxes, int limit) override {
    return read_all<MailNotice>(q::waiting_notices, read_notice<Row>,
                                [&] { return std::move(Params().add(text_array(mailboxes)).add(limit)); });
  }
  Result<void> read(std::span<const std::int64_t> numbers) override {
    return write(q::read_notices, [&] { return std::move(Params().add(int8_array(numbers))); });
  }
  Result<void> put_off(std::int64_t number, Duration delay) override {
    return write(q::put_off_notice, [&] { return std::move(Params().add(number).add(delay)); });
  }
  Result<int> forget_read(int rows_max) override {
    return change(q::delete_read_notices,
                  [&] { return std::move(Params().add(kReadNoticeLife).add(rows_max)); });
  }

 private:
  // The parameters are made anew for every try (with_connection repeats what lost a race).
  template <class MakeParams>
  Result<Rows> run(const sql::Text& statement, MakeParams params) {
    return pool_->with_connection([&](Connection& c) { return c.run(statement, params()); });
  }
  template <class Value, class Read, class MakeParams>
  Result<std::vector<Value>> read_all(const sql::Text& statement, Read read_row, MakeParams params) {
    auto rows = run(statement, params);
    if (!rows) return fail(rows.error());
    std::vector<Value> values;
    for (const Row row : *rows)
      values.push_back(read_row(row));
    return values;
  }
  // How many rows it changed.
  template <class MakeParams>
  Result<int> change(const sql::Text& statement, MakeParams params) {
    auto rows = run(statement, params);
    if (!rows) return fail(rows.error());
    return rows->affected();
  }
  template <class MakeParams>
  Result<void> write(const sql::Text& statement, MakeParams params) {
    if (auto done = run(statement, params); !done) return fail(done.error());
    return {};
  }

  std::shared_ptr<ConnectionPool> pool_;  // with the outbox
};

}  // namespace

std::unique_ptr<MailboxWatch> make_mailbox_watch(std::shared_ptr<ConnectionPool> pool) {
  return std::make_unique<PostgresMailboxWatch>(std::move(pool));
}

}  // namespace eilbote::postgres
