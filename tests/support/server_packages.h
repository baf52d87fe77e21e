// Mail servers of other people that scenarios talk to: Debian packages which `./dev test` unpacks into build/servers.
// They are not installed: a developer's machine would become a mail server by it, and two of them exclude each other.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/child_process.h"

namespace eilbote::test {

// A file of an unpacked package: {"postfix", "usr/sbin/smtp-sink"}.
struct ServerFile {
  std::string package;
  std::string path;
};
std::string path_of(const ServerFile& file);
// What a program of a package needs to find its own libraries.
std::map<std::string, std::string> server_environment();

// Why these cannot be used here, in words; empty when they can.
std::string missing_servers(const std::vector<ServerFile>& files);
// The same for what only root may do.
std::string missing_root();

// A port of the loopback nobody listens on, outside the range from which the system takes ports for connections: it stays
// free until a server that is started with it takes it.
std::uint16_t free_port();
// Waits until the server listens. Throws when it ends before that, with its log.
void wait_for_port(ChildProcess& server, std::uint16_t port, const std::string& log_file);

// An address as the servers know it: "smtp://USER@localhost:PORT?tls=required".
std::string relay_url(std::uint16_t port, const std::string& tls, const std::string& user = "");

// The command in a mount namespace where `files` (path on the machine -> its stand-in) look different, and in a process
// namespace: whatever it starts ends with it. For root.
std::vector<std::string> in_own_namespace(const std::vector<std::pair<std::string, std::string>>& files,
                                          const std::vector<std::string>& command);

struct Account {
  std::string name;
  unsigned user = 0, group = 0;
};
// Writes the machine's passwd and group files into `folder`, with these accounts added under numbers nobody has, each with a
// group of its own name. To be put in the place of the machine's by in_own_namespace.
std::vector<Account> write_accounts(const std::string& folder, const std::vector<std::string>& names);

void give_to(const Account& owner, const std::string& path);

// The files of a folder, sorted; without those whose name begins with a dot.
std::vector<std::string> files_in(const std::string& folder);
void write_text_file(const std::string& path, const std::string& text);

}  // namespace eilbote::test

// In SetUp or a test: leaves it, and says why, unless the string is empty.
#define SKIP_BECAUSE(reason) \
  if (const std::string why = (reason); !why.empty()) GTEST_SKIP() << "skipped: " << why
