// The outbox: what is to be delivered, on PostgreSQL or SQLite. Accepted, claimed and settled here, read and acted on. How
// instances live and what upkeep does is its other half, ports/outbox_care.h.
//
// Rules that hold for every operation of both halves:
// - It blocks until the database answered (SQLite: until the writer thread committed). Callers are engine threads and
//   the API's workers, never the HTTP thread. Safe to call from many threads at once.
// - An operation is one transaction unless it says otherwise: after a crash in the middle it has happened or not.
// - Errors: rejected_data (the database refused a row: nothing happened), unavailable (nothing happened), ambiguous
//   (the link died around COMMIT: it may have happened), internal.
// - "Now" is the database's clock. Times that decide are computed there, from durations given here.
// - Lock order everywhere: groups sorted, then idempotency keys sorted, then rows by id.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"
#include "domain/acts.h"
#include "domain/after_attempt.h"
#include "domain/job.h"
#include "domain/mail.h"
#include "domain/pool.h"
#include "domain/webhook.h"

namespace eilbote {

// ---- accept ----

struct NewMail {
  std::string sender;                 // envelope sender
  std::vector<Recipient> recipients;  // envelope order: to, cc, bcc; all waiting
  std::string mime;                   // frozen bytes
  std::string meta;                   // JSON object: subject, metadata, tags, campaignId, group, callback
  std::optional<RetryPolicy> retry;   // the job's own policy
  OnUncertain on_uncertain = OnUncertain::retry;
  // To be found by; they are in meta as well.
  std::vector<std::string> tags;
  std::string campaign_id;
  std::map<std::string, std::string> metadata;
};

struct NewJob {
  JobId id;
  ChannelKind channel = ChannelKind::mail;
  ClientName client;
  std::string pool;
  std::string route;  // endpoint host for webhooks; empty for mail
  std::optional<TimePoint> scheduled_for;
  std::optional<TimePoint> expires_at;
  int attempts_max = 5;
  std::string group;  // empty: none
  GroupMode group_mode = GroupMode::IMMEDIATE;
  int sequence = 99;
  std::string idempotency_key;  // empty: none
  Duration key_life = std::chrono::hours{24};
  Sha256 fingerprint{};
  std::string trace_id;
  std::string trace_span;  // domain/traceparent.h; empty: not known
  bool callback = false;   // changes of its public state are told to the mail's callback
  NewMail mail;            // channel mail
  Webhook webhook;         // channel webhook
};

enum class AcceptKind {
  accepted,  // committed now
  replayed,  // the same request was accepted before under this key: `id` is the first one's
  conflict,  // the key belongs to another request
};
struct AcceptOutcome {
  AcceptKind kind = AcceptKind::accepted;
  JobId id;
  LaneId lane;  // accepted only
};

enum class AcceptRun {
  first,  // ids are new: a duplicate id is rejected_data
  again,  // after an ambiguous commit: rows and keys that carry my id count as accepted
};

// ---- exchange ----

struct Settlement {
  JobId id;
  LeaseToken token;
  bool grouped = false;
  Decision decision;
  std::optional<Attempt> attempt;    // absent when released
  std::string provider_message_id;   // kept with the attempt
  std::optional<StatusEvent> event;  // absent when the public state stays; `at` is the database's
};

// Whether somebody may have reported on recipients of this mail before it was sent: it took more than one attempt, so some of
// them may have been handed it earlier. What they were reported as is then the mail's state, with an event of its own.
inline bool may_be_reported(const Decision& decision) {
  return decision.status == JobStatus::sent && decision.attempts > 1 && !decision.recipients.empty();
}

enum class SettleOutcome {
  settled,         // written now
  settled_before,  // an attempt with this token is on record: my own lost commit
  stale,           // the token is not the row's: another instance has it, nothing was changed
};

struct ClaimLane {
  LaneId lane;
  int n = 0;
  std::optional<TimePoint> low_water;  // start the index scan here; absent: a full look
};

// A job that a broker's message names.
struct OfferedJob {
  JobId id;
  std::optional<int> attempt;  // absent: a foreign producer's message
};

struct ExchangeRequest {
  std::vector<Settlement> settlements;
  std::vector<ClaimLane> lanes;
  std::vector<OfferedJob> offers;  // each claimed if it may be started now; no id twice
  std::optional<JobId> claim_one;  // this job, whatever its next_attempt_at; it must be queued
  LeaseToken token;                // for what is claimed
};

struct ClaimedJob {
  Job job;  // as it is now: dispatching
  LaneId lane;
  LeaseToken token;
  bool grouped = false;
};

struct ExchangeResult {
  std::vector<SettleOutcome> settled;  // one per settlement, in their order
  std::vector<ClaimedJob> claimed;     // per lane by next_attempt_at, id
  std::vector<LaneId> woken;           // lanes in which a group's next job became due
  TimePoint now{};
};

// ---- reading ----

struct MailContent {
  JobId id;
  std::string sender;
  std::vector<Recipient> recipients;  // with their results so far
  // Of those that wait, the ones on the client's suppression list, by index: `suppressed` above already, not yet on record.
  std::vector<int> suppressed_now;
  std::string mime;
  std::optional<RetryPolicy> retry;
  OnUncertain on_uncertain = OnUncertain::retry;
  std::string trace_id;
  std::string trace_span;   // as in NewJob
  std::string message_key;  // the Idempotency-Key, else the id's text
};

struct WebhookContent {
  JobId id;
  Webhook webhook;
  std::string trace_id;
  std::string trace_span{};  // as in NewJob
};

// What the channels need of claimed jobs.
struct JobContents {
  std::vector<MailContent> mails;
  std::vector<WebhookContent> webhooks;
};

struct ActiveLane {
  LaneId lane;
  ChannelKind channel = ChannelKind::mail;
  ClientName client;
  std::string pool;
  std::string route;
  TimePoint next_due{};  // of its earliest queued row
};
struct ActiveLanes {
  std::vector<ActiveLane> lanes;
  TimePoint now{};
};

struct JobRecord {
  Job job;
  std::vector<Recipient> recipients;
  std::string meta;                // JSON object; of a mail
  std::optional<Webhook> webhook;  // of a webhook job; lists leave its payload out
  std::string trace_id;
  std::string trace_span;  // as in NewJob
  std::string provider_message_id;
  std::optional<Attempt> last_failure;  // the latest attempt with an error type
  std::string message_key;
};

struct JobHistory {
  std::vector<Attempt> attempts;    // by number
  std::vector<StatusEvent> events;  // in the order they happened
};

// What webhook jobs are found by; every field that is set must match.
struct WebhookFilter {
  std::optional<WebhookState> state{};
  std::optional<DispatchKind> kind{};
  std::optional<GroupMode> mode{};
  std::string external_id{}, source{}, code{}, subject{}, event_id{}, correlation_id{}, subscription_id{},
      group{}, service_account_id{};
  bool retryable = false;  // failed, and attempts left: it will be tried again
  bool dead = false;       // failed for good
  bool due = false;        // waits, and its time has come
};

// Every filter that is set must match. Newest first by id, except `due_only`: by next_attempt_at, id,
// unpaged.
struct ListQuery {
  ChannelKind channel = ChannelKind::mail;
  std::optional<ClientName> client{};  // absent: all clients
  std::optional<MailState> state{};
  std::optional<DeadReason> dead_reason{};
  std::string recipient{}, tag{}, campaign_id{};                // of mails; empty: any
  std::string pool{};                                           // by code
  std::vector<std::pair<std::string, std::string>> metadata{};  // each of these, with this value
  std::optional<TimePoint> created_from{}, created_to{};
  WebhookFilter webhook{};  // channel webhook
  bool due_only = false;
  std::optional<JobId> before{};  // the cursor: only ids below
  int limit = 50;
  int look_max = 1000;  // rows looked at for one page; a page may come short while `next` is set
};
struct Page {
  std::vector<JobRecord> jobs;
  std::optional<JobId> next;
};

// ---- acts ----

struct ActRequest {
  Act act = Act::cancel;
  ChannelKind channel = ChannelKind::mail;  // a job of the other channel is not found
  std::optional<ClientName> client;         // absent: an operator, across clients
  std::string actor;
  std::string trace_id;
};
enum class ActKind { done, not_found, refused };
struct ActOutcome {
  JobId id;
  ActKind kind = ActKind::done;
  Job job;  // done: as it is now; refused: as it was found
  LaneId lane;
};

class Outbox {
 public:
  virtual ~Outbox() = default;

