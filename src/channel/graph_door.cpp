#include "channel/graph_door.h"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>

#include "base/ascii.h"
#include "base/hide.h"
#include "base/mutex.h"
#include "channel/graph_answer.h"
#include "channel/graph_batch.h"
#include "channel/graph_request.h"
#include "channel/graph_token.h"
#include "metrics/metrics.h"
#include "net/http_client.h"

namespace eilbote {
namespace {

// More than all pools together may have open; over: `busy`.
constexpr std::size_t kGraphCallsMax = 50'000;

// A call on its way through the door.
struct Visit {
  GraphCall call;
  GraphDoor::Done done;
  std::string mailbox;     // in lower case; empty: nobody's
  bool has_place = false;  // counted among the mailbox's open requests
  bool is_second_try = false;
  bool goes_alone = false;  // a batch with it in was not understood
  bool was_called_off = false;
};
using VisitPtr = std::shared_ptr<Visit>;
using Visits = std::vector<VisitPtr>;

// A batch in the making.
struct Together {
  Visits visits;
  std::vector<GraphBatchPart> parts;
  std::size_t bytes = 0;

  void add(const VisitPtr& visit, GraphBatchPart part) {
    bytes += part.bytes();
    visits.push_back(visit);
    parts.push_back(std::move(part));
  }
};

struct MailboxLine {
  int open = 0;
  std::deque<VisitPtr> waiting;
};

const char* outcome_of(const GraphAnswer& answer) {
  if (answer.token_failed) return "no_token";
  if (answer.fault == ExchangeFault::not_sent) return "not_sent";
  if (answer.fault != ExchangeFault::none) return "fault";
  if (answer.status == 429) return "throttled";
  if (answer.status >= 500) return "server_error";
  return answer.status >= 400 ? "client_error" : "ok";
}

GraphAnswer without_answer(ExchangeFault fault, std::string text) {
  GraphAnswer answer;
  answer.fault = fault;
  answer.text = std::move(text);
  return answer;
}

GraphAnswer without_token(const GraphTokenFailure& failure) {
  if (failure.fault == ExchangeFault::not_sent) return without_answer(failure.fault, failure.text);
  GraphAnswer answer;
  answer.token_failed = true;
  answer.status = failure.status;
  answer.code = failure.code;
  answer.text = failure.text;
  answer.configuration = failure.configuration;
  answer.retry_after = failure.retry_after;
  return answer;
}

// The batch as a whole was refused, so nothing in it was carried out, and its parts may be better alone: one that Graph cannot
// read must not fail the others. A token or a pause is another matter.
bool is_batch_refused(int status) {
  return status >= 400 && status < 500 && status != 401 && status != 408 && status != 429;
}

class HttpGraphDoor final : public GraphDoor {
 public:
  HttpGraphDoor(const GraphOptions& options, GraphAddress address, const Clock& clock, Metrics& metrics,
                std::unique_ptr<GraphToken> token, std::unique_ptr<HttpClient> client)
      : options_(options),
        address_(std::move(address)),
        clock_(clock),
        metrics_(metrics),
        token_(std::move(token)),
        client_(std::move(client)) {}
  // The client's thread ends first (it is the last member); what it would have answered is dropped with it.
  ~HttpGraphDoor() override { token_->stop(); }

  void call(GraphCall call, Done done) override {
    auto visit = std::make_shared<Visit>();
    visit->mailbox = ascii_lower(call.mailbox);
    visit->call = std::move(call);
    visit->done = std::move(done);
    if (take_in(visit)) return wake();
    client_->later([this, visit] {
      const GraphAnswer busy = without_answer(ExchangeFault::busy, "too many requests to Graph wait here");
      metrics_.add(Metric::graph_requests, 1, {outcome_of(busy)});
      visit->done(busy);
    });
  }

  void release_waiting() override {
    client_->later([this] { give_back(); });
  }

 private:
  // ---- turns of the loop: what is ready at the same moment goes together ----

  bool take_in(const VisitPtr& visit) {
    const MutexLock lock(mutex_);
    if (calls_ >= kGraphCallsMax) return false;
    ++calls_;
    inbox_.push_back(visit);
    return true;
  }

  void wake() {
    {
      const MutexLock lock(mutex_);
      if (is_awake_) return;
      is_awake_ = true;
    }
    client_->later([this] { turn(); });
  }

