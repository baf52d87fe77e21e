// The operations of the outbox, its care and the registry, one file per role. Each runs on a connection that nobody else uses, as whole
// transactions; postgres_outbox.cpp, postgres_care.cpp and postgres_registry.cpp lend the connection and repeat what lost a race.
// `broker`: one is configured, which the states in events and lists depend on.
#pragma once

#include <span>
#include <vector>

#include "ports/outbox.h"
#include "ports/outbox_care.h"
#include "ports/registry.h"
#include "store/postgres/connection.h"
#include "store/postgres/directory.h"

namespace eilbote::postgres {

// accept.cpp
Result<std::vector<AcceptOutcome>> accept(Connection& connection, Directory& directory,
                                          std::span<const NewJob> jobs, AcceptRun run, bool broker);

// exchange.cpp. Split where the contract splits it: grouped settlements are a transaction of their own.
struct SettleResult {
  std::vector<SettleOutcome> outcomes;  // one per settlement
  std::vector<LaneId> woken;
};
Result<SettleResult> settle_grouped(Connection& connection, std::span<const Settlement* const> settlements);
Result<ExchangeResult> settle_and_claim(Connection& connection, Directory& directory,
                                        std::span<const Settlement* const> settlements,
                                        const ExchangeRequest& request);

// reading.cpp
Result<std::vector<MailContent>> load_mails(Connection& connection, std::span<const JobId> ids);
Result<std::vector<WebhookContent>> load_webhooks(Connection& connection, std::span<const JobId> ids);
Result<ActiveLanes> active_lanes(Connection& connection, Directory& directory);
// In the order asked for; ids that are not there are left out.
Result<std::vector<JobRecord>> find_jobs(Connection& connection, Directory& directory,
                                         std::span<const JobId> ids);
// The rest of a record, which lists read only for the rows they show.
Result<void> complete_records(Connection& connection, std::vector<JobRecord>& records);
Result<JobHistory> history(Connection& connection, JobId id);
Result<void> check_schema(Connection& connection);

// stats.cpp
Result<OutboxStats> stats(Connection& connection);
Result<QueueView> queue(Connection& connection);

// registry_pools.cpp: the pools and groups of the registry. Each change is one transaction with its audit record.
Result<std::vector<PoolRow>> list_pools(Connection& connection);
Result<bool> add_pool(Connection& connection, const Pool& pool, const AuditEntry& audit);
Result<bool> change_pool(Connection& connection, const Pool& pool, const AuditEntry& audit);
// As the configuration has it.
Result<void> write_pools(Connection& connection, std::span<const Pool> pools);
Result<std::vector<BlockedGroup>> blocked_groups(Connection& connection, const BlockedGroupQuery& query);

// list.cpp
Result<Page> list(Connection& connection, Directory& directory, const ListQuery& query, bool broker);

// instances.cpp
Result<Epoch> start_instance(Connection& connection, const std::string& name, Duration lease);
Result<Heartbeat> heartbeat(Connection& connection, Epoch epoch, Duration lease, bool takes_homes);
Result<bool> take_turn(Connection& connection, const std::string& chore, Epoch epoch, Duration turn);
Result<void> end_instance(Connection& connection, Epoch epoch);
Result<int> reconcile(Connection& connection, Epoch epoch, std::span<const JobId> held);
// Those whose life is over; with a name: all of that instance.
Result<std::vector<Epoch>> dead_epochs(Connection& connection, const std::string& of_instance);
Result<std::vector<ClaimedJob>> orphans(Connection& connection, Directory& directory,
                                        const std::string& of_instance, int rows_max);

// sweeps.cpp, retention.cpp
Result<SweepResult> rescue(Connection& connection, const RescueParams& params, bool broker);
Result<SweepResult> sweep(Connection& connection, const SweepParams& params, bool broker);
Result<SweepResult> delete_finished(Connection& connection, const SweepParams& params);
Result<SweepResult> delete_keys(Connection& connection, const SweepParams& params);
Result<SweepResult> delete_unmatched_reports(Connection& connection, const SweepParams& params);
Result<SweepResult> delete_flow(Connection& connection, const SweepParams& params);

// groups.cpp
// Gives the turn in these groups to whoever is next: a transaction of its own, under the groups' locks.
Result<std::vector<LaneId>> promote(Connection& connection, std::vector<std::int64_t> groups);

// registry_accounts.cpp
Result<bool> add_account(Connection& connection, const ServiceAccount& account, const AuditEntry& audit);
Result<bool> change_account(Connection& connection, const ServiceAccount& account, TimePoint changed_at,
                            const AuditEntry& audit);
Result<std::vector<ServiceAccount>> accounts(Connection& connection);
Result<void> account_used(Connection& connection, JobId id, TimePoint at);
// registry_schemas.cpp
Result<void> add_schema(Connection& connection, const PayloadSchema& schema, const AuditEntry& audit);
Result<std::vector<PayloadSchema>> schemas(Connection& connection);
// registry_audit.cpp: what somebody did to the registry, for the transaction that does it; or alone.
Call registry_audit(const AuditEntry& audit);
Result<void> add_audit(Connection& connection, const AuditEntry& audit);
Result<std::vector<AuditRecord>> list_audit(Connection& connection, const AuditQuery& query);

// drafts.cpp: these mails are sent anew, so what their drafts said of them counts no more. For the transaction that puts them
// back in line; the mails' rows are locked before.
Call close_drafts_call(std::span<const JobId> jobs);

// reports.cpp: mails that are sent now become what was reported on their recipients while others still waited.
Call report_sent_call(std::span<const JobId> jobs);

// acts.cpp
Result<ActOutcome> act(Connection& connection, Directory& directory, JobId id, const ActRequest& request,
                       bool broker);

}  // namespace eilbote::postgres
