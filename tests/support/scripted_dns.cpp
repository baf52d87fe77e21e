#include "support/scripted_dns.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <random>
#include <stdexcept>

#include "support/server_packages.h"

namespace eilbote::test {
namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr unsigned char kTypeA = 1;

// The name at the head of a question, and where it ends; the end is 0 when it is broken.
struct Question {
  std::string name;
  std::size_t end = 0;
};
Question question_in(const std::string& packet) {
  Question question;
  std::size_t at = kHeaderBytes;
  while (at < packet.size() && packet[at] != 0) {
    const auto length = static_cast<unsigned char>(packet[at]);
    question.name += (question.name.empty() ? "" : ".") + packet.substr(at + 1, length);
    at += length + 1U;
  }
  if (at + 5 <= packet.size()) question.end = at + 5;  // the root's zero, type, class
  return question;
}

std::string record_of(const std::string& address) {
  std::string record("\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x00\x00\x04",
                     12);  // this name, A, IN, TTL 0, 4 bytes
  std::array<char, 4> octets{};
  if (::inet_pton(AF_INET, address.c_str(), octets.data()) != 1)
    throw std::runtime_error("not IPv4: " + address);
  return record.append(octets.data(), octets.size());
}

}  // namespace

ScriptedDns::ScriptedDns(std::map<std::string, std::vector<Answer>> script) : script_(std::move(script)) {
  std::random_device dice;
  address_ = "127." + std::to_string(64 + dice() % 64) + "." + std::to_string(dice() % 256) + "." +
             std::to_string(1 + dice() % 254);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(53);
  ::inet_pton(AF_INET, address_.c_str(), &here.sin_addr);
  fd_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (::bind(fd_, reinterpret_cast<sockaddr*>(&here), sizeof here) != 0)
    throw std::runtime_error("cannot serve DNS on " + address_ + ": " + std::strerror(errno));
  thread_ = std::thread([this] { serve(); });
}

ScriptedDns::~ScriptedDns() {
  ::shutdown(fd_, SHUT_RDWR);
  thread_.join();
  ::close(fd_);
}

int ScriptedDns::asked(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = asked_.find(name);
  return found == asked_.end() ? 0 : found->second;
}

void ScriptedDns::serve() {
  std::array<char, 2048> buffer{};
  for (;;) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t bytes =
        ::recvfrom(fd_, buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (bytes <= 0) return;
    const std::string reply = reply_to({buffer.data(), static_cast<std::size_t>(bytes)});
    if (!reply.empty())
      ::sendto(fd_, reply.data(), reply.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
  }
}

ScriptedDns::Answer ScriptedDns::next_answer(const std::string& name) {
  const auto row = script_.find(name);
  const std::lock_guard lock(mutex_);
  const int number = asked_[name]++;
  if (row == script_.end()) return {};
  return row->second[std::min<std::size_t>(static_cast<std::size_t>(number), row->second.size() - 1)];
}

std::string ScriptedDns::reply_to(const std::string& packet) {
  const Question question = question_in(packet);
  if (question.end == 0) return {};
  const bool is_ipv4 = packet[question.end - 4] == 0 && packet[question.end - 3] == kTypeA;
  const Answer answer = is_ipv4 ? next_answer(question.name) : Answer{};
  std::string reply = packet.substr(0, 2);
  reply += std::string("\x84\x00\x00\x01\x00", 5);  // an authoritative answer, no error, one question
  reply += static_cast<char>(answer.size());
  reply += std::string(4, '\0');
  reply += packet.substr(kHeaderBytes, question.end - kHeaderBytes);
  for (const std::string& address : answer)
    reply += record_of(address);
  return reply;
}

std::vector<std::string> resolved_by(const ScriptedDns& dns, const std::string& folder,
                                     const std::vector<std::string>& command) {
  const std::string resolver = folder + "/resolv.conf", order = folder + "/nsswitch.conf";
  write_text_file(resolver, "nameserver " + dns.address() + "\noptions timeout:5 attempts:1\n");
  write_text_file(order, "hosts: dns\n");
  return in_own_namespace({{"/etc/resolv.conf", resolver}, {"/etc/nsswitch.conf", order}}, command);
}

}  // namespace eilbote::test
