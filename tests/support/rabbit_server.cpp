#include "support/rabbit_server.h"

#include <fmt/format.h>
#include <signal.h>

#include <filesystem>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "base/url_escape.h"
#include "support/server_packages.h"

namespace eilbote::test {
namespace {

constexpr const char* kPackage = "rabbitmq-server";  // with Erlang in the same tree
constexpr int kVhosts = 40;                          // ready from the start: making one takes a second

std::string in_tree(const std::string& path) {
  return path_of({kPackage, path});
}

std::string vhost_name(int number) {
  return "test/" + std::to_string(number);  // its name has to be escaped in URLs
}

// Users, virtual hosts and rights in one file, read when the node has none.
std::string definitions() {
  std::string vhosts, rights;
  for (int i = 0; i < kVhosts; ++i) {
    const char* const comma = i == 0 ? "" : ",";
    vhosts += fmt::format(R"({}{{"name":"{}"}})", comma, vhost_name(i));
    rights += fmt::format(R"({}{{"user":"{}","vhost":"{}","configure":".*","write":".*","read":".*"}})",
                          comma, RabbitServer::kUser, vhost_name(i));
  }
  return fmt::format(
      R"({{"users":[{{"name":"{}","password":"{}","tags":"administrator"}}],"vhosts":[{}],"permissions":[{}]}})",
      RabbitServer::kUser, RabbitServer::kPassword, vhosts, rights);
}

}  // namespace

std::string RabbitServer::missing() {
  static const std::string why = missing_servers({{kPackage, "usr/lib/rabbitmq/bin/rabbitmq-server"},
                                                  {kPackage, "usr/lib/erlang/bin/erl"},
                                                  {kPackage, "usr/lib/erlang/bin/escript"}});
  return why;
}

RabbitServer& RabbitServer::shared() {
  static RabbitServer server;
  return server;
}

RabbitServer::RabbitServer()
    : port_(free_port()), tls_port_(free_port()), mapper_port_(free_port()), node_port_(free_port()) {
  if (const std::string why = missing(); !why.empty()) throw std::runtime_error(why);
  write_settings();
  // In the foreground: the one that Erlang starts by itself would stay behind.
  mapper_ = std::make_unique<ChildProcess>(
      ChildOptions{{in_tree("usr/bin/epmd"), "-port", std::to_string(mapper_port_), "-address", "127.0.0.1"},
                   {},
                   folder_ / "epmd.log",
                   "/"});
  wait_for_port(*mapper_, mapper_port_, folder_ / "epmd.log");
  start();
}

RabbitServer::~RabbitServer() {
  node_.reset();
  mapper_.reset();
}

void RabbitServer::write_settings() const {
  const TlsIdentity identity("localhost");
  write_text_file(folder_ / "certificate.pem", identity.certificate());
  write_text_file(folder_ / "key.pem", identity.key());
  write_text_file(folder_ / "definitions.json", definitions());
  write_text_file(folder_ / "plugins", "[].");
  write_text_file(folder_ / "rabbitmq.conf",
                  fmt::format(R"(listeners.tcp.1 = 127.0.0.1:{port}
listeners.ssl.1 = 127.0.0.1:{tls_port}
ssl_options.cacertfile = {folder}/certificate.pem
ssl_options.certfile = {folder}/certificate.pem
ssl_options.keyfile = {folder}/key.pem
load_definitions = {folder}/definitions.json
disk_free_limit.absolute = 1MB
log.file.level = warning
)",
                              fmt::arg("port", port_), fmt::arg("tls_port", tls_port_),
                              fmt::arg("folder", folder_.path())));
}

