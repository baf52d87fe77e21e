#include "support/postfix_relay.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "support/captured_mail.h"
#include "support/eventually.h"

namespace eilbote::test {
namespace {

namespace fs = std::filesystem;

const ServerFile kMaster{"postfix", "usr/lib/postfix/sbin/master"};
const ServerFile kSmtpd{"postfix", "usr/lib/postfix/sbin/smtpd"};
const ServerFile kSetPassword{"sasl2-bin", "usr/sbin/saslpasswd2"};

constexpr const char* kSettings = R"(
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
command_directory = {programs}/usr/sbin
daemon_directory = {programs}/usr/lib/postfix/sbin
shlib_directory = {programs}/usr/lib/postfix
mail_owner = postfix
setgid_group = postdrop
import_environment = MAIL_CONFIG LD_LIBRARY_PATH
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = relay.example.org
mydestination =
mynetworks =
alias_maps =
local_recipient_maps =
relayhost = [127.0.0.1]:{onwards}
smtp_dns_support_level = disabled
smtp_tls_security_level = none
smtpd_peername_lookup = no
smtpd_tls_cert_file = {folder}/certificate.pem
smtpd_tls_key_file = {folder}/key.pem
smtpd_tls_security_level = encrypt
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_path = smtpd
smtpd_sasl_local_domain = relay
smtpd_sasl_security_options = noanonymous
cyrus_sasl_config_path = {folder}/etc/sasl
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = check_recipient_access texthash:{folder}/etc/recipients
message_size_limit = {bytes_max}
)";

constexpr const char* kServices = R"(
127.0.0.1:{port} inet n - n - - smtpd
127.0.0.1:{tls_port} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes -o smtpd_sasl_mechanism_filter=login
127.0.0.1:{silent_size_port} inet n - n - - smtpd -o smtpd_discard_ehlo_keywords=size
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
)";

constexpr const char* kLogins = R"(pwcheck_method: auxprop
auxprop_plugin: sasldb
mech_list: PLAIN LOGIN
sasldb_path: {folder}/data/sasldb2
)";

}  // namespace

std::string PostfixRelay::missing() {
  const std::string why = missing_servers({kMaster, kSmtpd, kSetPassword});
  return why.empty() ? missing_root() : why;
}

PostfixRelay::PostfixRelay(const TlsIdentity& identity, std::uint16_t passes_on_to) {
  for (const char* name : {"etc", "etc/sasl", "data", "queue"})
    fs::create_directory(folder_ / name);
  fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  write_text_file(folder_ / "certificate.pem", identity.certificate());
  write_text_file(folder_ / "key.pem", identity.key());
  configure(passes_on_to);
  const auto accounts = write_accounts(folder_.path(), {"postfix", "postdrop"});
  write_password();
  make_queue(accounts[0], accounts[1]);
  process_ = std::make_unique<ChildProcess>(
      ChildOptions{in_own_namespace({{"/etc/passwd", folder_ / "passwd"}, {"/etc/group", folder_ / "group"}},
                                    {path_of(kMaster), "-d", "-c", folder_ / "etc"}),
                   server_environment(), folder_ / "stderr", "/"});
  for (const std::uint16_t port : {port_, tls_port_, silent_size_port_})
    wait_for_port(*process_, port, folder_ / "stderr");
}

void PostfixRelay::configure(std::uint16_t passes_on_to) const {
  const auto filled = [&](const char* text) {
    return fmt::format(fmt::runtime(text), fmt::arg("folder", folder_.path()),
                       fmt::arg("programs", path_of({"postfix", ""})), fmt::arg("onwards", passes_on_to),
                       fmt::arg("bytes_max", kBytesMax), fmt::arg("port", port_),
                       fmt::arg("tls_port", tls_port_), fmt::arg("silent_size_port", silent_size_port_));
  };
  write_text_file(folder_ / "etc/main.cf", filled(kSettings));
  write_text_file(folder_ / "etc/master.cf", filled(kServices));
  write_text_file(folder_ / "etc/dynamicmaps.cf", "");
  write_text_file(folder_ / "etc/sasl/smtpd.conf", filled(kLogins));
  write_text_file(folder_ / "etc/recipients", std::string(kUnknown) + " 550 5.1.1 no such user\n");
}

void PostfixRelay::write_password() const {
  const std::string script = fmt::format("printf '%s' '{}' | '{}' -p -c -f '{}' -u relay '{}'", kPassword,
                                         path_of(kSetPassword), folder_ / "data/sasldb2", kUser);
  const CommandResult done = run_command({"sh", "-c", script});
  if (done.exit_code != 0) throw std::runtime_error("saslpasswd2: " + done.err);
}

// As Postfix's own installation makes it.
void PostfixRelay::make_queue(const Account& owner, const Account& submitters) const {
  give_to(owner, folder_ / "data");
  give_to(owner, folder_ / "data/sasldb2");
  fs::create_directory(folder_ / "queue/pid");
  for (const std::string name : {"incoming", "active", "deferred", "bounce", "defer", "corrupt", "hold",
                                 "flush", "saved", "trace", "private", "maildrop", "public"}) {
    const std::string path = folder_ / ("queue/" + name);
    const bool is_for_submitters = name == "maildrop" || name == "public";
    fs::create_directory(path);
    give_to({"", owner.user, is_for_submitters ? submitters.group : 0}, path);
    fs::permissions(path, static_cast<fs::perms>(name == "maildrop" ? 0730 : name == "public" ? 0710 : 0700));
  }
}

std::string PostfixRelay::log() const {
  return read_text_file(folder_ / "log");
}

bool PostfixRelay::has_passed_on(const std::string& queue_id) const {
  return eventually([&] { return log().find(queue_id + ": removed") != std::string::npos; },
                    std::chrono::seconds{60});
}

}  // namespace eilbote::test
