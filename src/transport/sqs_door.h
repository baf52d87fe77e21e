// The way to SQS: signs a request and sends it. Credentials may have to be fetched, which blocks; so it has a thread of its
// own, `sqs-sign`, and answers come back as errands of the transport's loop. Used by the parts of the SQS transport.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/service.h"
#include "domain/aws_signature.h"
#include "domain/webhook_url.h"
#include "net/http_client.h"
#include "transport/sqs_answers.h"
#include "transport/sqs_loop.h"
#include "transport/sqs_requests.h"

namespace eilbote {

struct SqsDoorOptions {
  WebhookUrl endpoint;
  std::string region;
  std::string ca_file;  // empty: the system's authorities
  std::function<Result<AwsCredentials>()> credentials;
};

struct SqsCall {
  SqsAction action;
  std::string body;
  Duration timeout;
};

struct SqsAnswer {
  SqsError error{};
  std::string body{};  // where there is no error
};

class SqsDoor {
 public:
  using Done = std::function<void(SqsAnswer)>;

  // `loop` outlives it.
  SqsDoor(SqsDoorOptions options, SqsLoop& loop, const Clock& clock);
  ~SqsDoor();

  Result<void> start();
  void stop();

  // Never blocks. `done` is called once, on the loop; not at all for what drop_calls() dropped.
  void call(SqsCall call, Done done);
  // Whatever is under way is dropped, connections and all; calls made after it go out as ever.
  void drop_calls();

 private:
  struct Visit {
    SqsCall call;
    Done done;
    Clock::Steady deadline;
  };
  void run(const std::stop_token& stop);
  void send(Visit visit);
  void answer(const Done& done, SqsAnswer answer);
  Result<std::unique_ptr<HttpClient>> make_client() const;

  const SqsDoorOptions options_;
  SqsLoop& loop_;
  const Clock& clock_;
  std::unique_ptr<HttpClient> client_;  // of the thread, while that runs
  Mutex mutex_;
  std::condition_variable_any changed_;
  // Bounded: each caller has only so many calls under way.
  std::deque<Visit> visits_ EILBOTE_GUARDED_BY(mutex_);
  bool drops_ EILBOTE_GUARDED_BY(mutex_) = false;
  Service thread_;
};

}  // namespace eilbote