std::map<std::string, std::string> RabbitServer::environment() const {
  const char* const path = std::getenv("PATH");
  return {
      {"PATH", in_tree("usr/bin") + ":" + (path == nullptr ? "/usr/bin:/bin" : path)},
      {"HOME", folder_.path()},
      {"LC_ALL", "C.UTF-8"},
      {"ERL_EPMD_PORT", std::to_string(mapper_port_)},
      {"RABBITMQ_NODENAME", "test@localhost"},
      {"RABBITMQ_DIST_PORT", std::to_string(node_port_)},
      {"RABBITMQ_MNESIA_BASE", folder_ / "data"},
      {"RABBITMQ_LOG_BASE", folder_ / "log"},
      {"RABBITMQ_PID_FILE", folder_ / "pid"},
      {"RABBITMQ_GENERATED_CONFIG_DIR", folder_ / "generated"},
      {"RABBITMQ_CONFIG_FILE", folder_ / "rabbitmq.conf"},
      {"RABBITMQ_ADVANCED_CONFIG_FILE", folder_ / "advanced.config"},
      {"RABBITMQ_CONF_ENV_FILE", folder_ / "rabbitmq-env.conf"},
      {"RABBITMQ_ENABLED_PLUGINS_FILE", folder_ / "plugins"},
      // The script becomes the node instead of watching over it: it ends with this process, and its log goes to stderr.
      {"RABBITMQ_ALLOW_INPUT", "1"},
      {"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
       "-noinput -start_epmd false +sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface "
       "{127,0,0,1}"},
      {"RABBITMQ_CTL_ERL_ARGS", "-start_epmd false +S 1:1 +sbwt none"}};
}

void RabbitServer::start() {
  if (node_) return;
  const std::string log = folder_ / "node.log";
  node_ = std::make_unique<ChildProcess>(
      ChildOptions{{"/bin/sh", "-c", "exec " + in_tree("usr/lib/rabbitmq/bin/rabbitmq-server") + " >&2"},
                   environment(),
                   log,
                   folder_.path()});
  wait_for_port(*node_, port_, log);
  wait_for_port(*node_, tls_port_, log);
}

void RabbitServer::stop() {
  if (!node_) return;
  node_->signal(SIGTERM);
  if (!node_->wait(std::chrono::seconds{60})) throw std::runtime_error("RabbitMQ does not end");
  node_.reset();
}

void RabbitServer::kill() {
  node_.reset();
}

std::string RabbitServer::url(const std::string& vhost, std::uint16_t port) const {
  return fmt::format("amqp://{}:{}@127.0.0.1:{}/{}", kUser, kPassword, port == 0 ? port_ : port,
                     url_escaped(vhost));
}

std::string RabbitServer::tls_url(const std::string& vhost) const {
  return fmt::format("amqps://{}:{}@localhost:{}/{}", kUser, kPassword, tls_port_, url_escaped(vhost));
}

std::string RabbitServer::new_vhost() {
  const std::string name = vhost_name(vhosts_++);
  if (vhosts_ > kVhosts) {
    control({"add_vhost", name});
    control({"set_permissions", "-p", name, kUser, ".*", ".*", ".*"});
  }
  return name;
}

std::string RabbitServer::control(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command{in_tree("usr/lib/rabbitmq/bin/rabbitmqctl"), "--quiet"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const CommandResult result = run_command(command, environment());
  if (result.exit_code != 0)
    throw std::runtime_error("rabbitmqctl " + arguments.front() + ": " + result.out + result.err);
  return result.out;
}

void RabbitServer::set_memory_alarm(bool on) const {
  control({"set_vm_memory_high_watermark", on ? "0" : "0.8"});
}

int RabbitServer::messages(const std::string& vhost, const std::string& queue) const {
  std::istringstream rows(control({"list_queues", "-p", vhost, "--no-table-headers", "name", "messages"}));
  std::string name;
  for (int count = 0; rows >> name >> count;)
    if (name == queue) return count;
  return -1;
}

void RabbitServer::delete_queue(const std::string& vhost, const std::string& queue) const {
  control({"delete_queue", "-p", vhost, queue});
}

}  // namespace eilbote::test
