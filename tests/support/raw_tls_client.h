// A blocking TLS client that trusts everybody and says exactly the bytes a test wants said. On the loopback.
#pragma once

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace eilbote::test {

struct RawTlsOptions {
  int version_max = TLS1_3_VERSION;
  std::string alpn{};  // one protocol to offer; empty: none
  int patience_seconds = 10;
};

class RawTlsClient {
 public:
  // Throws when there is no connection; whether the handshake went well, is_open() says.
  explicit RawTlsClient(std::uint16_t port, const RawTlsOptions& options = {});
  ~RawTlsClient();
  RawTlsClient(const RawTlsClient&) = delete;
  RawTlsClient& operator=(const RawTlsClient&) = delete;

  bool is_open() const { return is_open_; }
  std::string version() const { return SSL_get_version(ssl_.get()); }
  std::string chosen_protocol() const;
  // The server's certificate, in PEM.
  std::string certificate() const;

  void send(const std::string& bytes);
  // One whole answer, by its Content-Length.
  std::string read_answer();
  std::string read_to_end();
  // Everything up to and including `text`.
  std::string read_until(const std::string& text);
  // Whether the other side ended with a word, and did not just go away.
  bool was_told_the_end() const { return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }

 private:
  bool fill();

  int fd_ = -1;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  bool is_open_ = false;
  std::string seen_;
};

}  // namespace eilbote::test
