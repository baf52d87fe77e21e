// What the HTTP listener shows its clients under TLS: a certificate and its key, read from files, and read again when they change.
// The composition root makes one; connections take the context of the moment and keep it.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "base/time.h"

struct ssl_ctx_st;

namespace eilbote {

struct Metrics;

struct ServerTlsFiles {
  std::string certificate;  // PEM: the server's own first, then those between it and the authority
  std::string key;          // PEM, without a passphrase
};

class ServerTls {
 public:
  using Context = std::shared_ptr<ssl_ctx_st>;  // shared by the connections that began under it

  // The error says which file, and what is wrong with it. `metrics` may be null.
  static Result<std::unique_ptr<ServerTls>> load(ServerTlsFiles files, Metrics* metrics);

  // For a new connection; from any thread.
  Context context() const;
  // Reads the files again. What cannot be used, or has expired, changes nothing: the error says why.
  Result<void> reload();
  // The same if the files have changed since they were last read. Says in the log what came of it.
  void reload_if_changed();

  TimePoint expires() const;

 private:
  // What tells one state of the files from another.
  struct Stamp {
    std::string text;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Loaded {
    Context context;
    TimePoint expires;
  };

  ServerTls(ServerTlsFiles files, Metrics* metrics) : files_(std::move(files)), metrics_(metrics) {}
  Result<Loaded> read() const;
  Stamp stamp() const;
  void take(Loaded loaded);

  const ServerTlsFiles files_;
  Metrics* const metrics_;
  mutable std::mutex mutex_;  // of what follows
  Loaded loaded_;
  Stamp seen_;
};

}  // namespace eilbote
