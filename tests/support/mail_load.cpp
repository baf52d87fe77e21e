#include "support/mail_load.h"

#include <chrono>

#include "support/eilbote_process.h"
#include "support/http_client.h"
#include "support/mail_api.h"

namespace eilbote::test {

MailLoad::MailLoad(MailLoadOptions options, MailHistory& history)
    : options_(std::move(options)), history_(history) {
  for (int i = 0; i < options_.clients; ++i)
    clients_.emplace_back([this](std::stop_token stop) { run(stop); });
}

MailLoad::~MailLoad() {
  for (std::jthread& client : clients_)
    client.request_stop();
}

void MailLoad::serve_at(std::vector<std::string> urls) {
  {
    const std::lock_guard lock(mutex_);
    urls_ = std::move(urls);
  }
  changed_.notify_all();
}

bool MailLoad::dealt_with(int mails, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return done_ >= mails; });
}

void MailLoad::finish() {
  for (std::jthread& client : clients_)
    client.join();
}

void MailLoad::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    int n = 0;
    {
      const std::lock_guard lock(mutex_);
      if (next_ >= options_.mails) return;
      n = next_++;
    }
    send(n, stop);
    {
      const std::lock_guard lock(mutex_);
      ++done_;
    }
    changed_.notify_all();
  }
}

std::string MailLoad::place(int n, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop, [this] { return !urls_.empty(); })) return "";
  return urls_[static_cast<std::size_t>(n) % urls_.size()];
}

void MailLoad::send(int n, const std::stop_token& stop) {
  const std::string body = mail_json(MailHistory::recipient(n), "One of very many", options_.extra);
  HttpHeaders headers;
  const bool keyed = options_.half_with_keys && n % 2 == 0;
  if (keyed) headers.emplace_back("Idempotency-Key", "load-key-" + std::to_string(n));
  history_.asked(n);
  for (int tries = 0; !stop.stop_requested(); ++tries) {
    const std::string url = place(n + tries, stop);
    if (url.empty()) return;
    const HttpReply reply = http_request("POST", url + "/messages", body, headers);
    if (reply.status == 202) return history_.acknowledged(n, text_at(json::parse(reply.body), "/messageId"));
    if (reply.status != 0) history_.refused(n, reply.status);
    if (!keyed) return;
    // The server is gone or in trouble: wait for a change of its place, but not for long.
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, std::chrono::milliseconds{50}, [] { return false; });
  }
}

}  // namespace eilbote::test
