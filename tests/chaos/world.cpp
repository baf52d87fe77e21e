#include "chaos/world.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "support/program.h"
#include "support/rabbit_server.h"
#include "support/server_packages.h"

namespace eilbote::chaos {
namespace {

using namespace std::chrono_literals;

constexpr auto kStartPatience = 60s;
constexpr auto kLease = 15s, kShortLease = 8s;  // the default, and one whose end a short run can see

}  // namespace

World::World(const ChaosOptions& options, bool own_mounts, test::History& history)
    : options_(options), own_mounts_(own_mounts), history_(history), hook_port_(test::free_port()) {
  const std::string data = folder_ / "data";
  std::filesystem::create_directory(data);
  if (own_mounts_)
    disk_ = std::make_unique<SmallDisk>(data);
  else
    lacks_.emplace_back("full disks, failing names and who delivered a webhook: only root can mount");
  if (options_.on_postgres) {
    // Its servers put their folders there; as root they run as somebody else, who has to get in.
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add);
    const char* const before = ::getenv("TMPDIR");
    const std::string former = before == nullptr ? "" : before;
    ::setenv("TMPDIR", data.c_str(), 1);
    database_ = open_postgres(!options_.is_short());
    if (former.empty())
      ::unsetenv("TMPDIR");
    else
      ::setenv("TMPDIR", former.c_str(), 1);
    if (!database_->has_standby()) lacks_.emplace_back("failover: a short run has no time for it");
  } else {
    database_ = open_sqlite(data + "/one/eilbote.db");
  }
  if (options_.with_broker) {
    if (const std::string why = test::RabbitServer::missing(); !why.empty())
      throw std::runtime_error("no RabbitMQ: " + why);
    broker_ = test::make_test_broker(test::BrokerKind::rabbitmq);
  }
  if (test::is_other_program())
    lacks_.emplace_back(
        "failing syncs, torn writes, clocks that jump: a sanitized program takes no library in front of it");
  start_instances();
}

World::~World() {
  instances_.clear();
}

std::chrono::milliseconds World::lease() const {
  return options_.is_short() ? kShortLease : kLease;
}

std::map<std::string, std::string> World::settings() const {
  std::map<std::string, std::string> all{
      {"EILBOTE_LOG_LEVEL", "warning"},          {"EILBOTE_LEASE_SECONDS", std::to_string(lease() / 1s)},
      {"EILBOTE_UNCERTAIN_DELAY", "10s"},        {"EILBOTE_BREAKER_PROBE", "1s"},
      {"EILBOTE_SMTP_CONNECT_RETRIES", "1s,2s"}, {"EILBOTE_SMTP_DNS_TIMEOUT", "3s"},
      {"EILBOTE_SHUTDOWN_GRACE", "5s"},          {"EILBOTE_STALE_PUBLISHED_SECONDS", "20"},
      {"DISPATCH_BACKOFF_BASE_SECONDS", "1"},    {"DISPATCH_BACKOFF_MAX_SECONDS", "4"},
  };
  if (options_.on_postgres) all["EILBOTE_STORE_URL"] = database_->url_pattern();
  if (broker_ != nullptr)
    for (const auto& [name, value] : broker_->settings())
      all[name] = value;
  return all;
}

void World::add_instance(const std::string& role, int number) {
  InstancePlan plan;
  plan.name = options_.on_postgres ? role + std::to_string(number) : "one";
  plan.role = role;
  // A SQLite file lies in its instance's folder, so that is where the disk has to be full.
  plan.folder = options_.on_postgres ? folder_.path() : folder_ / "data";
  plan.aside = folder_.path();
  plan.number = number;
  plan.settings = settings();
  plan.database_port = database_->port();
  // Without names of their own all deliver to the first one's endpoint.
  plan.hook_port = own_mounts_ || number == 1 ? hook_port_ : 0;
  plan.in_own_names = own_mounts_;
  if (!test::is_other_program()) plan.libc = EILBOTE_CHAOS_LIBC_FILE;
  instances_.push_back(std::make_unique<Instance>(std::move(plan), history_));
}

void World::start_instances() {
  if (!options_.on_postgres) {
    add_instance("all", 1);
  } else if (broker_ == nullptr) {
    for (int number = 1; number <= 3; ++number)
      add_instance("all", number);
  } else {
    int number = 0;
    for (const char* role : {"api", "api", "scheduler", "scheduler", "worker", "worker"})
      add_instance(role, ++number);
  }
  for (const auto& instance : instances_)
    instance->begin();
  for (const auto& instance : instances_)
    if (!instance->waits_until_up(kStartPatience))
      throw std::runtime_error(instance->name() + " does not start: " + instance->trouble());
}

std::vector<std::string> World::fronts() const {
  std::vector<std::string> urls;
  for (const auto& instance : instances_)
    if (instance->role() == "all" || instance->role() == "api") urls.push_back(instance->url());
  return urls;
}

std::vector<FaultKind> World::kinds() const {
  using enum FaultKind;
  std::vector<FaultKind> all{kill, freeze, endpoint_stall, endpoint_reset, endpoint_drip, memory_limit};
  if (own_mounts_) all.insert(all.end(), {names_fail, disk_full});
  if (options_.on_postgres)
    all.insert(all.end(),
               {postgres_fast, postgres_immediate, backends, database_stall, database_reset, database_drip});
  if (database_->has_standby()) all.push_back(failover);
  if (broker_ != nullptr) all.push_back(rabbit_kill);
  const bool can_preload = std::any_of(instances_.begin(), instances_.end(),
                                       [](const auto& instance) { return instance->libc() != nullptr; });
  // By a SQLite file's clock, which is the process's, jobs would be due in hours.
  if (can_preload && options_.on_postgres) all.push_back(clock_jump);
  if (can_preload && !options_.on_postgres) all.insert(all.end(), {sync_fails, torn_write});
  return all;
}

void World::note(FaultKind kind, std::int64_t at, const std::string& what, const std::string& by) {
  history_.add({.kind = test::HistoryKind::fault,
                .at = at,
                .until = test::history_now(),
                .name = std::string(kFaultKindNames.text(kind)),
                .status = what,
                .by = by});
}

bool World::stop() {
  bool well = true;
  for (const auto& instance : instances_)
    well &= instance->stop() == 0;
  return well;
}

}  // namespace eilbote::chaos
