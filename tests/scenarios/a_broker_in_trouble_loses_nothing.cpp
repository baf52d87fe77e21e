// RabbitMQ is stopped, killed, loses its queues, takes nothing for want of memory, and its connections are cut around a confirm
// and stalled: work is accepted all the while, no job is lost, none is started twice for one attempt, a second message for an
// attempt is counted, and everything is delivered when the trouble is over.
#include <gtest/gtest.h>

#include "support/amqp_proxy.h"
#include "support/broker_scenario.h"
#include "support/eventually.h"
#include "support/history_checker.h"
#include "support/hook_receiver.h"
#include "support/job_api.h"
#include "support/job_load.h"
#include "support/rabbit_server.h"
#include "support/test_scale.h"

namespace eilbote::test::a_broker_in_trouble_loses_nothing {
namespace {

using namespace std::chrono_literals;

class ABrokerInTrouble : public BrokerScenario {
 protected:
  // A load goes through an instance and a worker, `trouble` happens in the middle of it, and all is well in the end. Nothing of
  // Eilbote or its database is touched, so the checker allows no delivery that is not on record.
  template <class Trouble>
  void survive(Trouble trouble, Settings settings = {}) {
    const int jobs = scaled(3'000, 300);
    settings.try_emplace("EILBOTE_STALE_PUBLISHED_SECONDS", "3");
    front_ = start_server("all", settings, "front");
    worker_ = start_server("worker", settings, "worker");
    JobLoad load({.jobs = jobs, .receiver_url = receiver_.url()}, history_);
    load.serve_at({front_->url()});
    ASSERT_TRUE(load.acknowledged(jobs / 3));
    trouble();
    ASSERT_TRUE(load.acknowledged(jobs)) << "work is accepted, whatever the broker does";
    load.finish();
    expect_all_well();
  }

  bool nothing_waits(RawSql& sql) {
    return sql.rows("SELECT 1 FROM outbox WHERE status NOT IN ('sent', 'failed', 'cancelled') LIMIT 1")
        .empty();
  }

  void expect_all_well() {
    const auto sql = open_sql();
    EXPECT_TRUE(eventually([&] { return nothing_waits(*sql); }, 120s, 200ms))
        << sql->rows("SELECT status || ' ' || count(*) FROM outbox GROUP BY status").at(0).at(0);
    add_stored(*sql, history_);
    add_captured({front_->capture_folder(), worker_->capture_folder()}, history_);
    const HistoryVerdict verdict = expect_history_holds(history_);
    EXPECT_EQ(verdict.dead, 0);
    EXPECT_EQ(verdict.duplicates, 0) << verdict.page();

    // Every message beyond one for each attempt was counted as such, or was put back for want of room.
    const double attempts = std::stod(sql->rows("SELECT count(*) FROM attempts")[0][0]);
    EXPECT_LE(metric("eilbote_broker_published_total", "send"),
              attempts + metric("eilbote_broker_republished_total") +
                  metric("eilbote_broker_messages_total", R"(outcome="put-back")"));
    EXPECT_TRUE(eventually(
        [&] { return metric("eilbote_broker_messages_total", R"(outcome="started")") == attempts; }));
    EXPECT_EQ(metric("eilbote_settle_stale_total"), 0);
    EXPECT_EQ(metric("eilbote_lease_losses_total"), 0);
    EXPECT_EQ(worker_->stop(), 0);
    EXPECT_EQ(front_->stop(), 0);
    EXPECT_EQ(broker().depth(CarrierQueue::mail_send), 0);
    EXPECT_EQ(broker().depth(CarrierQueue::webhook_send), 0);
  }

  // Of both together.
  double metric(const std::string& name, const std::string& labels = "") const {
    return MailApi(*front_).metric(name, labels) + MailApi(*worker_).metric(name, labels);
  }

  // A webhook that comes while the broker takes nothing.
  void expect_accepted_as_pending() {
    const HttpReply reply =
        front_->post("/dispatch-jobs", job_json("http://127.0.0.1:8080/nobody", R"(,"maxRetries":1)"));
    EXPECT_EQ(reply.status, 201) << reply.body;
    const json::value job = json::parse(reply.body);
    EXPECT_EQ(text_at(job, "/status"), "PENDING") << reply.body;
    EXPECT_EQ(front_->post("/dispatch-jobs/" + text_at(job, "/id") + "/cancel", "").status, 200);
    const HttpReply ready = front_->get("/health/ready");
    EXPECT_EQ(ready.status, 200);
    EXPECT_EQ(text_at(json::parse(ready.body), "/status"), "degraded");
  }

  // A broker tells only those who publish that it takes nothing, so jobs come until it has.
  void expect_blocked() {
    EXPECT_TRUE(eventually(
        [&] {
          EXPECT_EQ(front_->post("/dispatch-jobs", job_json(receiver_.url())).status, 201);
          return MailApi(*front_).metric("eilbote_broker_connected") == 0;
        },
        60s, 50ms))
        << "a broker that takes nothing is as good as away";
  }

  // A connection is cut where something is published: jobs come until it was.
  void cut(AmqpProxy& proxy, AmqpCut where) {
    const int before = proxy.cuts();
    proxy.cut_next(where);
    EXPECT_TRUE(eventually(
        [&] {
          EXPECT_EQ(front_->post("/dispatch-jobs", job_json(receiver_.url())).status, 201);
          return proxy.cuts() > before;
        },
        60s, 50ms));
    EXPECT_TRUE(gets_connected(*front_));
  }

  History history_;
  HookReceiver receiver_{history_, 1ms};
  std::unique_ptr<EilboteProcess> front_, worker_;
};
INSTANTIATE_TEST_SUITE_P(Brokers, ABrokerInTrouble,
                         testing::Values(BrokerCase{BrokerKind::rabbitmq, StoreKind::postgres}),
                         broker_case_name);

TEST_P(ABrokerInTrouble, that_is_stopped_and_started) {
  survive([&] {
    rabbit().stop();
    ASSERT_TRUE(gets_connected(*front_, false));
    expect_accepted_as_pending();
    rabbit().start();
    ASSERT_TRUE(gets_connected(*front_));
  });
}

TEST_P(ABrokerInTrouble, that_is_killed_three_times) {
  survive([&] {
    for (int kill = 0; kill < 3; ++kill) {
      rabbit().kill();
      rabbit().start();
      ASSERT_TRUE(gets_connected(*front_));
    }
  });
}

TEST_P(ABrokerInTrouble, whose_queues_are_deleted_with_all_in_them) {
  survive([&] {
    for (const char* queue : {"dispatch.jobs.send", "email.dispatcher.send"})
      email_dispatcher({"delete", broker().url(), queue});
  });
}

TEST_P(ABrokerInTrouble, that_blocks_publishers_for_want_of_memory) {
  survive([&] {
    rabbit().set_memory_alarm(true);
    expect_blocked();
    expect_accepted_as_pending();
    rabbit().set_memory_alarm(false);
    ASSERT_TRUE(gets_connected(*front_));
  });
}

TEST_P(ABrokerInTrouble, whose_confirms_are_cut_off) {
  AmqpProxy proxy(rabbit().port());
  survive(
      [&] {
        cut(proxy, AmqpCut::before_confirm);
        EXPECT_TRUE(eventually([&] {
          return metric("eilbote_broker_publish_failed_total", R"(reason="unknown")") >= 1;
        })) << "the broker has it, and nobody heard so";
        cut(proxy, AmqpCut::before_publish);
        cut(proxy, AmqpCut::before_confirm);
        EXPECT_GE(metric("eilbote_broker_reconnects_total"), 3);
      },
      {{"EILBOTE_TRANSPORT_URL", broker().url(proxy.port())}});
}

TEST_P(ABrokerInTrouble, whose_network_stalls) {
  AmqpProxy proxy(rabbit().port());
  survive(
      [&] {
        proxy.stall(true);
        expect_blocked();
        expect_accepted_as_pending();
        proxy.stall(false);
        ASSERT_TRUE(gets_connected(*front_));
      },
      {{"EILBOTE_TRANSPORT_URL", broker().url(proxy.port())}});
}

}  // namespace
}  // namespace eilbote::test::a_broker_in_trouble_loses_nothing
