// Accepting jobs: one transaction for the whole batch, and one round trip when no keys are involved.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "store/content_json.h"
#include "store/postgres/operations.h"
#include "store/trace_column.h"
#include "store/webhook_json.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

struct Placed {
  const NewJob* job;
  Lane lane;
  std::optional<std::int64_t> group;
};

// Group locks in one order for everybody, therefore a sorted set.
std::set<std::int64_t> groups_of(const std::vector<Placed>& batch) {
  std::set<std::int64_t> groups;
  for (const Placed& placed : batch)
    if (placed.group) groups.insert(*placed.group);
  return groups;
}

Call outbox_call(const std::vector<Placed>& batch, AcceptRun run) {
  Array id(Type::int8), lane(Type::int4), client(Type::int4), channel(Type::text),
      scheduled(Type::timestamptz), expires(Type::timestamptz), attempts_max(Type::int4), group(Type::int8),
      mode(Type::text), sequence(Type::int4), callback(Type::boolean);
  for (const Placed& placed : batch) {
    const NewJob& job = *placed.job;
    id.add(job.id.value());
    lane.add(placed.lane.id.value());
    client.add(placed.lane.client_id);
    channel.add(kChannelNames.text(job.channel));
    scheduled.add(job.scheduled_for);
    expires.add(job.expires_at);
    attempts_max.add(job.attempts_max);
    group.add(placed.group);
    placed.group ? mode.add(kGroupModeNames.text(job.group_mode)) : mode.add_null();
    sequence.add(job.sequence);
    callback.add(job.callback);
  }
  Params params;
  for (Array* array : {&id, &lane, &client, &channel, &scheduled, &expires, &attempts_max, &group, &mode,
                       &sequence, &callback})
    params.add(std::move(*array));
  return {run == AcceptRun::first ? &q::insert_outbox : &q::insert_outbox_again, std::move(params)};
}

void add_messages_call(Calls& calls, const std::vector<Placed>& batch, bool broker) {
  std::size_t mime_bytes = 0;
  for (const Placed& placed : batch)
    mime_bytes += placed.job->mail.mime.size() + 4;
  Array id(Type::int8), client(Type::int4), bytes(Type::int4), uncertain(Type::text), sender(Type::text),
      recipients(Type::json), meta(Type::jsonb), retry(Type::json), trace(Type::text), key(Type::text),
      mime(Type::bytea, mime_bytes), state(Type::text);
  for (const Placed& placed : batch) {
    if (placed.job->channel != ChannelKind::mail) continue;
    const NewMail& mail = placed.job->mail;
    id.add(placed.job->id.value());
    client.add(placed.lane.client_id);
    bytes.add(static_cast<std::int32_t>(mail.mime.size()));
    uncertain.add(kOnUncertainNames.text(mail.on_uncertain));
    sender.add(mail.sender);
    recipients.add(recipients_to_json(mail.recipients));
    meta.add(mail.meta.empty() ? std::string_view("{}") : std::string_view(mail.meta));
    mail.retry ? retry.add(retry_to_json(*mail.retry)) : retry.add_null();
    trace.add(trace_column(placed.job->trace_id, placed.job->trace_span));
    key.add_or_null(placed.job->idempotency_key);
    mime.add(mail.mime);
    state.add(first_state(*placed.job, broker));
  }
  if (id.size() == 0) return;
  Params params;
  for (Array* array :
       {&id, &client, &bytes, &uncertain, &sender, &recipients, &meta, &retry, &trace, &key, &mime, &state})
    params.add(std::move(*array));
  calls.push_back({&q::insert_messages, std::move(params)});
}

