// Stored contents on PostgreSQL, for rekey and the start; shares the outbox's connections.
#include "store/postgres/connection_pool.h"
#include "store/postgres/operations.h"
#include "store/postgres/postgres_store.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

bool is_mail(ChannelKind channel) {
  return channel == ChannelKind::mail;
}

Result<void> run_only(Connection& connection, const sql::Text& statement, Params params) {
  auto done = connection.run(statement, std::move(params));
  if (!done) return fail(done.error());
  return {};
}

Result<std::vector<std::string>> read_key_ids(Connection& connection) {
  auto rows = connection.run(q::find_content_keys);
  if (!rows) return fail(rows.error());
  std::vector<std::string> ids;
  for (const Row row : *rows)
    ids.emplace_back(row.text(0));
  return ids;
}

Result<IdRange> read_ids(Connection& connection, ChannelKind channel) {
  auto rows = connection.run(is_mail(channel) ? q::mail_id_range : q::webhook_id_range);
  if (!rows) return fail(rows.error());
  return IdRange{JobId{(*rows)[0].int8(0)}, JobId{(*rows)[0].int8(1)}};
}

Result<std::vector<StoredHead>> read_heads(Connection& connection, ChannelKind channel, std::string_view head,
                                           JobId after, int limit) {
  auto rows = connection.run(is_mail(channel) ? q::mail_heads : q::webhook_heads,
                             std::move(Params().add(after.value()).add(head).add(limit)));
  if (!rows) return fail(rows.error());
  std::vector<StoredHead> found;
  for (const Row row : *rows)
    found.push_back({JobId{row.int8(0)}, row.boolean(1), row.int8(2)});
  return found;
}

Result<std::vector<StoredContent>> read_contents(Connection& connection, ChannelKind channel,
                                                 std::span<const JobId> ids) {
  auto rows = connection.run(is_mail(channel) ? q::stored_mails : q::stored_webhooks,
                             std::move(Params().add(int8_array(ids))));
  if (!rows) return fail(rows.error());
  std::vector<StoredContent> found;
  for (const Row row : *rows)
    found.push_back({JobId{row.int8(0)}, std::string(row.text(1)),
                     is_mail(channel) ? std::string(row.jsonb(2)) : std::string()});
  return found;
}

Result<void> write_contents(Connection& connection, ChannelKind channel,
                            std::span<const StoredContent> contents) {
  Array id(Type::int8), content(is_mail(channel) ? Type::bytea : Type::text), meta(Type::jsonb);
  for (const StoredContent& one : contents) {
    id.add(one.id.value());
    content.add(one.content);
    if (is_mail(channel)) meta.add(one.meta);
  }
  Params params;
  params.add(std::move(id)).add(std::move(content));
  if (is_mail(channel)) params.add(std::move(meta));
  return run_only(connection, is_mail(channel) ? q::replace_mails : q::replace_webhooks, std::move(params));
}

class PostgresContents final : public ContentRows {
 public:
  explicit PostgresContents(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}

  Result<std::vector<std::string>> key_ids() override {
    return pool_->with_connection([&](Connection& c) { return read_key_ids(c); });
  }
  Result<void> add_key_id(const std::string& key_id) override {
    return pool_->with_connection(
        [&](Connection& c) { return run_only(c, q::insert_content_key, std::move(Params().add(key_id))); });
  }
  Result<void> keep_only_key_id(const std::string& key_id) override {
    return pool_->with_connection(
        [&](Connection& c) { return run_only(c, q::delete_content_keys, std::move(Params().add(key_id))); });
  }
  Result<IdRange> ids(ChannelKind channel) override {
    return pool_->with_connection([&](Connection& c) { return read_ids(c, channel); });
  }
  Result<std::vector<StoredHead>> heads(ChannelKind channel, std::string_view head, JobId after,
                                        int limit) override {
    return pool_->with_connection([&](Connection& c) { return read_heads(c, channel, head, after, limit); });
  }
  Result<std::vector<StoredContent>> load(ChannelKind channel, std::span<const JobId> ids) override {
    return pool_->with_connection([&](Connection& c) { return read_contents(c, channel, ids); });
  }
  Result<void> replace(ChannelKind channel, std::span<const StoredContent> contents) override {
    return pool_->with_connection([&](Connection& c) { return write_contents(c, channel, contents); });
  }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // with the outbox
};

}  // namespace

std::unique_ptr<ContentRows> make_contents(std::shared_ptr<ConnectionPool> pool) {
  return std::make_unique<PostgresContents>(std::move(pool));
}

}  // namespace eilbote::postgres
