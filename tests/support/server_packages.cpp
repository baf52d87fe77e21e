#include "support/server_packages.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/loopback.h"

namespace eilbote::test {
namespace {

namespace fs = std::filesystem;

const std::string kServers = EILBOTE_SOURCE_DIR "/build/servers/";

// What `call` (bind, connect) says to this port.
template <class Call>
bool with_socket(std::uint16_t port, Call call) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(port);
  const bool done = call(fd, reinterpret_cast<const sockaddr*>(&address), socklen_t{sizeof address}) == 0;
  ::close(fd);
  return done;
}

bool is_program(const fs::path& path) {
  return fs::is_regular_file(path) &&
         (fs::status(path).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

std::string in_quotes(const std::string& text) {
  return "'" + text + "'";  // paths of tests have no quotes in them
}

std::vector<std::string> lines_of_file(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

unsigned number_in(const std::string& line) {
  std::istringstream fields(line);
  std::string field;
  for (int i = 0; i < 3; ++i)
    std::getline(fields, field, ':');
  return static_cast<unsigned>(std::strtoul(field.c_str(), nullptr, 10));
}

}  // namespace

std::string path_of(const ServerFile& file) {
  return kServers + file.package + "/" + file.path;
}

std::map<std::string, std::string> server_environment() {
  return {{"LD_LIBRARY_PATH", kServers + "postfix/usr/lib/postfix"}};
}

std::string missing_servers(const std::vector<ServerFile>& files) {
  for (const ServerFile& file : files) {
    const std::string path = path_of(file);
    if (!fs::exists(path))
      return file.package + " is not in build/servers (./dev test fetches it, where apt can be used)";
    if (!is_program(path)) continue;
    const CommandResult libraries = run_command({"ldd", path}, server_environment());
    const std::size_t lost = libraries.out.find(" => not found");
    if (lost == std::string::npos) continue;
    const std::size_t begin = libraries.out.find_last_of("\n\t", lost) + 1;
    return file.package + " needs " + libraries.out.substr(begin, lost - begin) +
           ", which is not installed (./dev test does it, as root or with sudo)";
  }
  return "";
}

std::string missing_root() {
  if (::geteuid() != 0) return "this server runs under root only";
  return run_command({"unshare", "--mount", "--pid", "--fork", "true"}).exit_code == 0
             ? ""
             : "this machine does not let root make namespaces (unshare)";
}

std::uint16_t free_port() {
  std::random_device dice;
  for (int tries = 0; tries < 1000; ++tries) {
    const auto port = static_cast<std::uint16_t>(20'000 + dice() % 12'000);
    if (with_socket(port, ::bind)) return port;
  }
  throw std::runtime_error("no free port");
}

void wait_for_port(ChildProcess& server, std::uint16_t port, const std::string& log_file) {
  bool listens = false;
  eventually([&] { return !server.running() || (listens = with_socket(port, ::connect)); },
             std::chrono::minutes{3});  // Erlang on a busy machine
  if (!listens)
    throw std::runtime_error("nobody listens on port " + std::to_string(port) + "\n" +
                             read_text_file(log_file));
}

std::string relay_url(std::uint16_t port, const std::string& tls, const std::string& user) {
  return (tls == "implicit" ? "smtps://" : "smtp://") + (user.empty() ? "" : user + "@") +
         "localhost:" + std::to_string(port) + (tls == "implicit" ? "" : "?tls=" + tls);
}

std::vector<std::string> in_own_namespace(const std::vector<std::pair<std::string, std::string>>& files,
                                          const std::vector<std::string>& command) {
  std::string script;
  for (const auto& [place, stand_in] : files)
    script += "mount --bind " + in_quotes(stand_in) + " " + in_quotes(place) + " && ";
  // The shell stays, as the first process of the namespace: it is ended with unshare, and all others with it. A server that
  // changes its user would not be.
  script += "\"$@\"; exit $?";
  std::vector<std::string> all{
      "unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child",
      "sh",      "-c",      script,          "sh"};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

std::vector<Account> write_accounts(const std::string& folder, const std::vector<std::string>& names) {
  std::vector<std::string> people = lines_of_file("/etc/passwd"), groups = lines_of_file("/etc/group");
  std::set<unsigned> used;
  for (const auto* lines : {&people, &groups})
    for (const std::string& line : *lines)
      used.insert(number_in(line));
  std::vector<Account> accounts;
  unsigned next = 64'900;
  for (const std::string& name : names) {
    const auto is_its = [&](const std::string& line) { return line.starts_with(name + ":"); };
    std::erase_if(people, is_its);
    std::erase_if(groups, is_its);
    while (used.contains(next))
      ++next;
    const std::string number = std::to_string(next);
    people.push_back(name + ":x:" + number + ":" + number + "::/nonexistent:/usr/sbin/nologin");
    groups.push_back(name + ":x:" + number + ":");
    accounts.push_back({name, next, next});
    ++next;
  }
  write_text_file(folder + "/passwd", joined(people));
  write_text_file(folder + "/group", joined(groups));
  return accounts;
}

void give_to(const Account& owner, const std::string& path) {
  if (::chown(path.c_str(), owner.user, owner.group) != 0) throw std::runtime_error("cannot chown " + path);
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (!entry.path().filename().string().starts_with('.')) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

void write_text_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace eilbote::test
