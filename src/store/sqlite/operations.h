// The operations of the outbox, its care and the registry as pieces of work for the writer (Session) and the readers (Reading); one .cpp
// per family. sqlite_outbox.cpp, sqlite_care.cpp and sqlite_registry.cpp hand them to the threads. Errors stick to the connection (database.h), so
// these answer plain values, which the caller throws away after an error. `broker`: one is configured, which the states in
// events and lists depend on.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "ports/outbox.h"
#include "ports/outbox_care.h"
#include "ports/registry.h"
#include "store/sqlite/readers.h"
#include "store/sqlite/writer.h"

namespace eilbote::sqlite {

// accept.cpp
std::vector<AcceptOutcome> accept(Session& session, std::span<const NewJob> jobs, AcceptRun run, bool broker);

// exchange.cpp
ExchangeResult exchange(Session& session, const ExchangeRequest& request);

// groups.cpp: group numbers are hash64 of (client, channel, name).
using Groups = std::set<std::int64_t>;
// Gives each group's turn to the next due job, where nobody has it; answers the lanes of those jobs.
std::vector<LaneId> promote(Session& session, const Groups& groups);

// event_rows.cpp: what is written beside the row.
void write_event(Session& session, JobId job, const StatusEvent& event);

// instances.cpp
Epoch start_instance(Session& session, const std::string& name, Duration lease);
Heartbeat heartbeat(Session& session, Epoch epoch, Duration lease, bool takes_homes);
bool take_turn(Session& session, const std::string& chore, Epoch epoch, Duration turn);
void end_instance(Session& session, Epoch epoch);
int reconcile(Session& session, Epoch epoch, std::span<const JobId> held);
// Those whose life is over; with a name: all of that instance.
std::vector<Epoch> dead_epochs(Session& session, const std::string& of_instance);
std::vector<ClaimedJob> orphans(Session& session, const std::string& of_instance, int rows_max);

// sweeps.cpp, retention.cpp
SweepResult rescue(Session& session, const RescueParams& params, bool broker);
SweepResult sweep(Session& session, const SweepParams& params, bool broker);
SweepResult delete_finished(Session& session, const SweepParams& params);
SweepResult delete_keys(Session& session, const SweepParams& params);
SweepResult delete_unmatched_reports(Session& session, const SweepParams& params);
SweepResult delete_flow(Session& session, const SweepParams& params);

// registry_accounts.cpp
bool add_account(Session& session, const ServiceAccount& account, const AuditEntry& audit);
bool change_account(Session& session, const ServiceAccount& account, TimePoint changed_at,
                    const AuditEntry& audit);
std::vector<ServiceAccount> accounts(Reading& reading);
void account_used(Session& session, JobId id, TimePoint at);
// registry_schemas.cpp
void add_schema(Session& session, const PayloadSchema& schema, const AuditEntry& audit);
std::vector<PayloadSchema> schemas(Reading& reading);
// registry_audit.cpp: what somebody did, beside what was done.
void write_audit(Session& session, const AuditEntry& audit);
std::vector<AuditRecord> list_audit(Reading& reading, const AuditQuery& query);

// drafts.cpp: this mail is sent anew, so what its drafts said of it counts no more. For the work that puts it back in line.
void close_drafts(Session& session, JobId job);

// reports.cpp: a mail that is sent now becomes what was reported on its recipients while others still waited.
void report_sent(Session& session, JobId job);

// acts.cpp
ActOutcome act(Session& session, JobId id, const ActRequest& request, bool broker);

// reading.cpp
std::vector<MailContent> load_mails(Reading& reading, std::span<const JobId> ids);
std::vector<WebhookContent> load_webhooks(Reading& reading, std::span<const JobId> ids);
ActiveLanes active_lanes(Reading& reading);
// Rows and content only, in the order of the ids, without those that are gone; complete_record adds the rest:
// the recipients' results, the last failure, the provider's id.
std::vector<JobRecord> find_rows(Reading& reading, std::span<const JobId> ids);
void complete_record(Reading& reading, JobRecord& record);
std::optional<JobRecord> find(Reading& reading, JobId id, const std::optional<ClientName>& client);
JobHistory history(Reading& reading, JobId id);

// list.cpp
Page list(Reading& reading, const ListQuery& query, bool broker);

// registry_pools.cpp: the pools and groups of the registry; a change writes its audit record too.
std::vector<PoolRow> list_pools(Reading& reading);
bool add_pool(Session& session, const Pool& pool, const AuditEntry& audit);
bool change_pool(Session& session, const Pool& pool, const AuditEntry& audit);
// As the configuration has them; at open before the writer's thread begins, later on it.
void write_pools(Database& database, std::span<const Pool> pools, TimePoint now);
std::vector<BlockedGroup> blocked_groups(Reading& reading, const BlockedGroupQuery& query);

// stats.cpp
OutboxStats stats(Reading& reading);
QueueView queue(Reading& reading);

}  // namespace eilbote::sqlite
