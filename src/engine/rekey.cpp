#include "engine/rekey.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/log.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

constexpr int kHeadsPerLook = 500;
// A mail may have ten megabytes; a transaction should not hold many of those, and not be made for each small one.
constexpr std::size_t kRowsPerBatch = 200;
constexpr std::int64_t kBytesPerBatch = 4 * 1024 * 1024;
// Instances may write while this runs; what loses against them is tried again.
constexpr int kRounds = 3;

class Rekey {
 public:
  Rekey(const RekeyParts& parts, const std::function<void(const RekeyProgress&)>& tell)
      : parts_(parts), tell_(tell) {}

  Result<RekeyProgress> run() {
    // From now on rows are written under it, by us or by a server.
    if (auto added = parts_.contents.add_key_id(parts_.cipher.key_id()); !added) return fail(added.error());
    for (const ChannelKind channel : {ChannelKind::mail, ChannelKind::webhook}) {
      const auto ids = parts_.contents.ids(channel);
      if (!ids) return fail(ids.error());
      ways_[channel] = {ids->first, 0, static_cast<double>(ids->last.value() - ids->first.value())};
    }
    for (const ChannelKind channel : {ChannelKind::mail, ChannelKind::webhook})
      if (auto done = contents(channel); !done) return fail(done.error());
    progress_.part = 1;
    if (auto done = accounts(); !done) return fail(done.error());
    if (progress_.unreadable == 0)
      if (auto kept = parts_.contents.keep_only_key_id(parts_.cipher.key_id()); !kept)
        return fail(kept.error());
    return progress_;
  }

 private:
  Result<void> contents(ChannelKind channel) {
    const std::string head =
        parts_.cipher.head_in_hex(channel == ChannelKind::mail ? ContentPart::mime : ContentPart::payload);
    JobId after{0};
    while (true) {
      const auto heads = parts_.contents.heads(channel, head, after, kHeadsPerLook);
      if (!heads) return fail(heads.error());
      if (heads->empty()) return {};
      std::vector<JobId> batch;
      std::int64_t bytes = 0;
      for (const StoredHead& one : *heads) {
        after = one.id;
        ++progress_.seen;
        if (one.is_current) continue;
        batch.push_back(one.id);
        bytes += one.bytes;
        if (batch.size() < kRowsPerBatch && bytes < kBytesPerBatch) continue;
        if (auto done = renew(channel, batch); !done) return done;
        batch.clear();
        bytes = 0;
      }
      if (auto done = renew(channel, batch); !done) return done;
      came_to(channel, after);
      tell_(progress_);
    }
  }

  void came_to(ChannelKind channel, JobId id) {
    ways_[channel].gone = static_cast<double>(id.value() - ways_[channel].first.value());
    double gone = 0, all = 0;
    for (const auto& [which, way] : ways_) {
      gone += way.gone;
      all += way.all;
    }
    progress_.part = all > 0 ? std::min(1.0, gone / all) : 0;  // what came meanwhile lies behind the end
  }

  Result<void> renew(ChannelKind channel, const std::vector<JobId>& ids) {
    if (ids.empty()) return {};
    auto stored = parts_.contents.load(channel, ids);
    if (!stored) return fail(stored.error());
    std::vector<StoredContent> renewed;
    for (StoredContent& one : *stored) {
      if (reseal(channel, one)) {
        renewed.push_back(std::move(one));
        continue;
      }
      ++progress_.unreadable;
      log::error(
          "a stored content opens neither with EILBOTE_DATA_KEY_REF nor with EILBOTE_DATA_KEY_PREVIOUS_REF; "
          "it stays as it is",
          {{id_field(channel), to_text(one.id)}});
    }
    if (renewed.empty()) return {};
    if (auto written = parts_.contents.replace(channel, renewed); !written) return written;
    progress_.changed += static_cast<std::int64_t>(renewed.size());
    tell_(progress_);
    return {};
  }

  bool reseal(ChannelKind channel, StoredContent& one) const {
    const ContentCipher& cipher = parts_.cipher;
    if (channel == ChannelKind::webhook) {
      const auto payload = cipher.open_text(one.id, ContentPart::payload, one.content);
      if (payload) one.content = cipher.seal_text(one.id, ContentPart::payload, *payload);
      return payload.has_value();
    }
    const auto mime = cipher.open(one.id, ContentPart::mime, one.content);
    if (!mime) return false;
    one.content = cipher.seal(one.id, ContentPart::mime, *mime);
    one.meta = with_sealed_subject(cipher, one.id, with_open_subject(cipher, one.id, std::move(one.meta)));
    return true;
  }

  Result<void> accounts() {
    for (int round = 1; round <= kRounds; ++round) {
      const auto all = parts_.registry.accounts();
      if (!all) return fail(all.error());
      bool lost_any = false;
      for (const ServiceAccount& account : *all) {
        const auto written = renew(account);
        if (!written) return fail(written.error());
        lost_any = lost_any || !*written;
      }
      if (!lost_any) return {};
    }
    return fail(ErrorKind::conflict, "service accounts are being changed all the time; run it again");
  }

  // False: somebody changed the account meanwhile.
  Result<bool> renew(const ServiceAccount& before) {
    ServiceAccount after = before;
    WebhookCredentials& credentials = after.credentials;
    int changed = 0;
    for (std::string* reference :
         {&credentials.auth_token_ref, &credentials.signing_secret_ref, &credentials.previous_secret_ref}) {
      auto renewed = parts_.secrets.under_current_key(*reference);
      if (!renewed) return fail(renewed.error().with_context("service account '" + before.code + "'"));
      changed += *renewed != *reference ? 1 : 0;
      *reference = std::move(*renewed);
    }
    if (changed == 0) return true;
    const AuditEntry audit{std::string(kOperatorActor), "account.rekey", R"({"code":")" + before.code + "\"}",
                           ""};
    auto written = parts_.registry.change_account(after, parts_.clock.now(), audit);
    if (written && *written) progress_.secrets += changed;
    return written;
  }

  const RekeyParts& parts_;
  const std::function<void(const RekeyProgress&)>& tell_;
  RekeyProgress progress_;
  struct Way {
    JobId first;
    double gone = 0, all = 0;
  };
  std::map<ChannelKind, Way> ways_;
};

}  // namespace

Result<RekeyProgress> rekey(const RekeyParts& parts, const std::function<void(const RekeyProgress&)>& tell) {
  return Rekey(parts, tell).run();
}

}  // namespace eilbote
