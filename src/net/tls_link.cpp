#include "net/tls_link.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace eilbote {

void TlsLink::Free::operator()(ssl_st* ssl) const {
  SSL_free(ssl);
}

TlsLink::TlsLink(ServerTls::Context context, int descriptor) : ssl_(SSL_new(context.get())) {
  if (!ssl_) return;
  SSL_set_fd(ssl_.get(), descriptor);
  SSL_set_accept_state(ssl_.get());
}

TlsLink::Step TlsLink::step_of(int result, std::size_t bytes) {
  if (result > 0) return {Step::Kind::done, bytes};
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {Step::Kind::wait_to_read, 0};
    case SSL_ERROR_WANT_WRITE:
      return {Step::Kind::wait_to_write, 0};
    case SSL_ERROR_ZERO_RETURN:
      return {Step::Kind::ended, 0};
    default:
      break;
  }
  const int reason = ERR_GET_REASON(ERR_peek_error());
  met_plain_http_ = reason == SSL_R_HTTP_REQUEST || reason == SSL_R_HTTPS_PROXY_REQUEST;
  is_broken_ = true;
  ERR_clear_error();
  return {};
}

TlsLink::Step TlsLink::handshake() {
  if (!ssl_) return {};
  ERR_clear_error();
  return step_of(SSL_do_handshake(ssl_.get()), 0);
}

TlsLink::Step TlsLink::read(char* to, std::size_t size) {
  ERR_clear_error();
  std::size_t bytes = 0;
  const int result = SSL_read_ex(ssl_.get(), to, size, &bytes);
  return step_of(result, bytes);
}

TlsLink::Step TlsLink::write(const char* from, std::size_t size) {
  ERR_clear_error();
  std::size_t bytes = 0;
  const int result = SSL_write_ex(ssl_.get(), from, size, &bytes);
  return step_of(result, bytes);
}

void TlsLink::say_goodbye() {
  if (is_broken_ || !ssl_ || SSL_in_init(ssl_.get()) != 0) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

}  // namespace eilbote