  // Stores all jobs, with content, facets, group places, first status event and key, in one commit; all or
  // nothing. Per job the outcome: keys are decided inside the same transaction. A twin inside one call is the
  // caller's part: no two jobs of a call share (client, key). Grouped jobs are inserted blocked, then
  // promoted under the group's lock. After an ambiguous error, or when the answer is lost, ask again with
  // AcceptRun::again and the same ids: each is there once.
  virtual Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob> jobs, AcceptRun run) = 0;

  // Settles, then claims, in one transaction; grouped settlements go first in a small transaction of their
  // own (so after an ambiguous error some may be settled: ask again, they answer settled_before). Settling is
  // guarded by id and token. Claiming takes only queued rows that are due with attempts left, in the order
  // next_attempt_at, id, skipping rows others hold locked; they are dispatching, with token and
  // last_attempt_at. An offer is claimed if its row is publishing or published and its next attempt has the offer's number;
  // one without a number, if its row is published, or queued and due. It waits for rows that others hold (a scheduler that
  // marks it just now), so that no message is lost to a moment. A claim whose answer is lost stays leased until reconciled or
  // rescued (outbox_care.h).
  virtual Result<ExchangeResult> exchange(const ExchangeRequest& request) = 0;

  // The content of leased jobs, in the order asked for, without those whose content is gone. Not a transaction: content
  // never changes.
  virtual Result<JobContents> load_contents(std::span<const JobId> mails,
                                            std::span<const JobId> webhooks) = 0;

