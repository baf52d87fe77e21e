// Everything with a thread, made, used from several threads and ended, many times over: what was handed in is answered as
// its contract says, nothing is called afterwards, and no end hangs. Under ThreadSanitizer this is where races of a start
// with a stop show. The engine's parts, which need a store, are in conformance/engine_start_stop_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "api/worker_pool.h"
#include "channel/capture.h"
#include "domain/otlp_endpoint.h"
#include "domain/tsid.h"
#include "metrics/metrics.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "net/name_pool.h"
#include "secrets/secrets.h"
#include "support/echo_handler.h"
#include "support/loopback_listener.h"
#include "support/metric_value.h"
#include "support/silent_wakeups.h"
#include "support/temp_folder.h"
#include "tracing/otlp_exporter.h"
#include "transport/transport.h"

namespace eilbote::test::start_stop_test {
namespace {

constexpr int kLives = 30;
constexpr int kThreads = 3;
constexpr int kCallsEach = 20;

// Calls `use` from several threads at once, kCallsEach times each.
template <class Use>
void from_several_threads(Use use) {
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCallsEach; ++i)
        use(t * kCallsEach + i);
    });
}

TEST(StartStop, a_worker_pool_drops_what_has_not_begun_and_runs_nothing_afterwards) {
  for (int life = 0; life < kLives; ++life) {
    std::atomic<int> runs{0}, taken{0};
    {
      WorkerPool pool(2, 1000);
      from_several_threads([&](int) {
        if (pool.submit([&] { ++runs; })) ++taken;
      });
    }
    const int at_the_end = runs;
    EXPECT_LE(at_the_end, taken);
    EXPECT_EQ(taken, kThreads * kCallsEach);
  }
}

TEST(StartStop, a_capture_channel_answers_every_delivery_once_even_when_it_ends) {
  const TempFolder folder;
  Metrics metrics;
  std::int64_t id = 0;
  for (int life = 0; life < kLives; ++life) {
    std::vector<std::atomic<int>> answers(kThreads * kCallsEach);
    auto channel = make_capture_channel({folder / "captured", false}, metrics);
    ASSERT_TRUE(channel) << channel.error().message;
    const std::int64_t first = id;
    id += kThreads * kCallsEach;
    from_several_threads([&](int n) {
      MailDelivery delivery;
      delivery.job.id = JobId{first + n + 1};
      delivery.content.id = delivery.job.id;
      delivery.content.mime = "Subject: hello\r\n\r\nhello\r\n";
      delivery.content.recipients = {{RecipientKind::to, "a@example.org", RecipientStatus::waiting, ""}};
      delivery.still_mine = [] { return true; };
      (*channel)->deliver(std::move(delivery),
                          [&, n](const DeliveryResult&) { ++answers[static_cast<std::size_t>(n)]; });
    });
    channel->reset();
    for (const std::atomic<int>& times : answers)
      EXPECT_EQ(times, 1);
  }
}

TEST(StartStop, a_name_pool_tells_nobody_after_its_end) {
  for (int life = 0; life < kLives; ++life) {
    std::atomic<bool> is_gone{false};
    std::atomic<int> told_too_late{0};
    {
      NamePool pool([](const std::string&) -> tl::expected<Addresses, LookupFault> { return Addresses{}; },
                    {},
                    [&](const std::string&, const tl::expected<Addresses, LookupFault>&) {
                      if (is_gone) ++told_too_late;
                    });
      from_several_threads([&](int n) { pool.begin("host-" + std::to_string(n) + ".example"); });
    }
    is_gone = true;
    EXPECT_EQ(told_too_late, 0);
  }
}

