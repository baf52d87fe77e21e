#include "support/scripted_smtp.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace eilbote::test {
namespace {

const std::map<std::string, std::string> kFriendly{
    {"BANNER", "220 relay.example.org ESMTP"},
    {"EHLO", "250-relay.example.org\r\n250-PIPELINING\r\n250 SIZE 10000000"},
    {"STARTTLS", "220 go ahead"},
    {"AUTH", "235 welcome"},
    {"DATA", "354 end with a dot"},
    {"DOT", "250 2.0.0 Ok: queued as 4Xyz"},
    {"QUIT", "221 bye"}};

std::string verb_of(const std::string& line) {
  std::string verb = line.substr(0, line.find(' '));
  std::transform(verb.begin(), verb.end(), verb.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return verb;
}

}  // namespace

// One connection, plain or under TLS.
class ScriptedSmtp::Conversation {
 public:
  Conversation(ScriptedSmtp& server, int fd, int number)
      : server_(server), fd_(fd), number_(number), tls_(nullptr, SSL_free) {}

  void run() {
    if (server_.script_.tls_from_the_start && !encrypt()) return;
    if (!answer("BANNER")) return;
    for (std::string line; read_line(line);) {
      const std::string verb = in_auth_ ? "AUTH" : verb_of(line);
      note(server_.commands_, line);
      if (!answer(verb, line)) return;
      in_auth_ = verb == "AUTH" && last_.starts_with("334");
      if (verb == "STARTTLS" && last_.starts_with("220") && !encrypt()) return;
      if (verb == "DATA" && last_.starts_with("354") && !hear_message()) return;
      if (verb == "QUIT") return;
    }
  }

 private:
  // From DATA to the reply to the dot; false when the conversation is over.
  bool hear_message() {
    std::string message;
    if (!take_message(message)) return false;
    if (!server_.script_.take) return think() && answer("DOT");
    const std::string said = server_.script_.take(message, number_);
    const bool goes_on = think();
    server_.script_.taken(number_);
    return goes_on && say(said);
  }
  void note(std::vector<std::string>& where, const std::string& what) {
    if (!server_.script_.keeps) return;
    const std::lock_guard lock(server_.mutex_);
    where.push_back(what);
  }
  bool encrypt() {
    tls_.reset(SSL_new(server_.script_.tls->server_context()));
    SSL_set_fd(tls_.get(), fd_);
    return SSL_accept(tls_.get()) == 1;
  }
  // False when the conversation is over.
  bool answer(const std::string& command, const std::string& whole_line = "") {
    const auto decided = server_.script_.decide ? server_.script_.decide(whole_line) : std::nullopt;
    last_ = decided ? *decided : server_.next_reply(command);
    if (last_ == "close") return false;
    if (last_ == "silence") {
      for (std::string line; read_line(line);) {
      }
      return false;
    }
    return say(last_);
  }
  bool say(const std::string& reply) {
    const std::string bytes = reply + "\r\n";
    const long sent = tls_ ? SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                           : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return sent == static_cast<long>(bytes.size());
  }
  // False when the server ends meanwhile.
  bool think() {
    std::unique_lock lock(server_.mutex_);
    return !server_.end_.wait_for(lock, server_.script_.before_dot_reply, [&] { return server_.ending_; });
  }
  bool take_message(std::string& message) {
    for (std::string line; read_line(line); message += line + "\r\n")
      if (line == ".") {
        note(server_.messages_, message);
        return true;
      }
    return false;
  }
  bool read_line(std::string& line) {
    line.clear();
    for (;;) {
      if (begin_ == end_) {
        const long n =
            tls_ ? SSL_read(tls_.get(), buffer_, sizeof buffer_) : ::recv(fd_, buffer_, sizeof buffer_, 0);
        if (n <= 0) return false;
        begin_ = 0;
        end_ = static_cast<std::size_t>(n);
      }
      const char byte = buffer_[begin_++];
      if (byte == '\n') break;
      line += byte;
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return true;
  }

  ScriptedSmtp& server_;
  const int fd_, number_;
  std::unique_ptr<SSL, decltype(&SSL_free)> tls_;
  char buffer_[16384];
  std::size_t begin_ = 0, end_ = 0;
  bool in_auth_ = false;
  std::string last_;
};

ScriptedSmtp::ScriptedSmtp(SmtpScript script) : script_(std::move(script)) {
  acceptor_ = std::thread([this] { accept_all(); });
}

ScriptedSmtp::~ScriptedSmtp() {
  listener_.stop();
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    end_.notify_all();
    for (const int fd : open_)
      ::shutdown(fd, SHUT_RDWR);
  }
  conversations_.join();
}

void ScriptedSmtp::accept_all() {
  for (int fd = 0; (fd = listener_.accept()) >= 0;) {
    const std::lock_guard lock(mutex_);
    const int number = ++connections_;
    open_.push_back(fd);
    conversations_.begin([this, fd, number] {
      Conversation(*this, fd, number).run();
      const std::lock_guard over(mutex_);
      std::erase(open_, fd);
      ::close(fd);
    });
  }
}

std::string ScriptedSmtp::next_reply(const std::string& command) {
  const std::lock_guard lock(mutex_);
  const auto scripted = script_.replies.find(command);
  if (scripted != script_.replies.end())
    return scripted->second[std::min(said_[command]++, scripted->second.size() - 1)];
  const auto friendly = kFriendly.find(command);
  return friendly == kFriendly.end() ? "250 ok" : friendly->second;
}

std::vector<std::string> ScriptedSmtp::commands() const {
  const std::lock_guard lock(mutex_);
  return commands_;
}

std::vector<std::string> ScriptedSmtp::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

int ScriptedSmtp::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

}  // namespace eilbote::test
