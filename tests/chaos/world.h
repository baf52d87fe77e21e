// All that a chaos run has: a database, a broker, instances with their receivers, a folder, and the history of it. What cannot be
// had here (no root, no broker) is said in `lacks`, and the faults that need it are not planned.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chaos/database.h"
#include "chaos/fault_plan.h"
#include "chaos/instance.h"
#include "chaos/options.h"
#include "chaos/small_disk.h"
#include "support/temp_folder.h"
#include "support/test_broker.h"

namespace eilbote::chaos {

class World {
 public:
  // Starts everything, and waits until it is up. `own_mounts`: this program may mount.
  World(const ChaosOptions& options, bool own_mounts, test::History& history);
  ~World();

  test::History& history() { return history_; }
  Database& database() { return *database_; }
  test::RabbitServer& rabbit() { return broker_->rabbit(); }
  SmallDisk* disk() { return disk_.get(); }
  std::vector<std::unique_ptr<Instance>>& instances() { return instances_; }
  Instance& pick(std::uint64_t draw) { return *instances_[draw % instances_.size()]; }

  // Where jobs are handed in, and where their webhooks go.
  std::vector<std::string> fronts() const;
  std::string hook_url() const { return Instance::hook_url(own_mounts_, hook_port_); }
  std::chrono::milliseconds lease() const;
  // The kinds of faults that can be made here.
  std::vector<FaultKind> kinds() const;
  // What cannot be done here and why, a line each.
  const std::vector<std::string>& lacks() const { return lacks_; }

  // Writes down that something was broken from then until now.
  void note(FaultKind kind, std::int64_t at, const std::string& what, const std::string& by = "");
  // Ends all instances in order; false: one did not end well.
  bool stop();

 private:
  void start_instances();
  void add_instance(const std::string& role, int number);
  std::map<std::string, std::string> settings() const;

  const ChaosOptions options_;
  const bool own_mounts_;
  test::History& history_;
  const test::TempFolder folder_;
  const std::uint16_t hook_port_;
  std::vector<std::string> lacks_;
  std::unique_ptr<SmallDisk> disk_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<test::TestBroker> broker_;
  std::vector<std::unique_ptr<Instance>> instances_;
};

}  // namespace eilbote::chaos