TEST(StartStop, an_http_client_ends_with_calls_and_errands_under_way) {
  for (int life = 0; life < kLives; ++life) {
    HttpClientOptions options;
    options.lookup = [](const std::string&) -> tl::expected<Addresses, LookupFault> {
      return tl::unexpected(LookupFault{true, "no such name"});
    };
    auto client = make_http_client(options);
    ASSERT_TRUE(client) << client.error().message;
    std::vector<std::atomic<int>> answers(kThreads * kCallsEach);
    from_several_threads([&](int n) {
      HttpCall call;
      call.url = "http://nobody.example/";
      call.host = "nobody.example";
      call.port = 80;
      (*client)->send(std::move(call), [&, n](HttpAnswer) { ++answers[static_cast<std::size_t>(n)]; });
      if (n % 7 == 0) (*client)->release_waiting();
    });
    client->reset();
    for (const std::atomic<int>& times : answers)
      EXPECT_LE(times, 1) << "what is under way at the end is dropped, and never answered twice";
  }
}

TEST(StartStop, an_http_server_may_be_stopped_at_any_time_and_twice) {
  EchoHandler handler;
  for (int life = 0; life < kLives; ++life) {
    const auto server = make_http_server({}, handler, nullptr);
    if (life % 3 == 0) server->stop();  // before it was started
    ASSERT_TRUE(server->start());
    EXPECT_NE(server->port(), 0);
    if (life % 2 == 0) server->stop_accepting();
    server->stop();
    server->stop();
  }
}

// The one address is closed; at the other one somebody listens and says nothing.
TEST(StartStop, an_exporter_of_traces_counts_every_span_once_even_when_it_ends) {
  const LoopbackListener silent;
  const SystemClock clock;
  SystemRandom random;
  const auto secrets = make_secret_source();
  for (int life = 0; life < kLives; ++life) {
    Metrics metrics;
    OtlpOptions options;
    options.url =
        parse_otlp_endpoint("http://127.0.0.1:" + std::to_string(life % 2 == 0 ? 1 : silent.port())).value();
    options.spans_max = kCallsEach;
    options.batch_wait = options.last_words_max = std::chrono::milliseconds{1};
    auto exporter = make_otlp_exporter(options, {*secrets, metrics, clock, random});
    ASSERT_TRUE(exporter) << exporter.error().message;
    from_several_threads([&](int call) {
      (*exporter)->record({});
      if (call == kCallsEach) (*exporter)->stop();
    });
    (*exporter)->stop();
    const auto counted = [&](const std::string& outcome) {
      return metric_value(metrics, "eilbote_trace_spans_total{outcome=\"" + outcome + "\"}").value_or(0);
    };
    EXPECT_EQ(counted("dropped") + counted("failed"), kThreads * kCallsEach);
  }
}

// As above.
TEST(StartStop, a_broker_that_is_away_answers_every_batch_once) {
  const LoopbackListener silent;
  for (int life = 0; life < kLives; ++life) {
    Metrics metrics;
    SilentWakeUps wakeups;
    const SystemClock clock;
    std::vector<std::atomic<int>> answers(kThreads * kCallsEach);
    TransportOptions options;
    options.url = "amqp://127.0.0.1:" + std::to_string(life % 2 == 0 ? 1 : silent.port());
    options.consumes = {CarrierQueue::mail_send};
    auto transport = make_transport(options, wakeups, metrics, clock);
    ASSERT_TRUE(transport) << transport.error().message;
    (*transport)->start({[] {}, [](std::vector<Arrival>) {}, [] {}});
    from_several_threads([&](int call) {
      (*transport)->publish({Parcel{}}, [&answers, call](const std::vector<Carriage>& carriages) {
        EXPECT_EQ(carriages, std::vector{Carriage::refused});
        ++answers[static_cast<std::size_t>(call)];
      });
      if (call == kCallsEach) (*transport)->stop();
      (*transport)->acknowledge(std::vector<Receipt>{7});
      EXPECT_FALSE((*transport)->state().connected);
    });
    (*transport)->stop();
    for (const auto& count : answers)
      EXPECT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace eilbote::test::start_stop_test