  // Lanes with queued rows, due or not; a loose index scan, its cost is the number of lanes. A read: what is accepted
  // during it may be missing, and is announced by whoever accepts it.
  virtual Result<ActiveLanes> active_lanes() = 0;

  // One job with all that is known of it; nothing when there is none, or it is another client's. A read, and on PostgreSQL
  // several statements: a job that moves meanwhile may be seen with the row of before and the attempts of after.
  virtual Result<std::optional<JobRecord>> find(JobId id, const std::optional<ClientName>& client) = 0;

  // What happened to a job; empty for one that is not there. Whose it is was asked of find() before. A read, as find().
  virtual Result<JobHistory> history(JobId id) = 0;

  // One page. A read, as find(); looks at no more than look_max rows, so that a filter that matches little costs little, too.
  // Pages are tied by ids, not by a snapshot: a job that matches throughout is on exactly one page, one that changes
  // meanwhile is where its state then was.
  virtual Result<Page> list(const ListQuery& query) = 0;

  // In the order of ids, each decided alone, by domain rules under the row's lock; its row, event and audit record are one
  // transaction (SQLite: up to 50 jobs share it). A crash or an error in the middle leaves the first ones done and the others
  // untouched; asked again, those that are done are decided as they are now.
  virtual Result<std::vector<ActOutcome>> act(std::span<const JobId> ids, const ActRequest& request) = 0;

  // Answers when the database does, its schema is known here and (SQLite) its file can be written. Changes nothing.
  virtual Result<void> check() = 0;
};

}  // namespace eilbote
