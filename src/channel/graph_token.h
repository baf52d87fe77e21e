// The token that requests to Microsoft Graph carry: asked for with the application's secret or certificate (client
// credentials), kept, and renewed before it expires while the old one still serves. One request for all who wait. Used by the
// door, on the thread of its HTTP client only.
//
// A secret that is refused is read afresh where it is kept and tried again at once when it is another one, so that a rotated
// secret costs nobody anything. After a failure the endpoint is left alone for a growing while; whoever asks meanwhile is told
// what the failure was.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/secret.h"
#include "domain/graph_options.h"
#include "domain/webhook_url.h"
#include "net/http_client.h"
#include "ports/secret_source.h"

namespace eilbote {

struct Metrics;

struct GraphTokenFailure {
  ExchangeFault fault = ExchangeFault::none;
  int status = 0;
  std::string code;            // `error` of the endpoint; empty: none
  std::string text;            // for people; never a secret
  bool configuration = false;  // application, secret, certificate or tenant are wrong; a person must act
  std::optional<Duration> retry_after;
};

class GraphToken {
 public:
  using Answer = tl::expected<Secret, GraphTokenFailure>;
  using Done = std::function<void(const Answer&)>;

  // All of them outlive it, except `client`, whose thread must have ended before this goes.
  static Result<std::unique_ptr<GraphToken>> make(const GraphOptions& options, SecretSource& secrets,
                                                  HttpClient& client, Metrics& metrics, const Clock& clock);
  // What was asked of the secret source is not waited for any more. From any thread.
  void stop();

  // `done` is called once: before this returns when the token is at hand.
  void get(Done done);
  // Graph would not take this token: it is not given out again.
  void refused(const Secret& token);

 private:
  struct Held {
    Secret token;
    Clock::Steady renew_at{}, usable_until{};
  };
  // One way to a token: what was tried so far. The constructor is there for clang, which knows no defaults of members before the
  // class around them is whole.
  struct Attempt {
    Attempt() {}
    Secret proof;  // the secret, or the certificate's PEM
    Secret shown;  // what of it went out: the secret itself, or what was signed with the certificate's key
    bool has_new_proof = false;  // it was read afresh already
    bool was_lost = false;       // the connection ended once already
  };
  struct Life {
    Mutex mutex;
    bool is_over EILBOTE_GUARDED_BY(mutex) = false;
  };

  GraphToken(const GraphOptions& options, WebhookUrl url, SecretSource& secrets, HttpClient& client,
             Metrics& metrics, const Clock& clock);
  const std::string& proof_ref() const;
  void begin();
  void renew_proof(std::function<void(Result<Secret>)> then);
  void on_proof(const Result<Secret>& proof);
  void on_new_proof(const Result<Secret>& proof, GraphTokenFailure refusal);
  void ask();
  Result<std::string> form();
  void on_answer(HttpAnswer answer);
  void take(Secret token, Duration life);
  GraphTokenFailure failure_of(const HttpAnswer& answer) const;
  void fail_all(GraphTokenFailure failure);
  void answer_all(const Answer& answer);

  const GraphOptions options_;
  const WebhookUrl url_;
  SecretSource& secrets_;
  HttpClient& client_;
  Metrics& metrics_;
  const Clock& clock_;

  std::optional<Held> held_;
  std::optional<Attempt> attempt_;  // a request is under way
  std::vector<Done> waiting_;
  int failures_ = 0;  // in a row
  Clock::Steady not_before_{};
  std::optional<GraphTokenFailure> last_failure_;
  // Shared with answers of the secret source, which come from its own threads and perhaps late.
  std::shared_ptr<Life> life_ = std::make_shared<Life>();
};

}  // namespace eilbote
