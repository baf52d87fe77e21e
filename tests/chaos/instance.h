// One running eilbote of the chaos run: its process, somebody who brings it back, and what stands between it and the others: lines
// to the database, the endpoint and the relay that can be stalled, cut and slowed down, names that can fail, a libc that can fail.
// Its receivers are its own, so that a history knows who delivered.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "support/eilbote_process.h"
#include "support/hook_receiver.h"
#include "support/mail_receiver.h"
#include "support/tcp_proxy.h"

namespace eilbote::chaos {

struct LibcFaults;

struct InstancePlan {
  std::string name, role;
  std::string folder;  // where its data folder is made
  std::string aside;   // for files that the run keeps about it, on a disk that does not fill
  int number = 1;      // of all
  std::map<std::string, std::string> settings;
  std::uint16_t database_port = 0;  // 0: its database is a file
  std::uint16_t hook_port = 0;      // where its endpoint is, at its own address; 0: nobody comes there
  bool in_own_names = false;        // root: names are looked up in files of its own
  std::string libc;                 // the library to preload; empty: none
};

class Instance {
 public:
  // Where jobs go: every instance finds a receiver of its own there.
  static std::string hook_url(bool in_own_names, std::uint16_t hook_port);

  Instance(InstancePlan plan, test::History& history);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const std::string& name() const { return plan_.name; }
  const std::string& role() const { return plan_.role; }
  const std::string& url() const { return url_; }
  std::string data_folder() const { return plan_.folder + "/" + plan_.name; }
  // As the history knows it; empty where nobody can tell who delivers.
  std::string by() const { return plan_.in_own_names ? plan_.name : ""; }

  // From then on it runs, and is brought back whenever it has ended.
  void begin();
  bool waits_until_up(std::chrono::seconds patience);
  // Does something to the running process, which nobody else touches meanwhile; false: it was not running, or somebody does.
  bool strike(const std::function<void(test::EilboteProcess&)>& what);
  // The same with kill -9: it stays away so long at least.
  bool kill(std::chrono::milliseconds down);
  // Ends it for good: its exit code, -1 when it had to be killed.
  int stop();
  // Why it could not be started last.
  std::string trouble() const;
  // How often it ended though nobody had killed it.
  int own_ends() const;

  test::TcpProxy* database() { return database_.get(); }
  test::TcpProxy& endpoint() { return *endpoint_; }
  test::TcpProxy& relay() { return *relay_line_; }
  void fail_names(bool on);
  LibcFaults* libc() { return libc_; }

 private:
  void prepare_names() const;
  void prepare_libc();
  std::vector<std::string> wrapped(const std::vector<std::string>& command) const;
  void keep(const std::stop_token& stop);
  bool try_start();

  const InstancePlan plan_;
  test::HookReceiver hooks_;
  test::MailReceiver mails_;
  std::unique_ptr<test::TcpProxy> database_, endpoint_, relay_line_;
  LibcFaults* libc_ = nullptr;
  std::string url_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ = false, up_ = false;
  std::chrono::steady_clock::time_point down_until_{};
  int own_ends_ = 0;
  std::string trouble_;
  std::unique_ptr<test::EilboteProcess> process_;
  std::jthread keeper_;  // it starts the process, which ends with the thread that started it
};

}  // namespace eilbote::chaos
