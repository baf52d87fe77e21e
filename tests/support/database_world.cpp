#include "support/database_world.h"

#include <stdexcept>

#include "store/postgres/postgres_store.h"
#include "support/postgres_server.h"

namespace eilbote::test {

DatabaseWorld::DatabaseWorld() : url_(PostgresServer::shared().create_database()) {}

std::unique_ptr<Transport> DatabaseWorld::make(TransportOptions options) {
  StoreOptions store;
  store.url = url_;
  wakeups_.push_back(postgres::wakeups(store));
  auto made = make_transport(std::move(options), *wakeups_.back(), metrics_, clock_);
  if (!made) throw std::runtime_error(made.error().message);
  return std::move(*made);
}

}  // namespace eilbote::test
