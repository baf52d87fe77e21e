// A handler for tests of the HTTP server by itself, and the requests they send.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ports/http.h"

namespace eilbote::test {

// Answers each request with "<method> <target> <body size>"; "/later" from another thread; "/held" when told
// to.
class EchoHandler final : public HttpHandler {
 public:
  ~EchoHandler() override {
    for (std::thread& thread : threads_)
      thread.join();
  }
  void handle(HttpRequest request, Responder respond) override {
    {
      const std::lock_guard lock(mutex_);
      ++handled_;
      bodies_.push_back(request.body.substr(0, 64));
    }
    changed_.notify_all();
    if (request.target == "/throw") throw std::runtime_error("on purpose");
    if (request.target == "/forget") return;
    HttpResponse response{200,
                          "text/plain",
                          {},
                          request.method + " " + request.target + " " + std::to_string(request.body.size())};
    if (request.target == "/nothing") response = {204, "", {}, ""};
    if (request.target == "/big") response.body.assign(8 * 1024 * 1024, 'x');
    if (request.target == "/later") {
      const std::lock_guard lock(mutex_);
      threads_.emplace_back([respond, response] { respond(response); });
    } else if (request.target == "/held") {
      const std::lock_guard lock(mutex_);
      held_.push_back({std::move(request), std::move(respond), std::move(response)});
      changed_.notify_all();
    } else {
      respond(std::move(response));
    }
  }
  HttpResponse refusal(int status, std::string_view detail) override {
    return {status, "application/problem+json", {}, std::string(detail)};
  }

  void wait_for_held(std::size_t n) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, std::chrono::seconds{10}, [&] { return held_.size() >= n; }));
  }
  void release_held() {
    std::vector<Held> all;
    {
      const std::lock_guard lock(mutex_);
      all = std::exchange(held_, {});
    }
    for (Held& held : all) {
      held.request = {};  // its bytes go back before the client hears of it
      held.respond(std::move(held.response));
    }
  }
  int handled() {
    const std::lock_guard lock(mutex_);
    return handled_;
  }

 private:
  struct Held {
    HttpRequest request;
    Responder respond;
    HttpResponse response;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  int handled_ = 0;
  std::vector<std::string> bodies_;
  std::vector<Held> held_;
  std::vector<std::thread> threads_;
};

inline std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
}
inline std::string post(const std::string& path, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

}  // namespace eilbote::test
