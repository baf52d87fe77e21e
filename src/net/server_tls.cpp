#include "net/server_tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include "base/certificate_time.h"
#include "base/log.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

constexpr std::string_view kAlpn("\x08http/1.1", 9);
// Of TLS 1.2; those of 1.3 are all good. Forward secrecy and AEAD only.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

std::string openssl_says() {
  const unsigned long code = ERR_peek_last_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "it cannot be read" : reason;
}

tl::unexpected<Error> unusable(const std::string& file, const std::string& why) {
  return fail(ErrorKind::invalid, fmt::format("TLS: {}: {}", file, why));
}

// A client that offers protocols must offer ours; one that offers none gets it.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                    unsigned int offered_length, void*) {
  unsigned char* match = nullptr;
  const int found =
      SSL_select_next_proto(&match, length, reinterpret_cast<const unsigned char*>(kAlpn.data()),
                            static_cast<unsigned>(kAlpn.size()), offered, offered_length);
  *chosen = match;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// A key under a passphrase would have OpenSSL ask for it on the terminal.
int no_passphrase(char*, int, int, void*) {
  return 0;
}

ServerTls::Context new_context() {
  ServerTls::Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) return nullptr;
  SSL_CTX* const ctx = context.get();
  SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
  SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(
      ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);  // tickets need none
  SSL_CTX_set_alpn_select_cb(ctx, choose_protocol, nullptr);
  SSL_CTX_set_default_passwd_cb(ctx, no_passphrase);
  return SSL_CTX_set_cipher_list(ctx, kCiphers) == 1 ? context : nullptr;
}

std::string stamp_of(const std::string& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return "none";
  return fmt::format("{}:{}:{}:{}.{}", found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec);
}

}  // namespace

Result<std::unique_ptr<ServerTls>> ServerTls::load(ServerTlsFiles files, Metrics* metrics) {
  Stamp seen = stamp(files);
  auto loaded = read(files);
  if (!loaded) return fail(loaded.error());
  if (loaded->expires <= std::chrono::system_clock::now())
    log::warning(
        "the certificate of the HTTP listener has expired; clients refuse it until its file holds a new one",
        {{"file", files.certificate}, {"expired", to_rfc3339(loaded->expires)}});
  std::unique_ptr<ServerTls> tls(new ServerTls(std::move(files), metrics));
  {
    const MutexLock lock(tls->reading_);
    tls->seen_ = std::move(seen);
  }
  tls->take(std::move(*loaded));
  return tls;
}

Result<ServerTls::Loaded> ServerTls::read(const ServerTlsFiles& files) {
  ERR_clear_error();
  Context context = new_context();
  if (!context) return fail(ErrorKind::internal, "TLS: " + openssl_says());
  SSL_CTX* const ctx = context.get();
  if (SSL_CTX_use_certificate_chain_file(ctx, files.certificate.c_str()) != 1)
    return unusable(files.certificate, "no certificate in PEM: " + openssl_says());
  if (SSL_CTX_use_PrivateKey_file(ctx, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    const bool is_other = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH;
    return unusable(files.key, is_other ? "not the key of the certificate"
                                        : "no private key in PEM without a passphrase: " + openssl_says());
  }
  if (SSL_CTX_check_private_key(ctx) != 1)
    return unusable(files.key, "not the key of the certificate: " + openssl_says());
  const TimePoint expires = expiry_of(SSL_CTX_get0_certificate(ctx));
  return Loaded{std::move(context), expires};
}

ServerTls::Stamp ServerTls::stamp(const ServerTlsFiles& files) {
  return {stamp_of(files.certificate) + " " + stamp_of(files.key)};
}

void ServerTls::take(Loaded loaded) {
  const MutexLock lock(mutex_);
  loaded_ = std::move(loaded);
  if (metrics_ != nullptr) metrics_->set_time(Metric::tls_certificate_expires, loaded_.expires);
}

ServerTls::Context ServerTls::context() const {
  const MutexLock lock(mutex_);
  return loaded_.context;
}

TimePoint ServerTls::expires() const {
  const MutexLock lock(mutex_);
  return loaded_.expires;
}

Result<void> ServerTls::reload(const ServerTlsFiles& files) {
  const MutexLock lock(reading_);
  return read_anew(files);
}

Result<void> ServerTls::read_anew(const ServerTlsFiles& files) {
  Stamp now = stamp(files);  // before they are read: what changes meanwhile is read once more
  auto loaded = read(files);
  if (loaded && loaded->expires <= std::chrono::system_clock::now())
    loaded = unusable(files.certificate, "expired on " + to_rfc3339(loaded->expires));
  if (loaded || files == files_) seen_ = std::move(now);
  if (!loaded) return fail(loaded.error());
  files_ = files;
  take(std::move(*loaded));
  return {};
}

void ServerTls::reload_if_changed() {
  const MutexLock lock(reading_);
  if (seen_ == stamp(files_)) return;
  if (const auto done = read_anew(ServerTlsFiles(files_)); !done)
    log::error("the new certificate of the HTTP listener cannot be used; the old one stays",
               {{"error", done.error().message}});
  else
    log::info("the certificate of the HTTP listener was read anew", {{"expires", to_rfc3339(expires())}});
}

}  // namespace eilbote
