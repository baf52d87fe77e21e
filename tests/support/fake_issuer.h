// A small OpenID Connect issuer on the loopback: a discovery document and keys, both at the test's will, and counted.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "support/scripted_http.h"
#include "support/token_maker.h"

namespace eilbote::test {

class FakeIssuer {
 public:
  explicit FakeIssuer(const TlsIdentity* tls = nullptr) {
    HttpScript script;
    script.tls = tls;
    script.decide = [this](const HttpSeen& seen) { return answer(seen); };
    http_ = std::make_unique<ScriptedHttp>(std::move(script));
    url_ = std::string(tls != nullptr ? "https://localhost:" : "http://127.0.0.1:") +
           std::to_string(http_->port()) + "/realm";
    std::lock_guard lock(mutex_);
    discovery_ = http_answer(200, R"({"issuer":")" + url_ + R"(","jwks_uri":")" + url_ + R"(/keys"})");
  }

  const std::string& url() const { return url_; }
  void publish(const std::vector<std::string>& jwks) { set_keys(http_answer(200, jwks_of(jwks))); }
  // Any bytes as the answer of the two documents.
  void set_keys(const std::string& whole_answer) {
    const std::lock_guard lock(mutex_);
    keys_ = whole_answer;
  }
  void set_discovery(const std::string& whole_answer) {
    const std::lock_guard lock(mutex_);
    discovery_ = whole_answer;
  }
  void discover(const std::string& document) { set_discovery(http_answer(200, document)); }
  // Answers nothing until it is told to go on.
  void hang(bool on) { hangs_ = on; }
  // How long the keys, as they are when they are asked for, stay on the way.
  void delay_keys(std::chrono::milliseconds by) { key_delay_ = by; }
  // Answers nothing any more once the keys were read.
  void hang_after_keys() { hangs_after_keys_ = true; }
  // 503 to everything.
  void fail(bool on) { fails_ = on; }
  int key_reads() const { return key_reads_; }
  int reads() const { return reads_; }

 private:
  HttpScene answer(const HttpSeen& seen) {
    ++reads_;
    if (hangs_ || (hangs_after_keys_ && key_reads_ > 0)) return {"", HttpScene::Then::silence};
    if (fails_) return {http_answer(503, "away")};
    const std::lock_guard lock(mutex_);
    if (seen.line.find("/.well-known/openid-configuration") != std::string::npos) return {discovery_};
    if (seen.line.find("/keys") == std::string::npos) return {http_answer(404)};
    ++key_reads_;
    return {.answer = keys_, .before_answer = key_delay_.load()};
  }

  std::mutex mutex_;
  std::string keys_ = http_answer(404), discovery_;
  std::atomic<int> key_reads_{0}, reads_{0};
  std::atomic<std::chrono::milliseconds> key_delay_{std::chrono::milliseconds{0}};
  std::atomic<bool> hangs_{false}, hangs_after_keys_{false}, fails_{false};
  std::string url_;
  std::unique_ptr<ScriptedHttp> http_;
};

}  // namespace eilbote::test
