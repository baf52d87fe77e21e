// The numbers of clients, pools and lanes, kept in memory: they never change once given, so a hot transaction
// needs no look-up. What is missing is made outside the transaction, by statements of its own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/shared_mutex.h"
#include "domain/ids.h"
#include "domain/names.h"
#include "ports/outbox.h"
#include "store/postgres/connection.h"

namespace eilbote::postgres {

struct Lane {
  LaneId id;
  std::int32_t client_id = 0;
  ChannelKind channel = ChannelKind::mail;
  ClientName client;
  std::string pool;
  std::string route;
};

class Directory {
 public:
  // The job's lane, made now if there is none. Commits on its own; not to be called inside a transaction.
  Result<Lane> ensure_lane(Connection& connection, const NewJob& job);

  // The client's number, given now if it has none. Commits on its own, as ensure_lane.
  Result<std::int32_t> ensure_client(Connection& connection, const ClientName& name);

  std::optional<Lane> lane(LaneId id) const;
  // Reads all lanes and clients anew: another instance may have made some.
  Result<void> reload(Connection& connection);
  // The lanes of these rows' jobs, read from the database when the memory does not know one.
  Result<void> know_lanes(Connection& connection, const Rows& rows);

  // The client's number; nullopt when nobody of that name ever handed in a job.
  Result<std::optional<std::int32_t>> client_id(Connection& connection, const ClientName& name);
  // All clients, fresh from the database.
  Result<std::vector<std::pair<std::int32_t, std::string>>> clients(Connection& connection);

 private:
  using LaneKey =
      std::tuple<std::string, std::string, ChannelKind, std::string>;  // pool, client, channel, route

  void remember(const Lane& lane);

  mutable SharedMutex mutex_;
  std::map<LaneKey, Lane> by_key_ EILBOTE_GUARDED_BY(mutex_);
  std::unordered_map<LaneId, Lane> by_id_ EILBOTE_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::int32_t> clients_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote::postgres
