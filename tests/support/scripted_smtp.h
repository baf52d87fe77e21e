// An SMTP server that says what the test wants, at any stage: replies by command, garbage, silence, an end. It keeps what
// it was told. On the loopback, a thread per connection; gone with the object.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/conversations.h"
#include "support/loopback_listener.h"
#include "support/tls_identity.h"

namespace eilbote::test {

struct SmtpScript {
  // By command (BANNER, EHLO, MAIL, RCPT, DATA, DOT, AUTH, ... as the client says it; "AUTH" also for what follows it):
  // the first is for the first time, and so on; the last stays. Without an entry: what a friendly server says.
  // "close" ends the connection instead, "silence" waits for the client to end it. Anything else is sent as it is.
  std::map<std::string, std::vector<std::string>> replies;
  const TlsIdentity* tls = nullptr;  // for STARTTLS
  bool tls_from_the_start = false;
  std::chrono::milliseconds before_dot_reply{0};  // how long it thinks about a message
  // Asked first, with the whole line; from the threads of the connections. Nothing: as `replies` say.
  std::function<std::optional<std::string>(const std::string& line)> decide{};
  // A message is there as a whole: what its dot is answered, after `before_dot_reply`. From the threads of the connections.
  std::function<std::string(const std::string& message, int connection)> take{};
  // And this is about to be said, or its client is gone.
  std::function<void(int connection)> taken{};
  // False: commands() and messages() stay empty, for a test whose mails are many.
  bool keeps = true;
};

class ScriptedSmtp {
 public:
  explicit ScriptedSmtp(SmtpScript script);
  ~ScriptedSmtp();
  ScriptedSmtp(const ScriptedSmtp&) = delete;
  ScriptedSmtp& operator=(const ScriptedSmtp&) = delete;

  std::uint16_t port() const { return listener_.port(); }
  // The commands of all connections, without their line ends, and the messages, as they came.
  std::vector<std::string> commands() const;
  std::vector<std::string> messages() const;
  int connections() const;

 private:
  class Conversation;
  void accept_all();
  std::string next_reply(const std::string& command);

  SmtpScript script_;
  LoopbackListener listener_;
  mutable std::mutex mutex_;
  std::map<std::string, std::size_t> said_;
  std::vector<std::string> commands_, messages_;
  std::vector<int> open_;
  int connections_ = 0;
  bool ending_ = false;
  std::condition_variable end_;
  Conversations conversations_;
  std::thread acceptor_;
};

}  // namespace eilbote::test
