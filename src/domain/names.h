// Every enum of the domain that has a text outside, with its table. JSON, SQL CHECKs, logs and metric labels
// use these tables and nothing else; a test compares them with the migrations.
#pragma once

#include "base/enum_names.h"

namespace eilbote {

enum class ChannelKind { mail, webhook };
inline constexpr auto kChannelNames =
    enum_names<ChannelKind>({{ChannelKind::mail, "mail"}, {ChannelKind::webhook, "webhook"}});
// The name of the log field with a job's id.
constexpr std::string_view id_field(ChannelKind channel) {
  return channel == ChannelKind::mail ? "EmailId" : "JobId";
}

// `outbox.status`. Who moves a row on from each state is said in domain/states.h.
enum class JobStatus {
  queued,
  blocked,
  publishing,
  published,
  dispatching,
  in_flight,
  sent,
  failed,
  cancelled
};
inline constexpr auto kJobStatusNames = enum_names<JobStatus>({{JobStatus::queued, "queued"},
                                                               {JobStatus::blocked, "blocked"},
                                                               {JobStatus::publishing, "publishing"},
                                                               {JobStatus::published, "published"},
                                                               {JobStatus::dispatching, "dispatching"},
                                                               {JobStatus::in_flight, "in_flight"},
                                                               {JobStatus::sent, "sent"},
                                                               {JobStatus::failed, "failed"},
                                                               {JobStatus::cancelled, "cancelled"}});

// The public state of a mail.
enum class MailState { QUEUED, RETRY_PENDING, SENT, DELIVERED, BOUNCED, FAILED, CANCELLED };
inline constexpr auto kMailStateNames = enum_names<MailState>({{MailState::QUEUED, "QUEUED"},
                                                               {MailState::RETRY_PENDING, "RETRY_PENDING"},
                                                               {MailState::SENT, "SENT"},
                                                               {MailState::DELIVERED, "DELIVERED"},
                                                               {MailState::BOUNCED, "BOUNCED"},
                                                               {MailState::FAILED, "FAILED"},
                                                               {MailState::CANCELLED, "CANCELLED"}});

// The public state of a webhook job.
enum class WebhookState { PENDING, QUEUED, IN_PROGRESS, COMPLETED, ERROR, CANCELLED };
inline constexpr auto kWebhookStateNames =
    enum_names<WebhookState>({{WebhookState::PENDING, "PENDING"},
                              {WebhookState::QUEUED, "QUEUED"},
                              {WebhookState::IN_PROGRESS, "IN_PROGRESS"},
                              {WebhookState::COMPLETED, "COMPLETED"},
                              {WebhookState::ERROR, "ERROR"},
                              {WebhookState::CANCELLED, "CANCELLED"}});

// The same rows as the view `email_log` shows them.
enum class EmailLogState { Pending, Failed, RetryQueued, Sending, Sent, Cancelled, Dead };
inline constexpr auto kEmailLogStateNames =
    enum_names<EmailLogState>({{EmailLogState::Pending, "Pending"},
                               {EmailLogState::Failed, "Failed"},
                               {EmailLogState::RetryQueued, "RetryQueued"},
                               {EmailLogState::Sending, "Sending"},
                               {EmailLogState::Sent, "Sent"},
                               {EmailLogState::Cancelled, "Cancelled"},
                               {EmailLogState::Dead, "Dead"}});

enum class DeadReason { MaxAttemptsExceeded, PermanentFailure, Expired, Abandoned, Uncertain };
inline constexpr auto kDeadReasonNames =
    enum_names<DeadReason>({{DeadReason::MaxAttemptsExceeded, "MaxAttemptsExceeded"},
                            {DeadReason::PermanentFailure, "PermanentFailure"},
                            {DeadReason::Expired, "Expired"},
                            {DeadReason::Abandoned, "Abandoned"},
                            {DeadReason::Uncertain, "Uncertain"}});

// What a delivery report says of a recipient: the Action of RFC 3464 (failed: it bounced), and two that only a provider's
// event says: it gave the mail up before it left (FAILED), or wants it to be handed over again later (RETRY_PENDING).
enum class ReportAction { delivered, failed, delayed, relayed, expanded, given_up, deferred };
inline constexpr auto kReportActionNames = enum_names<ReportAction>({{ReportAction::delivered, "delivered"},
                                                                     {ReportAction::failed, "failed"},
                                                                     {ReportAction::delayed, "delayed"},
                                                                     {ReportAction::relayed, "relayed"},
                                                                     {ReportAction::expanded, "expanded"},
                                                                     {ReportAction::given_up, "given-up"},
                                                                     {ReportAction::deferred, "deferred"}});

// Who said so.
enum class ReportSource { dsn, graph, message_trace, provider };
inline constexpr auto kReportSourceNames =
    enum_names<ReportSource>({{ReportSource::dsn, "dsn"},
                              {ReportSource::graph, "graph"},
                              {ReportSource::message_trace, "message-trace"},
                              {ReportSource::provider, "provider"}});

// What a message in a mailbox is, as far as delivery is concerned.
enum class DsnKind { report, read_receipt, auto_reply, other };
inline constexpr auto kDsnKindNames = enum_names<DsnKind>({{DsnKind::report, "report"},
                                                           {DsnKind::read_receipt, "read-receipt"},
                                                           {DsnKind::auto_reply, "auto-reply"},
                                                           {DsnKind::other, "other"}});

// What a provider's event says became of a mail (POST /webhooks/provider).
enum class ProviderEvent { delivered, bounced, failed, deferred };
inline constexpr auto kProviderEventNames =
    enum_names<ProviderEvent>({{ProviderEvent::delivered, "delivered"},
                               {ProviderEvent::bounced, "bounced"},
                               {ProviderEvent::failed, "failed"},
                               {ProviderEvent::deferred, "deferred"}});

// What became of a report that came in: it changed or noted something, was there already, means no mail of ours and is
// kept, or is no report at all (a read receipt, an out-of-office answer) and is not kept.
enum class ReportTaken { applied, seen_before, unmatched, ignored };
inline constexpr auto kReportTakenNames = enum_names<ReportTaken>({{ReportTaken::applied, "applied"},
                                                                   {ReportTaken::seen_before, "seen_before"},
                                                                   {ReportTaken::unmatched, "unmatched"},
                                                                   {ReportTaken::ignored, "ignored"}});
static_assert(kReportActionNames.complete() && kReportSourceNames.complete() && kDsnKindNames.complete() &&
              kProviderEventNames.complete() && kReportTakenNames.complete());

// What a provider reported after the hand-over; `outbox.report`.
enum class Report { delivered, bounced };
inline constexpr auto kReportNames =
    enum_names<Report>({{Report::delivered, "delivered"}, {Report::bounced, "bounced"}});

enum class RecipientKind { to, cc, bcc };
inline constexpr auto kRecipientKindNames = enum_names<RecipientKind>(
    {{RecipientKind::to, "to"}, {RecipientKind::cc, "cc"}, {RecipientKind::bcc, "bcc"}});

enum class RecipientStatus { waiting, taken, refused, suppressed, delivered, bounced };
inline constexpr auto kRecipientStatusNames =
    enum_names<RecipientStatus>({{RecipientStatus::waiting, "waiting"},
                                 {RecipientStatus::taken, "taken"},
                                 {RecipientStatus::refused, "refused"},
                                 {RecipientStatus::suppressed, "suppressed"},
                                 {RecipientStatus::delivered, "delivered"},
                                 {RecipientStatus::bounced, "bounced"}});

// How an attempt ended, in one vocabulary for both channels.
enum class AttemptStatus { SUCCESS, CLIENT_ERROR, SERVER_ERROR, TIMEOUT, CONNECTION_ERROR };
inline constexpr auto kAttemptStatusNames =
    enum_names<AttemptStatus>({{AttemptStatus::SUCCESS, "SUCCESS"},
                               {AttemptStatus::CLIENT_ERROR, "CLIENT_ERROR"},
                               {AttemptStatus::SERVER_ERROR, "SERVER_ERROR"},
                               {AttemptStatus::TIMEOUT, "TIMEOUT"},
                               {AttemptStatus::CONNECTION_ERROR, "CONNECTION_ERROR"}});

enum class ErrorType { TRANSIENT, PERMANENT, UNKNOWN };
inline constexpr auto kErrorTypeNames = enum_names<ErrorType>({{ErrorType::TRANSIENT, "TRANSIENT"},
                                                               {ErrorType::PERMANENT, "PERMANENT"},
                                                               {ErrorType::UNKNOWN, "UNKNOWN"}});

enum class RetryStrategy { exponential, schedule, fixed, immediate, linear };
inline constexpr auto kRetryStrategyNames =
    enum_names<RetryStrategy>({{RetryStrategy::exponential, "exponential"},
                               {RetryStrategy::schedule, "schedule"},
                               {RetryStrategy::fixed, "fixed"},
                               {RetryStrategy::immediate, "immediate"},
                               {RetryStrategy::linear, "linear"}});

enum class OnUncertain { retry, hold };
inline constexpr auto kOnUncertainNames =
    enum_names<OnUncertain>({{OnUncertain::retry, "retry"}, {OnUncertain::hold, "hold"}});

// Order inside a group. IMMEDIATE: none.
enum class GroupMode { IMMEDIATE, NEXT_ON_ERROR, BLOCK_ON_ERROR };
inline constexpr auto kGroupModeNames =
    enum_names<GroupMode>({{GroupMode::IMMEDIATE, "IMMEDIATE"},
                           {GroupMode::NEXT_ON_ERROR, "NEXT_ON_ERROR"},
                           {GroupMode::BLOCK_ON_ERROR, "BLOCK_ON_ERROR"}});

// Where a webhook job comes from. EVENT: from a subscription's match, with the event's id. TASK: made directly.
enum class DispatchKind { EVENT, TASK };
inline constexpr auto kDispatchKindNames =
    enum_names<DispatchKind>({{DispatchKind::EVENT, "EVENT"}, {DispatchKind::TASK, "TASK"}});

enum class DispatchProtocol { HTTP_WEBHOOK };
inline constexpr auto kDispatchProtocolNames =
    enum_names<DispatchProtocol>({{DispatchProtocol::HTTP_WEBHOOK, "HTTP_WEBHOOK"}});

enum class WebhookAuthType { BEARER, BASIC };
inline constexpr auto kWebhookAuthTypeNames =
    enum_names<WebhookAuthType>({{WebhookAuthType::BEARER, "BEARER"}, {WebhookAuthType::BASIC, "BASIC"}});

enum class SignatureAlgorithm { HMAC_SHA256 };
inline constexpr auto kSignatureAlgorithmNames =
    enum_names<SignatureAlgorithm>({{SignatureAlgorithm::HMAC_SHA256, "HMAC_SHA256"}});

// Which headers a signature travels in.
enum class SignatureStyle { standard_webhooks, flowcatalyst };
inline constexpr auto kSignatureStyleNames =
    enum_names<SignatureStyle>({{SignatureStyle::standard_webhooks, "standard-webhooks"},
                                {SignatureStyle::flowcatalyst, "flowcatalyst"}});

enum class PoolStatus { ACTIVE, SUSPENDED };
inline constexpr auto kPoolStatusNames =
    enum_names<PoolStatus>({{PoolStatus::ACTIVE, "ACTIVE"}, {PoolStatus::SUSPENDED, "SUSPENDED"}});

// What an attempt to deliver came to; the class in `lastError.class`. Meaning of each: domain/delivery.h.
enum class Verdict {
  delivered,
  deferred,
  transient,
  permanent,
  route_fault,
  configuration,
  uncertain,
  released
};
inline constexpr auto kVerdictNames = enum_names<Verdict>({{Verdict::delivered, "delivered"},
                                                           {Verdict::deferred, "deferred"},
                                                           {Verdict::transient, "transient"},
                                                           {Verdict::permanent, "permanent"},
                                                           {Verdict::route_fault, "route_fault"},
                                                           {Verdict::configuration, "configuration"},
                                                           {Verdict::uncertain, "uncertain"},
                                                           {Verdict::released, "released"}});

static_assert(kChannelNames.complete() && kJobStatusNames.complete() && kMailStateNames.complete() &&
              kWebhookStateNames.complete() && kEmailLogStateNames.complete() &&
              kDeadReasonNames.complete() && kReportNames.complete() && kRecipientKindNames.complete() &&
              kRecipientStatusNames.complete() && kAttemptStatusNames.complete() &&
              kErrorTypeNames.complete() && kRetryStrategyNames.complete() && kOnUncertainNames.complete() &&
              kGroupModeNames.complete() && kPoolStatusNames.complete() && kVerdictNames.complete() &&
              kDispatchKindNames.complete() && kDispatchProtocolNames.complete() &&
              kWebhookAuthTypeNames.complete() && kSignatureAlgorithmNames.complete() &&
              kSignatureStyleNames.complete());

}  // namespace eilbote
