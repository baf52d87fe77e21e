// Stored contents on SQLite, for rekey and the start; shares the outbox's writer and readers.
#include "store/sqlite/operations.h"
#include "store/sqlite/parts.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

bool is_mail(ChannelKind channel) {
  return channel == ChannelKind::mail;
}

class SqliteContents final : public ContentRows {
 public:
  explicit SqliteContents(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  Result<std::vector<std::string>> key_ids() override {
    return parts_->readers->read([](Reading& reading) {
      std::vector<std::string> ids;
      for (Run run = reading.database.run(q::find_content_keys); run.row();)
        ids.emplace_back(run.text(0));
      return ids;
    });
  }
  Result<void> add_key_id(const std::string& key_id) override {
    return parts_->writer->run([&](Session& session) {
      session.database.run(q::insert_content_key).with(key_id, session.now).done();
    });
  }
  Result<void> keep_only_key_id(const std::string& key_id) override {
    return parts_->writer->run(
        [&](Session& session) { session.database.run(q::delete_content_keys).with(key_id).done(); });
  }

  Result<IdRange> ids(ChannelKind channel) override {
    return parts_->readers->read([&](Reading& reading) {
      Run run = reading.database.run(is_mail(channel) ? q::mail_id_range : q::webhook_id_range);
      return run.row() ? IdRange{JobId{run.int8(0)}, JobId{run.int8(1)}} : IdRange{};
    });
  }
  Result<std::vector<StoredHead>> heads(ChannelKind channel, std::string_view head, JobId after,
                                        int limit) override {
    return parts_->readers->read([&](Reading& reading) {
      std::vector<StoredHead> found;
      Run run = reading.database.run(is_mail(channel) ? q::mail_heads : q::webhook_heads);
      for (run.with(after, head, limit); run.row();)
        found.push_back({JobId{run.int8(0)}, run.boolean(1), run.int8(2)});
      return found;
    });
  }
  Result<std::vector<StoredContent>> load(ChannelKind channel, std::span<const JobId> ids) override {
    return parts_->readers->read([&](Reading& reading) {
      std::vector<StoredContent> found;
      for (const JobId id : ids) {
        Run run = reading.database.run(is_mail(channel) ? q::stored_mails : q::stored_webhooks);
        if (run.with(id).row())
          found.push_back(
              {id, std::string(run.text(1)), is_mail(channel) ? std::string(run.jsonb(2)) : std::string()});
      }
      return found;
    });
  }
  Result<void> replace(ChannelKind channel, std::span<const StoredContent> contents) override {
    return parts_->writer->run([&](Session& session) {
      for (const StoredContent& one : contents)
        if (is_mail(channel))
          session.database.run(q::replace_mails).with(one.id, Blob{one.content}, one.meta).done();
        else
          session.database.run(q::replace_webhooks).with(one.id, one.content).done();
    });
  }

 private:
  std::shared_ptr<Parts> parts_;  // with the outbox
};

}  // namespace

std::unique_ptr<ContentRows> make_contents(std::shared_ptr<Parts> parts) {
  return std::make_unique<SqliteContents>(std::move(parts));
}

}  // namespace eilbote::sqlite
