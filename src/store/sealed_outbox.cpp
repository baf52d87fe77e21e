#include "store/sealed_outbox.h"

#include "base/log.h"
#include "domain/tsid.h"
#include "store/forwarding_outbox.h"

namespace eilbote {
namespace {

void tell_unreadable(JobId row, ChannelKind channel) {
  log::error(
      "a stored content does not open: it is under another data key (EILBOTE_DATA_KEY_PREVIOUS_REF), or was "
      "changed",
      {{id_field(channel), to_text(row)}});
}

class SealedOutbox final : public ForwardingOutbox {
 public:
  SealedOutbox(std::unique_ptr<Outbox> real, const ContentCipher& cipher)
      : ForwardingOutbox(std::move(real)), cipher_(cipher) {}

  Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob> jobs, AcceptRun run) override {
    if (!cipher_.seals()) return real().accept(jobs, run);
    std::vector<NewJob> sealed(jobs.begin(), jobs.end());
    for (NewJob& job : sealed)
      seal(job);
    return real().accept(sealed, run);
  }

  // One that does not open is left out, as if it were gone: it fails alone, for good and on record.
  Result<JobContents> load_contents(std::span<const JobId> mails, std::span<const JobId> webhooks) override {
    auto contents = real().load_contents(mails, webhooks);
    if (!contents) return contents;
    std::erase_if(contents->mails, [this](MailContent& mail) {
      return mail.mime.starts_with(kSealMark) && !open_mime(mail.id, mail.mime);
    });
    std::erase_if(contents->webhooks, [this](WebhookContent& content) {
      std::string& payload = content.webhook.payload;
      return payload.starts_with(kSealMark) && !open_payload(content.id, payload);
    });
    return contents;
  }

  Result<std::optional<JobRecord>> find(JobId id, const std::optional<ClientName>& client) override {
    auto found = real().find(id, client);
    if (!found || !*found) return found;
    JobRecord& record = **found;
    open_meta(record);
    if (record.webhook) {
      std::string& payload = record.webhook->payload;
      if (!open_payload(id, payload)) payload = kUnreadable;
    }
    return found;
  }

  Result<Page> list(const ListQuery& query) override {
    auto page = real().list(query);
    if (!page) return page;
    for (JobRecord& record : page->jobs)
      open_meta(record);
    return page;
  }

 private:
  void seal(NewJob& job) const {
    if (job.channel == ChannelKind::mail) {
      job.mail.mime = cipher_.seal(job.id, ContentPart::mime, job.mail.mime);
      job.mail.meta = with_sealed_subject(cipher_, job.id, std::move(job.mail.meta));
    } else {
      job.webhook.payload = cipher_.seal_text(job.id, ContentPart::payload, job.webhook.payload);
    }
  }

  bool open_mime(JobId row, std::string& mime) const {
    return take(row, ChannelKind::mail, mime, cipher_.open(row, ContentPart::mime, mime));
  }
  bool open_payload(JobId row, std::string& payload) const {
    return take(row, ChannelKind::webhook, payload, cipher_.open_text(row, ContentPart::payload, payload));
  }
  static bool take(JobId row, ChannelKind channel, std::string& stored, std::optional<std::string> opened) {
    if (opened)
      stored = std::move(*opened);
    else
      tell_unreadable(row, channel);
    return opened.has_value();
  }

  void open_meta(JobRecord& record) const {
    record.meta = with_open_subject(cipher_, record.job.id, std::move(record.meta));
  }

  const ContentCipher& cipher_;
};

}  // namespace

std::unique_ptr<Outbox> make_sealed_outbox(std::unique_ptr<Outbox> real, const ContentCipher& cipher) {
  return std::make_unique<SealedOutbox>(std::move(real), cipher);
}

}  // namespace eilbote
