#include "support/job_load.h"

#include "support/hook_receiver.h"
#include "support/job_api.h"

namespace eilbote::test {
namespace {

// What is posted where.
struct Order {
  std::string path, body, id_member, name;
  int created = 0;
  HttpHeaders headers{};
};

// Names are short: what stands in a header or an address is private to the searchers of logs (private_texts.h), unless it is
// shorter than 8 bytes.
Order mail_order(int n) {
  const std::string name = "m" + std::to_string(n);
  return {"/messages",
          mail_json(name + "@example.org", "One of very many", R"("retry":{"strategy":"immediate"})"),
          "/messageId",
          name,
          202,
          {{"Idempotency-Key", "load-key-" + std::to_string(n)}}};
}

Order webhook_order(const JobLoadOptions& options, int client, int n, int place) {
  const std::string name = "h" + std::to_string(n);
  std::map<std::string, std::string> headers{{"X-Name", name}};
  if (options.fail_every > 0 && n % options.fail_every == 0) headers["X-Fail"] = "1";
  std::string extra = R"(,"retryStrategy":"immediate","maxRetries":20,"idempotencyKey":"load-key-)" +
                      std::to_string(n) + "\"";
  if (place > 0) {
    headers["X-Group"] = "g" + std::to_string(client);
    headers["X-Place"] = std::to_string(place);
    extra += R"(,"mode":"BLOCK_ON_ERROR","messageGroup":")" + headers["X-Group"] + R"(","sequence":)" +
             std::to_string(place);
  }
  return {"/dispatch-jobs", job_json(options.receiver_url, extra + receiver_headers(headers)), "/id", name,
          201};
}

}  // namespace

JobLoad::JobLoad(JobLoadOptions options, History& history) : options_(std::move(options)), history_(history) {
  for (int client = 0; client < options_.clients; ++client)
    clients_.emplace_back([this, client](const std::stop_token& stop) { run(client, stop); });
}

JobLoad::~JobLoad() {
  for (std::jthread& client : clients_)
    client.request_stop();
}

void JobLoad::serve_at(std::vector<std::string> urls) {
  {
    const std::lock_guard lock(mutex_);
    urls_ = std::move(urls);
  }
  changed_.notify_all();
}

bool JobLoad::acknowledged(int jobs, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return done_ >= jobs; });
}

void JobLoad::finish() {
  for (std::jthread& client : clients_)
    client.join();
}

void JobLoad::run(int client, const std::stop_token& stop) {
  for (int n = client; n < options_.jobs; n += options_.clients) {
    if (!hand_in(client, n, stop)) return;
    {
      const std::lock_guard lock(mutex_);
      ++done_;
    }
    changed_.notify_all();
  }
}

std::string JobLoad::place(int tries, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [&] { return !urls_.empty(); });
  return urls_.empty() ? "" : urls_[static_cast<std::size_t>(tries) % urls_.size()];
}

bool JobLoad::hand_in(int client, int n, const std::stop_token& stop) {
  // Of this client's jobs, the number of this one; the odd ones are of its group.
  const int own = n / options_.clients;
  const Order order = n % 3 == 0 ? mail_order(n) : webhook_order(options_, client, n, own % 2 == 1 ? own : 0);
  history_.add({.kind = HistoryKind::asked, .name = order.name});
  for (int tries = 0; !stop.stop_requested(); ++tries) {
    const std::string url = place(n + tries, stop);
    if (url.empty()) return false;
    const HttpReply reply = http_request("POST", url + order.path, order.body, order.headers);
    if (reply.status == order.created || reply.status == 200) {
      history_.add({.kind = HistoryKind::acknowledged,
                    .name = order.name,
                    .id = text_at(json::parse(reply.body), order.id_member)});
      return true;
    }
    if (reply.status != 0)
      history_.add({.kind = HistoryKind::refused, .name = order.name, .answer = reply.status});
    // The server is gone or in trouble: wait for a change of its place, but not for long.
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, std::chrono::milliseconds{50}, [] { return false; });
  }
  return false;
}

}  // namespace eilbote::test
