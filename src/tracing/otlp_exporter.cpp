#include "tracing/otlp_exporter.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <optional>

#include "base/log.h"
#include "base/mutex.h"
#include "base/service.h"
#include "domain/retry_after.h"
#include "domain/traceparent.h"
#include "metrics/metrics.h"
#include "net/http_client.h"
#include "tracing/otlp_headers.h"

namespace eilbote {
namespace {

using Steady = Clock::Steady;

// What a try came to.
struct Sent {
  bool taken = false;
  std::int64_t rejected = 0;  // spans of a request that was taken
  bool may_try_again = false;
  std::optional<Duration> come_back{};
  std::string trouble{};
};

// Those of which OTLP says that the same request may work later.
bool is_busy(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

Sent judge(const HttpAnswer& answer, const Clock& clock) {
  Sent sent;
  if (answer.fault != ExchangeFault::none) {
    sent.may_try_again = true;
    sent.trouble = answer.detail;
    return sent;
  }
  sent.taken = answer.status >= 200 && answer.status < 300;
  if (sent.taken) {
    sent.rejected = rejected_spans(answer.body);
    return sent;
  }
  sent.may_try_again = is_busy(answer.status);
  sent.come_back = parse_retry_after(answer.header("retry-after"), clock.now());
  sent.trouble = "it answered HTTP " + std::to_string(answer.status);
  return sent;
}

// An answer that comes from the client's thread.
struct Letterbox {
  Mutex mutex;
  std::condition_variable_any changed;
  std::optional<HttpAnswer> answer EILBOTE_GUARDED_BY(mutex);
};

class OtlpExporter final : public TraceExporter {
 public:
  OtlpExporter(OtlpOptions options, OtlpParts parts, std::unique_ptr<HttpClient> client)
      : options_(std::move(options)),
        parts_(parts),
        client_(std::move(client)),
        thread_("traces", [this](const std::stop_token& stop) { run(stop); }) {
    thread_.start();
  }
  ~OtlpExporter() override { stop(); }

  bool samples(std::string_view trace_id) const override { return in_sample(trace_id, options_.sample); }

  void record(Span span) override {
    bool is_taken = false, is_news = false;
    {
      const MutexLock lock(mutex_);
      is_taken = !is_over_ && waiting_.size() < options_.spans_max;
      if (is_taken) waiting_.push_back(std::move(span));
      is_news = waiting_.size() == 1 || waiting_.size() == options_.batch_max;
    }
    if (!is_taken) return count("dropped", 1);
    if (is_news) changed_.notify_one();
  }

  void stop() override {
    thread_.stop();
    std::size_t left = 0;
    {
      const MutexLock lock(mutex_);
      is_over_ = true;
      left = waiting_.size();
      waiting_.clear();
    }
    if (left > 0) count("dropped", left);
  }

 private:
  void run(const std::stop_token& stop) {
    (void)headers_now();  // so that a secret from the network is there when the first batch is
    while (true) {
      const std::vector<Span> batch = next_batch(stop);
      if (batch.empty()) return;  // asked to stop, and nothing waits
      export_batch(batch, stop);
    }
  }

  std::vector<Span> next_batch(const std::stop_token& stop) {
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, stop, [this]() EILBOTE_REQUIRES(mutex_) { return !waiting_.empty(); });
    changed_.wait_for(mutex_, stop, options_.batch_wait,
                      [this]() EILBOTE_REQUIRES(mutex_) { return waiting_.size() >= options_.batch_max; });
    std::vector<Span> batch;
    if (stop.stop_requested() && Steady::clock::now() >= last_word(stop)) return batch;
    while (!waiting_.empty() && batch.size() < options_.batch_max) {
      batch.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    return batch;
  }

  void export_batch(const std::vector<Span>& batch, const std::stop_token& stop) {
    const std::string body = otlp_json(batch, options_.resource);
    Duration pause = options_.pause_first;
    for (int tries = 1;; ++tries) {
      const Sent sent = send(body, stop);
      tell(sent);
      if (sent.taken) {
        const auto rejected = std::min(batch.size(), static_cast<std::size_t>(sent.rejected));
        if (rejected > 0) count("failed", rejected);
        return count("sent", batch.size() - rejected);
      }
      const Duration wish = std::min(std::max(pause, sent.come_back.value_or(pause)), options_.pause_max);
      if (!sent.may_try_again || tries == options_.tries_max || !rest(wish, stop))
        return count("failed", batch.size());
      pause = std::min(pause * 2, options_.pause_max);
    }
  }

  // One request. Once the server stops, only until the last word.
  Sent send(const std::string& body, const std::stop_token& stop) {
    const auto headers = headers_now();
    if (!headers) return {.may_try_again = true, .trouble = headers.error().message};
    HttpCall call;
    call.url = options_.url.text();
    call.host = options_.url.host;
    call.host_is_address = options_.url.host_is_address;
    call.port = options_.url.port;
    call.headers = {{"Content-Type", "application/json"},
                    {"User-Agent", "Eilbote/" + options_.resource.version}};
    call.headers.insert(call.headers.end(), headers->begin(), headers->end());
    call.body = body;
    call.timeout = options_.timeout;
    auto box =
        std::make_shared<Letterbox>();  // outlives this when the server stops before the answer is there
    client_->send(std::move(call), [box](HttpAnswer answer) {
      const MutexLock lock(box->mutex);
      box->answer = std::move(answer);
      box->changed.notify_one();
    });
    const MutexLock lock(box->mutex);
    const auto is_there = [&box]() EILBOTE_REQUIRES(box->mutex) { return box->answer.has_value(); };
    box->changed.wait(box->mutex, stop, is_there);
    if (!is_there()) box->changed.wait_until(box->mutex, last_word(stop), is_there);
    if (!is_there()) return {.trouble = "it did not answer before this server stopped"};
    return judge(*box->answer, parts_.clock);
  }

  Result<OtlpHeaders> headers_now() {
    if (options_.headers_ref.empty()) return OtlpHeaders{};
    const auto secret = parts_.secrets.at_hand(options_.headers_ref);
    if (!secret) return fail(ErrorKind::unavailable, "EILBOTE_OTLP_HEADERS_REF is being read");
    if (!*secret) return fail(secret->error().with_context("EILBOTE_OTLP_HEADERS_REF"));
    auto headers = parse_otlp_headers((*secret)->reveal());
    if (!headers) return fail(headers.error().with_context("EILBOTE_OTLP_HEADERS_REF"));
    return headers;
  }

  // False: the server stops.
  bool rest(Duration pause, const std::stop_token& stop) {
    const Duration some = std::chrono::duration_cast<Duration>(pause * (0.5 + parts_.random.unit() / 2));
    const MutexLock lock(mutex_);
    changed_.wait_for(mutex_, stop, some, [] { return false; });
    return !stop.stop_requested();
  }

  // Until when a stop may go on sending. Only of the thread.
  Steady last_word(const std::stop_token& stop) {
    if (!stop.stop_requested()) return Steady::max();
    if (!last_word_) last_word_ = Steady::clock::now() + options_.last_words_max;
    return *last_word_;
  }

  // Once when it begins to fail and once when it works again: the metric has the rest.
  void tell(const Sent& sent) {
    if (sent.taken == !is_failing_) return;
    is_failing_ = !sent.taken;
    const std::string receiver = options_.url.route();
    if (is_failing_)
      log::warning("traces cannot be sent; spans are kept for a while, then dropped",
                   {{"receiver", receiver}, {"error", sent.trouble}});
    else
      log::info("traces are sent again", {{"receiver", receiver}});
  }

  void count(const char* outcome, std::size_t spans) {
    parts_.metrics.add(Metric::trace_spans, static_cast<double>(spans), {outcome});
  }

  const OtlpOptions options_;
  const OtlpParts parts_;
  const std::unique_ptr<HttpClient> client_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Span> waiting_ EILBOTE_GUARDED_BY(mutex_);
  bool is_over_ EILBOTE_GUARDED_BY(mutex_) = false;
  bool is_failing_ = false;          // of the thread
  std::optional<Steady> last_word_;  // of the thread
  Service thread_;                   // last: it uses the others
};

}  // namespace

Result<std::unique_ptr<TraceExporter>> make_otlp_exporter(OtlpOptions options, OtlpParts parts) {
  HttpClientOptions http;
  http.ca_file = options.ca_file;
  http.calls_max = 2;  // one at a time, and one that a stop left behind
  auto client = make_http_client(std::move(http));
  if (!client) return fail(client.error());
  return std::make_unique<OtlpExporter>(std::move(options), parts, std::move(*client));
}

}  // namespace eilbote
