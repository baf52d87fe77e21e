// SIGHUP: the configuration is read again, and the running server takes over what it can: the certificate of its listener, how it
// writes its log, the pools. What needs a new start is named in the log; a configuration with faults changes nothing at all.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/loader.h"

namespace eilbote {

class DueNews;
class PoolList;
class Registry;
class ServerTls;

// Of a running server; all of it outlives the reload.
struct ReloadParts {
  ServerTls* tls;  // null: the listener speaks plain HTTP
  Registry& registry;
  PoolList& pools;
  DueNews& due;
};

class ConfigReload {
 public:
  using Read = std::function<LoadedConfig()>;
  // `in_force`: what the server was started with.
  ConfigReload(LoadedConfig in_force, Read read, ReloadParts parts);

  // Says in the log what came of it. One at a time, from the thread that waits for signals; may block for the database.
  void run();

 private:
  void take_over(const LoadedConfig& now);
  bool take_certificate(const HttpListenerConfig& http);
  std::vector<std::string> take_pools(const std::vector<Pool>& pools);
  void tell_pools_of_people(const std::vector<Pool>& pools) const;

  LoadedConfig in_force_;  // options that need a restart stay as they were at the start
  const Read read_;
  const ReloadParts parts_;
};

}  // namespace eilbote
