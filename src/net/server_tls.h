// What the HTTP listener shows its clients under TLS: a certificate and its key, read from files, and read again when they change.
// The composition root makes one; connections take the context of the moment and keep it.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/result.h"
#include "base/time.h"

struct ssl_ctx_st;

namespace eilbote {

struct Metrics;

struct ServerTlsFiles {
  std::string certificate;  // PEM: the server's own first, then those between it and the authority
  std::string key;          // PEM, without a passphrase
  friend bool operator==(const ServerTlsFiles&, const ServerTlsFiles&) = default;
};

class ServerTls {
 public:
  using Context = std::shared_ptr<ssl_ctx_st>;  // shared by the connections that began under it

  // The error says which file, and what is wrong with it. `metrics` may be null.
  static Result<std::unique_ptr<ServerTls>> load(ServerTlsFiles files, Metrics* metrics);

  // For a new connection; from any thread.
  Context context() const;
  // Reads these files, from now on. What cannot be used, or has expired, changes nothing: the error says why.
  Result<void> reload(const ServerTlsFiles& files);
  // Reads its files again if they have changed since they were last read. Says in the log what came of it.
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

  ServerTls(ServerTlsFiles files, Metrics* metrics) : metrics_(metrics), files_(std::move(files)) {}
  static Result<Loaded> read(const ServerTlsFiles& files);
  static Stamp stamp(const ServerTlsFiles& files);
  Result<void> read_anew(const ServerTlsFiles& files) EILBOTE_REQUIRES(reading_);
  void take(Loaded loaded);

  Metrics* const metrics_;
  // Held while files are read: a signal and the upkeep may both ask for it, and the older must not come out on top.
  Mutex reading_;
  ServerTlsFiles files_ EILBOTE_GUARDED_BY(reading_);
  Stamp seen_ EILBOTE_GUARDED_BY(reading_);
  mutable Mutex mutex_;
  Loaded loaded_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
