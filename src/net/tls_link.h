// TLS on one accepted, non-blocking socket. Each step does what can be done now and says what to wait for; the connection waits.
// Used by net/http_connection.
#pragma once

#include <cstddef>
#include <memory>

#include "net/server_tls.h"

struct ssl_st;

namespace eilbote {

class TlsLink {
 public:
  struct Step {
    enum class Kind { done, wait_to_read, wait_to_write, ended, failed } kind = Kind::failed;
    std::size_t bytes = 0;
    bool waits_to_read() const { return kind == Kind::wait_to_read; }
    bool must_wait() const { return waits_to_read() || kind == Kind::wait_to_write; }
  };

  // `context` is shared with the listener's, which may change meanwhile.
  TlsLink(ServerTls::Context context, int descriptor);

  Step handshake();
  Step read(char* to, std::size_t size);
  Step write(const char* from, std::size_t size);
  // Tells the other side that nothing more will come, as far as the socket takes it.
  void say_goodbye();
  // Why the handshake failed: somebody sent HTTP without TLS.
  bool met_plain_http() const { return met_plain_http_; }

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  Step step_of(int result, std::size_t bytes);

  const std::unique_ptr<ssl_st, Free> ssl_;
  bool met_plain_http_ = false;
  bool is_broken_ = false;
};

}  // namespace eilbote
