#include "support/scripted_http.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace eilbote::test {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

HttpSeen read_head(const std::string& head) {
  HttpSeen seen;
  std::size_t at = head.find("\r\n");
  seen.line = head.substr(0, at);
  while (at != std::string::npos && at + 2 < head.size()) {
    const std::size_t start = at + 2;
    at = head.find("\r\n", start);
    const std::string line = head.substr(start, at - start);
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t value = line.find_first_not_of(' ', colon + 1);
    seen.headers[lower(line.substr(0, colon))] = value == std::string::npos ? "" : line.substr(value);
  }
  return seen;
}

// Appends bits as deflate wants them (RFC 1951): the first is the lowest of its byte.
class Bits {
 public:
  explicit Bits(std::string& out) : out_(out) {}
  void put(std::string_view bits) {
    for (const char bit : bits) {
      if (used_ == 0) out_ += '\0';
      if (bit == '1') out_.back() = static_cast<char>(out_.back() | (1 << used_));
      used_ = (used_ + 1) % 8;
    }
  }

 private:
  std::string& out_;
  int used_ = 0;
};

}  // namespace

std::string http_answer(int status, const std::string& body, const std::string& headers) {
  return "HTTP/1.1 " + std::to_string(status) + " Said so\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + headers + "\r\n" + body;
}

std::string gzip_of_zeros(std::size_t bytes) {
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  Bits bits(out);
  bits.put("010");       // a block with the fixed codes, not the last one
  bits.put("00110000");  // a zero
  for (std::size_t made = 1; made < bytes; made += 258)
    bits.put("1100010100000");  // the byte before, 258 times
  return out;
}

// One connection, plain or under TLS.
class ScriptedHttp::Conversation {
 public:
  Conversation(ScriptedHttp& server, int fd, int number)
      : server_(server), fd_(fd), number_(number), tls_(nullptr, SSL_free) {}

  void run() {
    if (server_.script_.tls != nullptr && !encrypt()) return;
    while (const auto request = read_request()) {
      if (!play(server_.next_scene(*request), *request)) return;
    }
  }

 private:
  bool encrypt() {
    tls_.reset(SSL_new(server_.script_.tls->server_context()));
    SSL_set_fd(tls_.get(), fd_);
    return SSL_accept(tls_.get()) == 1;
  }

  // False when the connection is over.
  bool play(const HttpScene& scene, const HttpSeen& request) {
    const bool is_whole = scene.then != HttpScene::Then::silence && scene.then != HttpScene::Then::for_ever;
    const bool waited = pause(scene.before_answer);
    // Before the answer leaves: its client may come with the next request before this thread goes on.
    if (!waited || is_whole) over(request);
    const bool goes_on = waited && write(scene.answer) && go_on(scene);
    if (waited && !is_whole) over(request);
    return goes_on;
  }

  void over(const HttpSeen& request) {
    if (server_.script_.over) server_.script_.over(request);
  }

  bool go_on(const HttpScene& scene) {
    switch (scene.then) {
      case HttpScene::Then::go_on:
        return true;
      case HttpScene::Then::close:
        return false;
      case HttpScene::Then::reset: {
        const linger at_once{1, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        return false;
      }
      case HttpScene::Then::silence:
        while (more()) {
        }
        return false;
      case HttpScene::Then::for_ever:
        while (pause(scene.pause) && write(scene.again)) {
        }
        return false;
    }
    return false;
  }

  // False when the client goes or the server ends meanwhile; the server shuts the socket down for that.
  bool pause(std::chrono::milliseconds time) {
    if (time.count() == 0) return true;
    pollfd socket{fd_, POLLRDHUP, 0};
    return ::poll(&socket, 1, static_cast<int>(time.count())) == 0;
  }

  bool write(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t left = bytes.size() - at;
      const long sent = tls_ ? SSL_write(tls_.get(), bytes.data() + at, static_cast<int>(left))
                             : ::send(fd_, bytes.data() + at, left, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      at += static_cast<std::size_t>(sent);
    }
    return true;
  }

  bool more() {
    char buffer[16384];
    const long n = tls_ ? SSL_read(tls_.get(), buffer, sizeof buffer) : ::recv(fd_, buffer, sizeof buffer, 0);
    if (n > 0) input_.append(buffer, static_cast<std::size_t>(n));
    return n > 0;
  }

  std::optional<HttpSeen> read_request() {
    std::size_t end = 0;
    while ((end = input_.find("\r\n\r\n")) == std::string::npos)
      if (!more()) return std::nullopt;
    HttpSeen seen = read_head(input_.substr(0, end));
    input_.erase(0, end + 4);
    const auto length = seen.headers.find("content-length");
    const std::size_t size = length == seen.headers.end() ? 0 : std::stoul(length->second);
    while (input_.size() < size)
      if (!more()) return std::nullopt;
    seen.body = input_.substr(0, size);
    input_.erase(0, size);
    seen.connection = number_;
    if (!server_.script_.keeps_requests) return seen;
    const std::lock_guard lock(server_.mutex_);
    server_.seen_.push_back(seen);
    return seen;
  }

  ScriptedHttp& server_;
  const int fd_, number_;
  std::unique_ptr<SSL, decltype(&SSL_free)> tls_;
  std::string input_;
};

ScriptedHttp::ScriptedHttp(HttpScript script) : script_(std::move(script)) {
  acceptor_ = std::thread([this] { accept_all(); });
}

ScriptedHttp::~ScriptedHttp() {
  listener_.stop();
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, fd] : open_)
      ::shutdown(fd, SHUT_RDWR);
  }
  conversations_.join();
}

void ScriptedHttp::accept_all() {
  for (int fd = 0; (fd = listener_.accept()) >= 0;) {
    const std::lock_guard lock(mutex_);
    const int number = ++connections_;
    open_[number] = fd;
    conversations_.begin([this, fd, number] {
      Conversation(*this, fd, number).run();
      const std::lock_guard over(mutex_);
      open_.erase(number);
      ::close(fd);
    });
  }
}

HttpScene ScriptedHttp::next_scene(const HttpSeen& request) {
  if (script_.decide) return script_.decide(request);
  const std::lock_guard lock(mutex_);
  if (script_.scenes.empty()) return {};
  return script_.scenes[std::min(played_++, script_.scenes.size() - 1)];
}

std::string ScriptedHttp::url(const std::string& host) const {
  return (script_.tls != nullptr ? "https://" : "http://") + host + ":" + std::to_string(port()) + "/hook";
}

std::vector<HttpSeen> ScriptedHttp::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

int ScriptedHttp::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

bool ScriptedHttp::is_gone(int connection) const {
  const std::lock_guard lock(mutex_);
  const auto it = open_.find(connection);
  if (it == open_.end()) return true;
  pollfd socket{it->second, POLLRDHUP, 0};
  return ::poll(&socket, 1, 0) > 0;
}

int ScriptedHttp::open() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(open_.size());
}

}  // namespace eilbote::test