  Visits open_inbox() {
    const MutexLock lock(mutex_);
    is_awake_ = false;
    return std::exchange(inbox_, {});
  }

  void turn() {
    for (VisitPtr& visit : open_inbox()) {
      if (visit->mailbox.empty()) {
        ready_.push_back(std::move(visit));
        continue;
      }
      moved_.insert(visit->mailbox);
      lines_[visit->mailbox].waiting.push_back(std::move(visit));
    }
    for (const std::string& mailbox : std::exchange(moved_, {}))
      let_in(mailbox);
    send_ready();
  }

  void let_in(const std::string& mailbox) {
    const auto found = lines_.find(mailbox);
    if (found == lines_.end()) return;
    MailboxLine& line = found->second;
    while (!line.waiting.empty() && line.open < options_.mailbox_concurrency) {
      ++line.open;
      line.waiting.front()->has_place = true;
      ready_.push_back(std::move(line.waiting.front()));
      line.waiting.pop_front();
    }
    if (line.open == 0 && line.waiting.empty()) lines_.erase(found);
  }

  void send_ready() {
    for (VisitPtr& visit : std::exchange(ready_, {})) {
      if (visit->call.with_token)
        want_token_.push_back(std::move(visit));
      else
        send_alone(visit, Secret());
    }
    if (want_token_.empty() || is_asking_) return;
    is_asking_ = true;
    token_->get([this](const GraphToken::Answer& token) {
      is_asking_ = false;
      const Visits visits = std::exchange(want_token_, {});
      if (token) return send_with(visits, *token);
      for (const VisitPtr& visit : visits)
        finish(visit, without_token(token.error()));
    });
  }

  // ---- out ----

  void send_with(const Visits& visits, const Secret& token) {
    Together together;
    for (const VisitPtr& visit : visits) {
      if (options_.batch_max < 2 || visit->goes_alone || !fits_batch(visit->call)) {
        send_alone(visit, token);
        continue;
      }
      GraphBatchPart part = batch_part(visit->call);
      if (together.bytes + part.bytes() > kGraphBatchBytesMax)
        send_together(std::exchange(together, {}), token);
      together.add(visit, std::move(part));
      if (together.visits.size() >= static_cast<std::size_t>(options_.batch_max))
        send_together(std::exchange(together, {}), token);
    }
    send_together(together, token);
  }

  void send_alone(const VisitPtr& visit, const Secret& token) {
    auto call = address_.request(visit->call, token);
    if (!call) return finish(visit, without_answer(ExchangeFault::refused, call.error().message));
    call->timeout = options_.timeout;
    const std::string host = call->host;
    client_->send(std::move(*call), [this, visit, token, host](HttpAnswer answer) {
      if (answer.status == 401 && visit->call.with_token && !visit->is_second_try) {
        token_->refused(token);
        return try_again(visit);
      }
      // What an error repeats of our request is kept and shown.
      if (answer.status >= 400) hide_authorization(answer.body, token.reveal());
      finish(visit, read_graph_answer(std::move(answer), host, clock_.now()));
    });
  }

  void send_together(const Together& together, const Secret& token) {
    const Visits& visits = together.visits;
    if (visits.empty()) return;
    if (visits.size() == 1) return send_alone(visits.front(), token);
    HttpCall call = address_.batch(write_graph_batch(together.parts), token);
    call.timeout = options_.timeout;
    call.response_bytes_max = 0;
    for (const VisitPtr& visit : visits)
      call.response_bytes_max += visit->call.response_bytes_max;
    call.about_to_send = [visits] { return all_may_go(visits); };
    metrics_.add(Metric::graph_batches);
    client_->send(std::move(call), [this, visits, token](HttpAnswer answer) {
      hide_authorization(answer.body, token.reveal());  // a part's error may repeat it
      on_batch(visits, token, std::move(answer));
    });
  }

  static bool all_may_go(const Visits& visits) {
    bool all = true;
    for (const VisitPtr& visit : visits) {
      visit->was_called_off = visit->call.about_to_send && !visit->call.about_to_send();
      all = all && !visit->was_called_off;
    }
    return all;
  }

  // ---- and back ----

