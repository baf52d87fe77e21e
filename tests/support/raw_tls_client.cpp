#include "support/raw_tls_client.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace eilbote::test {

RawTlsClient::RawTlsClient(std::uint16_t port, const RawTlsOptions& options)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free),
      ssl_(nullptr, SSL_free) {
  ::signal(SIGPIPE, SIG_IGN);  // the server may close while this writes
  const timeval patience{options.patience_seconds, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
    ::close(fd_);
    throw std::runtime_error("connect failed");
  }
  // Old protocols are offered where the test wants them: OpenSSL itself would not, by default.
  SSL_CTX_set_security_level(context_.get(), 0);
  SSL_CTX_set_min_proto_version(context_.get(), 0);
  SSL_CTX_set_max_proto_version(context_.get(), options.version_max);
  ssl_.reset(SSL_new(context_.get()));
  if (!options.alpn.empty()) {
    const std::string list = static_cast<char>(options.alpn.size()) + options.alpn;
    SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(list.data()),
                        static_cast<unsigned>(list.size()));
  }
  SSL_set_fd(ssl_.get(), fd_);
  ERR_clear_error();
  is_open_ = SSL_connect(ssl_.get()) == 1;
}

RawTlsClient::~RawTlsClient() {
  ::close(fd_);
}

std::string RawTlsClient::chosen_protocol() const {
  const unsigned char* text = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(ssl_.get(), &text, &length);
  return {reinterpret_cast<const char*>(text), length};
}

std::string RawTlsClient::certificate() const {
  const std::unique_ptr<X509, decltype(&X509_free)> shown(SSL_get1_peer_certificate(ssl_.get()), X509_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), BIO_free);
  if (!shown || PEM_write_bio_X509(text.get(), shown.get()) != 1) return {};
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

void RawTlsClient::send(const std::string& bytes) {
  if (is_open_ && !bytes.empty()) SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
}

bool RawTlsClient::fill() {
  char part[65536];
  const int n = is_open_ ? SSL_read(ssl_.get(), part, sizeof part) : 0;
  if (n <= 0) return false;
  seen_.append(part, static_cast<std::size_t>(n));
  return true;
}

std::string RawTlsClient::read_answer() {
  std::size_t end = 0;
  while ((end = seen_.find("\r\n\r\n")) == std::string::npos)
    if (!fill()) return std::exchange(seen_, {});
  std::size_t size = end + 4;
  if (const auto at = seen_.find("Content-Length: "); at < end) size += std::stoul(seen_.substr(at + 16));
  while (seen_.size() < size && fill()) {
  }
  std::string answer = seen_.substr(0, size);
  seen_.erase(0, size);
  return answer;
}

std::string RawTlsClient::read_until(const std::string& text) {
  while (seen_.find(text) == std::string::npos && fill()) {
  }
  const auto at = seen_.find(text);
  if (at == std::string::npos) return std::exchange(seen_, {});
  std::string part = seen_.substr(0, at + text.size());
  seen_.erase(0, part.size());
  return part;
}

std::string RawTlsClient::read_to_end() {
  while (fill()) {
  }
  return std::exchange(seen_, {});
}

}  // namespace eilbote::test
