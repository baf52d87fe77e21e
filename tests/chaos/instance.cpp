#include "chaos/instance.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <new>
#include <stdexcept>

#include "chaos/libc_faults.h"
#include "support/server_packages.h"

namespace eilbote::chaos {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr const char* kHookHost = "hooks.chaos.test";
constexpr const char* kRelayHost = "relay.chaos.test";
constexpr auto kThinking = 40ms;  // of receivers, so that something is under way when a fault strikes
constexpr auto kLook = 50ms;      // how often it is looked whether the process is still there
constexpr auto kStopPatience = 90s;

}  // namespace

std::string Instance::hook_url(bool in_own_names, std::uint16_t hook_port) {
  return fmt::format("http://{}:{}/hook", in_own_names ? kHookHost : "127.0.0.1", hook_port);
}

Instance::Instance(InstancePlan plan, test::History& history)
    : plan_(std::move(plan)), hooks_(history, kThinking, by()), mails_(history, kThinking, plan_.name) {
  using test::Proxied;
  if (plan_.database_port != 0)
    database_ = std::make_unique<test::TcpProxy>(plan_.database_port, Proxied::bytes);
  const std::string address = plan_.in_own_names ? fmt::format("127.0.1.{}", plan_.number) : "127.0.0.1";
  endpoint_ = std::make_unique<test::TcpProxy>(hooks_.port(), Proxied::bytes,
                                               test::ProxyPlace{address, plan_.hook_port});
  relay_line_ = std::make_unique<test::TcpProxy>(mails_.port(), Proxied::bytes);
  auto settings = plan_.settings;
  const std::uint16_t port = test::free_port();
  url_ = fmt::format("http://127.0.0.1:{}", port);
  settings["EILBOTE_LISTEN"] = fmt::format("127.0.0.1:{}", port);
  settings["EILBOTE_ROLE"] = plan_.role;
  settings["EILBOTE_MAIL_PROVIDER"] = "smtp";
  settings["EILBOTE_SMTP_URL"] =
      fmt::format("smtp://{}:{}?tls=off", plan_.in_own_names ? kRelayHost : "127.0.0.1", relay_line_->port());
  if (database_ != nullptr) {
    std::string& store = settings["EILBOTE_STORE_URL"];
    store = fmt::format(fmt::runtime(store), database_->port());
  }
  if (!plan_.libc.empty()) {
    prepare_libc();
    settings["LD_PRELOAD"] = plan_.libc;
    settings[LibcFaults::kVariable] = plan_.aside + "/" + plan_.name + ".libc";
  }
  process_ = std::make_unique<test::EilboteProcess>(data_folder(), std::move(settings));
  if (plan_.in_own_names) {
    prepare_names();
    process_->wrap([this](const std::vector<std::string>& command) { return wrapped(command); });
  }
}

Instance::~Instance() {
  keeper_.request_stop();
  if (keeper_.joinable()) keeper_.join();
  if (libc_ != nullptr) ::munmap(libc_, sizeof(LibcFaults));
}

void Instance::prepare_libc() {
  const std::string path = plan_.aside + "/" + plan_.name + ".libc";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ::ftruncate(fd, sizeof(LibcFaults)) != 0) throw std::runtime_error("cannot write " + path);
  void* const at = ::mmap(nullptr, sizeof(LibcFaults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (at == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  libc_ = new (at) LibcFaults{};
}

// Without its line in the hosts file a name is asked of a server that is not there.
void Instance::prepare_names() const {
  const std::string base = plan_.aside + "/" + plan_.name;
  test::write_text_file(base + ".hosts", "");
  test::write_text_file(base + ".resolv", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
  test::write_text_file(base + ".nsswitch", "hosts: files dns\n");
  const_cast<Instance*>(this)->fail_names(false);
}

void Instance::fail_names(bool on) {
  if (!plan_.in_own_names) return;
  // In place: a new file would not be seen where the old one is mounted.
  std::FILE* const file = std::fopen((plan_.aside + "/" + plan_.name + ".hosts").c_str(), "we");
  if (file == nullptr) return;
  fmt::print(file, "127.0.0.1 localhost\n");
  if (!on) fmt::print(file, "127.0.1.{} {}\n127.0.0.1 {}\n", plan_.number, kHookHost, kRelayHost);
  std::fclose(file);
}

// exec at every step: the process keeps the number that signals are sent to.
std::vector<std::string> Instance::wrapped(const std::vector<std::string>& command) const {
  const std::string base = plan_.aside + "/" + plan_.name;
  std::vector<std::string> all{"unshare", "-m", "sh", "-c"};
  all.push_back(
      fmt::format("mount --bind {0}.hosts /etc/hosts && mount --bind {0}.resolv /etc/resolv.conf && "
                  "mount --bind {0}.nsswitch /etc/nsswitch.conf && exec \"$@\"",
                  base));
  all.emplace_back("sh");
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

void Instance::begin() {
  const std::lock_guard lock(mutex_);
  wanted_ = true;
  if (!keeper_.joinable()) keeper_ = std::jthread([this](const std::stop_token& stop) { keep(stop); });
}

bool Instance::waits_until_up(std::chrono::seconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return up_; });
}

// As whatever watches over processes does: one that ended is started, and one that cannot start is started once more.
void Instance::keep(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (up_ && !process_->process().running()) {
      up_ = false;
      if (wanted_) ++own_ends_;
    }
    if (wanted_ && !up_ && Steady::now() >= down_until_) {
      up_ = try_start();
      if (!up_) down_until_ = Steady::now() + 500ms;
      changed_.notify_all();
    }
    changed_.wait_for(lock, stop, kLook, [] { return false; });
  }
  // The process ends with this thread in any case; so it is ended in order, whatever happened.
  if (up_) process_->kill_hard();
  up_ = false;
}

bool Instance::try_start() {
  try {
    process_->start();
    return true;
  } catch (const std::runtime_error& why) {
    trouble_ = why.what();
    return false;  // what it needs is away just now
  }
}

bool Instance::strike(const std::function<void(test::EilboteProcess&)>& what) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || !up_ || !process_->process().running()) return false;
  what(*process_);
  return true;
}

bool Instance::kill(std::chrono::milliseconds down) {
  return strike([&](test::EilboteProcess& process) {
    process.kill_hard();
    up_ = false;
    down_until_ = Steady::now() + down;
  });
}

int Instance::stop() {
  std::unique_lock lock(mutex_);
  wanted_ = false;
  if (!up_) return 0;
  process_->process().signal(SIGTERM);
  const auto code = process_->process().wait(kStopPatience);
  if (!code) process_->kill_hard();
  up_ = false;
  return code.value_or(-1);
}

std::string Instance::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

int Instance::own_ends() const {
  const std::lock_guard lock(mutex_);
  return own_ends_;
}

}  // namespace eilbote::chaos
