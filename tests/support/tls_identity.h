// A key and a self-signed certificate for one host name, made in memory; for servers in tests.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace eilbote::test {

class TlsIdentity {
 public:
  explicit TlsIdentity(const std::string& host);

  // A server's context with this identity.
  SSL_CTX* server_context() const { return context_.get(); }
  // The certificate in PEM, for those who are to trust it.
  const std::string& certificate() const { return pem_; }

 private:
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::string pem_;
};

}  // namespace eilbote::test