void add_webhooks_call(Calls& calls, const std::vector<Placed>& batch, bool broker) {
  Array id(Type::int8), client(Type::int4), job(Type::json), trace(Type::text), key(Type::text),
      payload(Type::text), state(Type::text);
  for (const Placed& placed : batch) {
    if (placed.job->channel != ChannelKind::webhook) continue;
    id.add(placed.job->id.value());
    client.add(placed.lane.client_id);
    job.add(webhook_to_json(placed.job->webhook));
    trace.add(trace_column(placed.job->trace_id, placed.job->trace_span));
    key.add_or_null(placed.job->idempotency_key);
    payload.add(placed.job->webhook.payload);
    state.add(first_state(*placed.job, broker));
  }
  if (id.size() == 0) return;
  Params params;
  for (Array* array : {&id, &client, &job, &trace, &key, &payload, &state})
    params.add(std::move(*array));
  calls.push_back({&q::insert_webhooks, std::move(params)});
}

// Sorted by hash: neighbours in the index are written together. The same facet twice on a job counts once.
void add_facets_call(Calls& calls, const std::vector<Placed>& batch) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const Placed& placed : batch)
    for (const std::int64_t hash : facets_of(*placed.job))
      pairs.emplace_back(hash, placed.job->id.value());
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  if (pairs.empty()) return;
  Array hash(Type::int8, pairs.size() * 12), id(Type::int8, pairs.size() * 12);
  for (const auto& [facet, job] : pairs) {
    hash.add(facet);
    id.add(job);
  }
  Params params;
  params.add(std::move(hash)).add(std::move(id));
  calls.push_back({&q::insert_facets, std::move(params)});
}

void add_content_calls(Calls& calls, const std::vector<Placed>& batch, bool broker) {
  add_messages_call(calls, batch, broker);
  add_webhooks_call(calls, batch, broker);
  add_facets_call(calls, batch);
}

// The keys of a batch, in the order everybody takes them.
struct Keyed {
  std::int32_t client;
  const NewJob* job;
  std::size_t index;
};
std::vector<Keyed> keys_of(const std::vector<Placed>& batch) {
  std::vector<Keyed> keys;
  for (std::size_t i = 0; i < batch.size(); ++i)
    if (!batch[i].job->idempotency_key.empty()) keys.push_back({batch[i].lane.client_id, batch[i].job, i});
  std::ranges::sort(keys, {}, [](const Keyed& k) { return std::tie(k.client, k.job->idempotency_key); });
  return keys;
}

Call take_keys_call(const std::vector<Keyed>& keys) {
  Array client(Type::int4), key(Type::text), fingerprint(Type::bytea), id(Type::int8), life(Type::int8);
  for (const Keyed& k : keys) {
    const Sha256& print = k.job->fingerprint;
    client.add(k.client);
    key.add(k.job->idempotency_key);
    fingerprint.add(std::string_view(reinterpret_cast<const char*>(print.data()), print.size()));
    id.add(k.job->id.value());
    life.add(static_cast<std::int64_t>(k.job->key_life.count()));
  }
  Params params;
  for (Array* array : {&client, &key, &fingerprint, &id, &life})
    params.add(std::move(*array));
  return {&q::insert_keys, std::move(params)};
}

// Fills in the outcome of every job whose key is another's. Runs inside the transaction, after
// take_keys_call.
Result<void> judge_losers(Connection& connection, const std::vector<Keyed>& losers,
                          std::vector<AcceptOutcome>& outcomes) {
  Array client(Type::int4), key(Type::text);
  for (const Keyed& k : losers) {
    client.add(k.client);
    key.add(k.job->idempotency_key);
  }
  Params params;
  params.add(std::move(client)).add(std::move(key));
  auto rows = connection.run(q::find_keys, std::move(params));
  if (!rows) return fail(rows.error());
  std::map<std::pair<std::int32_t, std::string_view>, Row> held;
  for (const Row row : *rows)
    held.emplace(std::pair(row.int4(0), row.text(1)), row);
  for (const Keyed& k : losers) {
    const auto found = held.find({k.client, k.job->idempotency_key});
    // The winner took its key back between the two statements; nothing is decided, so the caller comes again.
    if (found == held.end()) return fail(ErrorKind::unavailable, "an idempotency key changed hands");
    const Row& row = found->second;
    const JobId holder{row.int8(3)};
    if (holder == k.job->id) continue;  // my own, from a commit whose answer was lost
    const Sha256& print = k.job->fingerprint;
    const bool same =
        row.text(2) == std::string_view(reinterpret_cast<const char*>(print.data()), print.size());
    outcomes[k.index] = {same ? AcceptKind::replayed : AcceptKind::conflict, holder, {}};
  }
  return {};
}

