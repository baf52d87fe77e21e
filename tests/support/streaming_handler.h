// A handler whose answers go on: a test writes their events, or has them written all the time.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ports/http.h"

namespace eilbote::test {

// Every request gets a stream that begins with "hello"; "/plain" an answer that ends.
class StreamingHandler final : public HttpHandler {
 public:
  void handle(HttpRequest request, Responder respond) override {
    if (request.target == "/plain") return respond({200, "text/plain", {}, "plain"});
    HttpResponse response{200, "text/event-stream", {}, "hello"};
    response.stream = [this](std::shared_ptr<HttpStream> stream) {
      {
        const std::lock_guard lock(mutex_);
        streams_.push_back(std::move(stream));
      }
      changed_.notify_all();
    };
    respond(std::move(response));
  }
  HttpResponse refusal(int status, std::string_view detail) override {
    return {status, "application/problem+json", {}, std::string(detail)};
  }

  // The n-th that was begun, from 0; null when it is not within ten seconds.
  std::shared_ptr<HttpStream> stream(std::size_t n) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds{10}, [&] { return streams_.size() > n; }))
      return nullptr;
    return streams_[n];
  }
  std::size_t begun() {
    const std::lock_guard lock(mutex_);
    return streams_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<HttpStream>> streams_;
};

inline std::shared_ptr<const std::string> event(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace eilbote::test
