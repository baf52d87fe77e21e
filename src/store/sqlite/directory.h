// The lanes with their names and numbers, kept in the writer's memory. There are few of them and they never
// go away, so accepting a mail does not look them up. Belongs to the writer thread.
#pragma once

#include <string>
#include <unordered_map>

#include "domain/ids.h"
#include "domain/names.h"
#include "store/sqlite/database.h"

namespace eilbote::sqlite {

struct LaneKey {
  std::string_view pool;
  const ClientName& client;
  ChannelKind channel;
  std::string_view route;
};

struct Lane {
  LaneId id;
  std::int64_t client_id = 0;
  ClientName client;
  std::string pool;
  std::string route;
};

class Directory {
 public:
  // The lane, made known together with its pool and client when it is new. Invalid lane after a database
  // error.
  const Lane& lane(Database& database, const LaneKey& key, TimePoint now);
  // The lane with that number; null when there is none.
  const Lane* find(Database& database, LaneId id);

  // After a rollback: what was learnt inside the transaction may not be there.
  void forget();

 private:
  void load(Database& database);
  const Lane& keep(std::string name, Lane lane);
  const Lane& add_lane(Database& database, const LaneKey& key, std::string name, TimePoint now);

  bool loaded_ = false;
  std::unordered_map<std::string, Lane> lanes_;  // by lane_name()
  std::unordered_map<LaneId, const Lane*> by_id_;
};

}  // namespace eilbote::sqlite