// Takes the keys; afterwards `outcomes` says who has lost.
Result<void> take_keys(Connection& connection, const std::vector<Keyed>& keys, Calls calls,
                       std::vector<AcceptOutcome>& outcomes) {
  calls.push_back(take_keys_call(keys));
  auto answers = connection.run(calls);
  if (!answers) return fail(answers.error());
  std::unordered_set<std::int64_t> mine;
  for (const Row row : answers->back())
    mine.insert(row.int8(0));
  std::vector<Keyed> losers;
  for (const Keyed& k : keys)
    if (!mine.contains(k.job->id.value())) losers.push_back(k);
  return losers.empty() ? Result<void>{} : judge_losers(connection, losers, outcomes);
}

// After an ambiguous commit: rows first, to learn which are new; only those get content and events.
Result<std::vector<Placed>> insert_again(Connection& connection, const std::vector<Placed>& batch,
                                         Calls& calls) {
  calls.push_back(outbox_call(batch, AcceptRun::again));
  auto answers = connection.run(calls);
  calls.clear();
  if (!answers) return fail(answers.error());
  std::unordered_set<std::int64_t> fresh;
  for (const Row row : answers->back())
    fresh.insert(row.int8(0));
  std::vector<Placed> rest;
  for (const Placed& placed : batch)
    if (fresh.contains(placed.job->id.value())) rest.push_back(placed);
  return rest;
}

Result<std::vector<Placed>> place_all(Connection& connection, Directory& directory,
                                      std::span<const NewJob> jobs) {
  std::vector<Placed> batch;
  batch.reserve(jobs.size());
  for (const NewJob& job : jobs) {
    auto lane = directory.ensure_lane(connection, job);
    if (!lane) return fail(lane.error());
    batch.push_back({&job, std::move(*lane), group_number(job)});
  }
  return batch;
}

}  // namespace

Result<std::vector<AcceptOutcome>> accept(Connection& connection, Directory& directory,
                                          std::span<const NewJob> jobs, AcceptRun run, bool broker) {
  auto placed = place_all(connection, directory, jobs);
  if (!placed) return fail(placed.error());
  std::vector<AcceptOutcome> outcomes;
  for (const Placed& p : *placed)
    outcomes.push_back({AcceptKind::accepted, p.job->id, p.lane.id});
  const std::set<std::int64_t> groups = groups_of(*placed);

  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  if (!groups.empty()) {
    Params params;
    params.add(int8_array(groups));
    calls.push_back({&q::lock_groups, std::move(params)});
  }
  std::vector<Placed> batch = std::move(*placed);
  if (const std::vector<Keyed> keys = keys_of(batch); !keys.empty()) {
    if (auto taken = take_keys(connection, keys, std::move(calls), outcomes); !taken)
      return fail(taken.error());
    calls.clear();
    std::vector<Placed> winners;
    for (std::size_t i = 0; i < batch.size(); ++i)
      if (outcomes[i].kind == AcceptKind::accepted) winners.push_back(batch[i]);
    batch = std::move(winners);
  }
  if (!batch.empty() && run == AcceptRun::again) {
    auto rest = insert_again(connection, batch, calls);
    if (!rest) return fail(rest.error());
    batch = std::move(*rest);
  } else if (!batch.empty()) {
    calls.push_back(outbox_call(batch, run));
  }
  if (!batch.empty()) add_content_calls(calls, batch, broker);
  if (!batch.empty() && !groups.empty()) {
    Params params;
    params.add(int8_array(groups));
    calls.push_back({&q::promote_groups, std::move(params)});
  }
  calls.push_back({&q::commit_transaction, {}});
  if (auto done = connection.run(calls); !done) return fail(done.error());
  return outcomes;
}

}  // namespace eilbote::postgres