  void on_batch(const Visits& visits, const Secret& token, HttpAnswer answer) {
    const bool is_called_off =
        answer.fault == ExchangeFault::not_sent &&
        std::any_of(visits.begin(), visits.end(), [](const VisitPtr& one) { return one->was_called_off; });
    if (is_called_off) return on_called_off(visits);
    // Of the parts, a good status says nothing; what they came to is in the body or nowhere.
    const bool is_good = answer.status >= 200 && answer.status < 300;
    if (answer.fault == ExchangeFault::none && is_good && !answer.body_is_cut) {
      auto answers = read_graph_batch(answer.body, visits.size(), clock_.now());
      for (std::size_t i = 0; i < visits.size(); ++i)
        on_part(visits[i], token, std::move(answers[i]));
      return;
    }
    if (answer.fault == ExchangeFault::none && is_batch_refused(answer.status)) {
      for (const VisitPtr& visit : visits) {
        visit->goes_alone = true;
        get_ready(visit);
      }
      return;
    }
    const GraphAnswer for_all = read_graph_answer(std::move(answer), address_.host(), clock_.now());
    for (const VisitPtr& visit : visits)
      on_part(visit, token, for_all);
  }

  // Nothing went out: those that still may go without the others.
  void on_called_off(const Visits& visits) {
    for (const VisitPtr& visit : visits) {
      if (visit->was_called_off)
        finish(visit, without_answer(ExchangeFault::not_sent, "called off right before it was sent"));
      else
        get_ready(visit);
    }
  }

  void on_part(const VisitPtr& visit, const Secret& token, GraphAnswer answer) {
    if (answer.status == 401 && !visit->is_second_try) {
      token_->refused(token);
      return try_again(visit);
    }
    finish(visit, std::move(answer));
  }

  void try_again(const VisitPtr& visit) {
    visit->is_second_try = true;
    get_ready(visit);
  }

  void get_ready(const VisitPtr& visit) {
    ready_.push_back(visit);
    wake();
  }

  void finish(const VisitPtr& visit, GraphAnswer answer) {
    if (visit->has_place) {
      visit->has_place = false;
      --lines_[visit->mailbox].open;
      moved_.insert(visit->mailbox);
      wake();
    }
    {
      const MutexLock lock(mutex_);
      --calls_;
    }
    metrics_.add(Metric::graph_requests, 1, {outcome_of(answer)});
    visit->done(std::move(answer));
  }

  void give_back() {
    Visits all = open_inbox();
    const auto add = [&all](auto& from) {
      all.insert(all.end(), from.begin(), from.end());
      from.clear();
    };
    add(ready_);
    add(want_token_);
    for (auto& [mailbox, line] : lines_)
      add(line.waiting);
    for (const VisitPtr& visit : all)
      finish(visit, without_answer(ExchangeFault::not_sent, "given back before the request to Graph began"));
    client_->release_waiting();
  }

  const GraphOptions options_;
  const GraphAddress address_;
  const Clock& clock_;
  Metrics& metrics_;

  Mutex mutex_;
  Visits inbox_ EILBOTE_GUARDED_BY(mutex_);
  bool is_awake_ EILBOTE_GUARDED_BY(mutex_) = false;  // a turn is on its way
  std::size_t calls_ EILBOTE_GUARDED_BY(mutex_) = 0;  // not answered yet

  // From here on: the client's thread's.
  std::unordered_map<std::string, MailboxLine> lines_;
  std::set<std::string> moved_;  // mailboxes with more to send or more room than before
  Visits ready_, want_token_;
  bool is_asking_ = false;  // for a token
  const std::unique_ptr<GraphToken> token_;
  const std::unique_ptr<HttpClient> client_;  // last: its thread uses the others
};

}  // namespace

Result<std::shared_ptr<GraphDoor>> make_graph_door(const GraphOptions& options, SecretSource& secrets,
                                                   Metrics& metrics, const Clock& clock) {
  auto address = GraphAddress::parse(options.base_url);
  if (!address) return fail(address.error());
  HttpClientOptions http;
  http.ca_file = options.ca_file;
  http.calls_max = kGraphCallsMax;
  auto client = make_http_client(std::move(http));
  if (!client) return fail(client.error());
  auto token = GraphToken::make(options, secrets, **client, metrics, clock);
  if (!token) return fail(token.error());
  return std::make_shared<HttpGraphDoor>(options, std::move(*address), clock, metrics, std::move(*token),
                                         std::move(*client));
}

}  // namespace eilbote
