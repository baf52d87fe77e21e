// The HTTP API: what the HTTP server calls for every request. The composition root fills in the context and
// makes it.
//
// Promises: never blocks the HTTP thread (what may block runs on a small bounded pool of workers, over it:
// 429); every answer is JSON or a problem, carries traceparent, and echoes X-Request-ID.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/console.h"
#include "base/clock.h"
#include "base/result.h"
#include "domain/mail.h"
#include "domain/retry_policy.h"
#include "domain/tsid.h"
#include "engine/breaker_desk.h"
#include "engine/credential_book.h"
#include "engine/due_news.h"
#include "engine/intake.h"
#include "engine/ledger.h"
#include "engine/pool_list.h"
#include "engine/provider_key.h"
#include "engine/publisher.h"
#include "engine/report_desk.h"
#include "metrics/metrics.h"
#include "ports/authenticator.h"
#include "ports/http.h"
#include "ports/mailbox_watch.h"
#include "ports/outbox.h"
#include "ports/registry.h"
#include "ports/report_book.h"
#include "ports/secret_vault.h"
#include "ports/suppression_list.h"
#include "ports/tracer.h"
#include "ports/transport.h"

namespace eilbote {

class OutboundCheck;
class OverviewHub;
class SchemaBook;

struct ApiSettings {
  MailLimits mail_limits;
  WebhookLimits webhook_limits;
  RetryPolicy mail_retry;                            // the channel's default
  std::function<bool(const std::string&)> has_pool;  // whether a mail may name it; never blocks
  std::string message_id_domain = "localhost";       // right side of every Message-ID
  Duration expires_after = std::chrono::hours{24 * 5};
  // Whether this instance can do its work, beyond the store's own check; may block. The error's message is
  // shown.
  std::function<Result<void>()> ready;
  // The state of the broker that carries jobs; null: there is none. Must not block.
  std::function<TransportState()> broker;
  std::string delivers_nothing;       // not empty: this instance delivers nothing, and says so in these words
  OutboundCheck* outbound = nullptr;  // where targets may lie; null: anywhere
  // Graph told of messages that came in, or asks for something about a mailbox's subscription: both are on record already. Called
  // on a worker; must not block.
  std::function<void()> graph_noticed;
  std::function<void(std::string mailbox, GraphLifecycle wish)> graph_lifecycle;
  ConsoleSettings console;
  int worker_threads = 2;
  std::size_t workers_waiting_max = 256;
};

// What the handlers use; all of it outlives the API. Stop the HTTP server, the intake, the publisher and the
// ledger before the API goes: their late answers pass through it.
struct ApiContext {
  Outbox& outbox;
  Registry& registry;
  Intake& intake;
  Ledger& ledger;
  BreakerDesk& breakers;        // of all instances
  DueNews& due;                 // told of everything that people made due
  SecretVault& secrets;         // keeps the secrets that are made here
  PoolList& pools;              // told of every change to a pool
  CredentialBook& credentials;  // told of every change to an account
  SchemaBook& schemas;
  ReportDesk& report_desk;  // takes delivery reports
  ReportBook& reports;      // shows them
  SuppressionList& suppressions;
  ProviderKey& provider_key;  // what providers sign with
  Metrics& metrics;
  const Clock& clock;
  TsidFactory& ids;
  Authenticator* authenticator;  // null: EILBOTE_AUTH=off, everybody is `local`
  ApiSettings settings;
  MailboxWatch* mailboxes = nullptr;  // null: no mail goes through Graph, and nobody watches mailboxes
  Publisher* publisher = nullptr;     // null: jobs are not published here
  Tracer* tracer = nullptr;           // null: requests are not traced
  OverviewHub* overview = nullptr;    // null: this instance has no overview
};

std::unique_ptr<HttpHandler> make_api(ApiContext context);

}  // namespace eilbote
