// A key and a certificate for one host name or address, made in memory; for servers in tests. Self-signed, or signed by another
// one, which is then what the others trust.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace eilbote::test {

class TlsIdentity {
 public:
  explicit TlsIdentity(const std::string& host);
  // Signed by `authority`.
  TlsIdentity(const std::string& host, const TlsIdentity& authority);

  // A server's context with this identity.
  SSL_CTX* server_context() const { return context_.get(); }
  // The certificate in PEM, for those who are to trust it.
  const std::string& certificate() const { return pem_; }
  // The key in PEM, for servers that are programs of their own.
  const std::string& key() const { return key_pem_; }

 private:
  TlsIdentity(const std::string& host, const TlsIdentity* authority);
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::string pem_, key_pem_;
};

}  // namespace eilbote::test
