// The command line in this process, against a real HTTP server that answers from a table. For tests of what commands ask
// for, what they print, and their exit codes.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "metrics/metrics.h"
#include "net/http_server.h"

namespace eilbote::test {

// Answers by "METHOD target"; everything else is a 404 problem.
class TableHandler final : public HttpHandler {
 public:
  std::map<std::string, HttpResponse> answers;
  std::map<std::string, std::deque<HttpResponse>> first;  // each is given once, before `answers` count
  std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  HttpRequest last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

  void handle(HttpRequest request, Responder respond) override {
    const std::string key = request.method + " " + request.target;
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(key);
      last_ = std::move(request);
      last_.reservation.reset();
    }
    respond(answer_to(key));
  }
  HttpResponse refusal(int status, std::string_view detail) override {
    return {status,
            "application/problem+json",
            {},
            boost::json::serialize(boost::json::object{{"status", status}, {"detail", detail}})};
  }

 private:
  HttpResponse answer_to(const std::string& key) {
    const std::lock_guard lock(mutex_);
    if (auto& once = first[key]; !once.empty()) {
      HttpResponse answer = std::move(once.front());
      once.pop_front();
      return answer;
    }
    const auto found = answers.find(key);
    return found != answers.end() ? found->second : refusal(404, "there is no such thing");
  }

  mutable std::mutex mutex_;
  std::vector<std::string> asked_;
  HttpRequest last_;
};

struct CliOutcome {
  ExitCode code;
  std::string out, err;
};

class CliFixture : public testing::Test {
 protected:
  CliFixture() {
    HttpServerOptions options;
    options.host = "127.0.0.1";
    options.port = 0;
    server_ = make_http_server(options, handler_, &metrics_);
    if (!server_->start()) throw std::runtime_error("the test's HTTP server does not start");
    actions_.serve = [this](const LoadedConfig& loaded, const std::function<LoadedConfig()>&) {
      served_ = loaded.config;
      return 0;
    };
    actions_.migrate = [](const Config&) -> Result<MigrationReport> {
      return MigrationReport{{"001_first"}, "001"};
    };
    actions_.routes = [] { return std::vector<RouteLine>{{"GET", "/x", "none", "get_x"}}; };
  }
  ~CliFixture() override { server_->stop(); }

  CliOutcome run(std::vector<std::string> words) {
    words.insert(words.begin(), "eilbote");
    std::vector<const char*> argv;
    for (const auto& word : words)
      argv.push_back(word.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run_cli(static_cast<int>(argv.size()), argv.data(), actions_);
    const std::string out = testing::internal::GetCapturedStdout();
    return {static_cast<ExitCode>(code), out, testing::internal::GetCapturedStderr()};
  }
  // With --server of the test's server.
  CliOutcome ask(std::vector<std::string> words) {
    words.push_back("--server");
    words.push_back("http://127.0.0.1:" + std::to_string(server_->port()));
    return run(std::move(words));
  }

  TableHandler handler_;
  Metrics metrics_;
  std::unique_ptr<HttpServer> server_;
  CliActions actions_;
  std::optional<Config> served_;
};

}  // namespace eilbote::test
