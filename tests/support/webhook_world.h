// A webhook channel with a resolver that the test owns, and deliveries to hand to it. Used by the tests of the channel.
#pragma once

#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "channel/webhook_channel.h"

namespace eilbote::test {

// The resolver: every name leads to the loopback, unless it is told otherwise.
class NamesByHand {
 public:
  ~NamesByHand() { open_all(); }

  void unknown(const std::string& host);
  void leads_to(const std::string& host, const std::vector<std::string>& addresses);
  // Lookups of this name do not end until open_all().
  void stuck(const std::string& host);
  void open_all();
  int asked(const std::string& host) const;
  // Lookups that are stuck now.
  int waiting() const;

  NameLookup lookup();

 private:
  struct State {
    mutable std::mutex mutex;
    std::condition_variable changed;
    std::set<std::string> unknown, stuck;
    std::map<std::string, std::vector<std::string>> addresses;
    std::map<std::string, int> asked;
    int waiting = 0;
  };
  // The channel leaves a thread in a lookup behind when it goes.
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

class WebhookWorld {
 public:
  // Of all that are made from now on: plain HTTP by libcurl, which else is asked for TLS only.
  static inline bool plain_by_curl = false;

  explicit WebhookWorld(WebhookChannelOptions options = {});

  std::future<DeliveryResult> deliver(const std::string& url, int timeout_seconds = 30);
  std::future<DeliveryResult> deliver(WebhookDelivery delivery);
  // A small JSON job to this URL.
  WebhookDelivery delivery(const std::string& url, int timeout_seconds = 30);

  WebhookChannel& channel() { return *channel_; }
  void end() { channel_.reset(); }
  NamesByHand names;

 private:
  SystemClock clock_;
  std::unique_ptr<WebhookChannel> channel_;
  int jobs_ = 0;
};

// The verdict and all that goes on record: "transient TIMEOUT TIMEOUT", "delivered SUCCESS 200 'ok'".
std::string in_words(const DeliveryResult& result);
// Wait for it, but not for ever.
DeliveryResult result_of(std::future<DeliveryResult> result);
std::string outcome(std::future<DeliveryResult>& result);
std::string outcome(std::future<DeliveryResult>&& result);

// A test that is run against both of the HTTP client's ways: its own, and libcurl's.
class BothWays : public testing::TestWithParam<bool> {
 protected:
  BothWays() { WebhookWorld::plain_by_curl = GetParam(); }
  ~BothWays() override { WebhookWorld::plain_by_curl = false; }
};
inline std::string way_name(const testing::TestParamInfo<bool>& way) {
  return way.param ? "by_curl" : "by_ourselves";
}

}  // namespace eilbote::test
