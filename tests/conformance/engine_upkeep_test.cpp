// Upkeep on both stores: what it counts is what it moved.
#include "engine/upkeep.h"

#include "metrics/metrics.h"
#include "support/eventually.h"
#include "support/outbox_fixture.h"
#include "support/webhook_builder.h"

namespace eilbote::test::engine_upkeep_test {
namespace {

EILBOTE_ON_BOTH_STORES(EngineUpkeep);

TEST_P(EngineUpkeep, CountsADeadWebhookAmongTheDeadAndNotAmongTheMails) {
  accepted(new_mail().expiring_at(now() + hours{1}));
  for (int i = 0; i < 2; ++i)
    accepted(WebhookBuilder(new_id()).expiring_at(now() + hours{1}));
  travel(hours{2});

  const SystemClock process;
  Metrics metrics;
  Instance instance(care(), process, "one", seconds{15});
  must(instance.begin());
  const auto upkeep = make_upkeep(care(), instance, process, metrics, {}, [](std::span<const LaneId>) {});
  upkeep->start();
  const auto shows = [&metrics](const char* line) {
    return metrics.render().find(line) != std::string::npos;
  };
  EXPECT_TRUE(eventually([&] { return shows("eilbote_dead_total{reason=\"Expired\"} 3\n"); }));
  upkeep->stop();
  EXPECT_TRUE(shows("eilbote_messages_failed_total 1\n")) << metrics.render();
}

}  // namespace
}  // namespace eilbote::test::engine_upkeep_test
