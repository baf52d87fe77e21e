// A publisher with everything around it scripted or in memory: jobs are put into `book`, the broker answers as `transport` is
// told to, and the pools are the two that are always there until the test says otherwise.
#pragma once

#include "domain/pool.h"
#include "engine/publisher.h"
#include "metrics/metrics.h"
#include "support/fake_registry.h"
#include "support/lanes_outbox.h"
#include "support/lively_care.h"
#include "support/memory_publish_book.h"
#include "support/scripted_transport.h"

namespace eilbote::test {

struct PublisherWorld {
  static constexpr int kMailLane = 1;
  static constexpr int kWebhookLane = 2;

  SystemClock clock;
  Metrics metrics;
  LivelyCare care;
  Instance instance{care, clock, "one", std::chrono::seconds{15}};
  FakeRegistry registry;
  PoolList pools{registry};
  MemoryPublishBook book;
  LanesOutbox outbox{book};
  ScriptedTransport transport;
  PublisherOptions options;
  std::unique_ptr<Publisher> publisher;

  PublisherWorld() {
    // What is not woken is not found within a test, unless it shortens these.
    options.pending_poll = options.retry_interval = std::chrono::hours{1};
    add_pool(std::string(kMailPool));
    add_pool(std::string(kWebhookPool));
    book.add_lane(kMailLane, ChannelKind::mail, std::string(kMailPool));
    book.add_lane(kWebhookLane, ChannelKind::webhook, std::string(kWebhookPool), "shop", "hooks.example.org");
    transport.answer_all_with(Carriage::confirmed);
    (void)instance.begin();
  }
  ~PublisherWorld() {
    publisher.reset();
    transport.stop();
  }

  void add_pool(const std::string& code, bool limited = false, PoolStatus status = PoolStatus::ACTIVE) {
    Pool pool;
    pool.code = code;
    pool.limited = limited;
    pool.status = status;
    registry.all_pools.push_back({static_cast<int>(registry.all_pools.size()) + 1, pool, {}});
    (void)pools.refresh();
  }
  void start() {
    publisher = make_publisher(outbox, book, care, transport, instance, pools, clock, metrics, options);
    transport.start({[] {}, [](std::vector<Arrival>) {}, [this] { publisher->wake_all(); }});
    publisher->start();
  }
  void wake(int lane) {
    const LaneId lanes[] = {LaneId{lane}};
    publisher->wake(lanes);
  }
};

}  // namespace eilbote::test
