// What is measured around the store: which errors count, under which label, and once; how long accepts and exchanges take.
#include "store/measured_outbox.h"

#include <gtest/gtest.h>

#include <functional>

#include "store/measured_store.h"
#include "support/answering_store.h"
#include "support/fake_registry.h"
#include "support/metric_value.h"

namespace eilbote::test::measured_outbox_test {
namespace {

using std::chrono::milliseconds;

const std::string kAmbiguous = R"(eilbote_store_errors_total{kind="ambiguous"})";
const std::string kUnavailable = R"(eilbote_store_errors_total{kind="unavailable"})";

struct Operation {
  const char* name;
  std::function<bool(Store&)> call;  // whether it worked
};

template <class T>
bool worked(const Result<T>& result) {
  return result.has_value();
}

const std::vector<Operation>& outbox_operations() {
  static const std::vector<Operation> all{
      {"accept", [](Store& s) { return worked(s.outbox->accept({}, AcceptRun::first)); }},
      {"exchange", [](Store& s) { return worked(s.outbox->exchange({})); }},
      {"load_contents", [](Store& s) { return worked(s.outbox->load_contents({}, {})); }},
      {"active_lanes", [](Store& s) { return worked(s.outbox->active_lanes()); }},
      {"find", [](Store& s) { return worked(s.outbox->find(JobId{1}, std::nullopt)); }},
      {"history", [](Store& s) { return worked(s.outbox->history(JobId{1})); }},
      {"list", [](Store& s) { return worked(s.outbox->list({})); }},
      {"act", [](Store& s) { return worked(s.outbox->act({}, ActRequest{})); }},
      {"check", [](Store& s) { return worked(s.outbox->check()); }},
  };
  return all;
}

const std::vector<Operation>& other_operations() {
  static const std::vector<Operation> all{
      {"start_instance", [](Store& s) { return worked(s.care->start_instance("one", Duration{1})); }},
      {"heartbeat", [](Store& s) { return worked(s.care->heartbeat(Epoch{1}, Duration{1}, true)); }},
      {"take_turn", [](Store& s) { return worked(s.care->take_turn("chore", Epoch{1}, Duration{1})); }},
      {"end_instance", [](Store& s) { return worked(s.care->end_instance(Epoch{1})); }},
      {"reconcile", [](Store& s) { return worked(s.care->reconcile(Epoch{1}, {})); }},
      {"orphans", [](Store& s) { return worked(s.care->orphans("", 1)); }},
      {"rescue", [](Store& s) { return worked(s.care->rescue({})); }},
      {"sweep", [](Store& s) { return worked(s.care->sweep({})); }},
      {"stats", [](Store& s) { return worked(s.care->stats()); }},
      {"untold", [](Store& s) { return worked(s.feed->untold(1)); }},
      {"told", [](Store& s) { return worked(s.feed->told({})); }},
      {"publish_round", [](Store& s) { return worked(s.publishing->publish_round({})); }},
      {"release_unheld", [](Store& s) { return worked(s.publishing->release_unheld(Epoch{1}, {})); }},
      {"pause_lanes", [](Store& s) { return worked(s.publishing->pause_lanes({}, Duration{1})); }},
      {"paused_lanes", [](Store& s) { return worked(s.publishing->paused_lanes()); }},
      {"untold_dead", [](Store& s) { return worked(s.publishing->untold_dead(1)); }},
      {"told_dead", [](Store& s) { return worked(s.publishing->told_dead({})); }},
  };
  return all;
}

class MeasuredOutbox : public ::testing::Test {
 protected:
  MeasuredOutbox() {
    Store real;
    real.outbox = std::make_unique<AnsweringOutbox>(answer_);
    real.care = std::make_unique<AnsweringCare>(answer_);
    real.feed = std::make_unique<AnsweringFeed>(answer_);
    real.publishing = std::make_unique<AnsweringPublishing>(answer_);
    auto registry = std::make_unique<FakeRegistry>();
    registry_ = registry.get();
    real.registry = std::move(registry);
    store_ = make_measured_store(std::move(real), metrics_, clock_);
  }
  double value(const std::string& line) const { return metric_value(metrics_, line).value_or(0); }
  // Of all labels, so that an error under an unknown one is seen as well.
  static int error_labels(const Metrics& metrics) {
    const std::string text = metrics.render();
    int lines = 0;
    for (std::size_t at = 0; (at = text.find("\neilbote_store_errors_total{", at)) != std::string::npos; ++at)
      ++lines;
    return lines;
  }

  FakeClock clock_;
  Metrics metrics_;
  StoreAnswer answer_{clock_};
  FakeRegistry* registry_ = nullptr;
  Store store_;
};

TEST_F(MeasuredOutbox, counts_an_error_by_its_kind) {
  struct Case {
    const char* name;
    ErrorKind kind;
    double ambiguous, unavailable;
  };
  const std::vector<Case> cases{
      {"the link died around a commit", ErrorKind::ambiguous, 1, 0},
      {"the database is away", ErrorKind::unavailable, 0, 1},
      {"a queue is full", ErrorKind::overloaded, 0, 1},
      {"a broken installation", ErrorKind::internal, 0, 1},
      {"a refused row has a count of its own", ErrorKind::rejected_data, 0, 0},
      {"the caller's fault", ErrorKind::invalid, 0, 0},
      {"not there", ErrorKind::not_found, 0, 0},
      {"in another state", ErrorKind::conflict, 0, 0},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    Metrics metrics;
    const StoreAnswer answer{clock_, one.kind};
    const auto outbox = make_measured_outbox(std::make_unique<AnsweringOutbox>(answer), metrics, clock_);
    const auto failed = outbox->check();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, one.kind) << "the answer stays what it was";
    EXPECT_EQ(metric_value(metrics, kAmbiguous).value_or(0), one.ambiguous);
    EXPECT_EQ(metric_value(metrics, kUnavailable).value_or(0), one.unavailable);
    EXPECT_EQ(error_labels(metrics), one.ambiguous + one.unavailable) << "and under no other label";
  }
}

TEST_F(MeasuredOutbox, counts_an_error_of_every_operation_once) {
  double so_far = 0;
  for (const auto* operations : {&outbox_operations(), &other_operations()})
    for (const Operation& operation : *operations) {
      SCOPED_TRACE(operation.name);
      answer_.error = std::nullopt;
      EXPECT_TRUE(operation.call(store_));
      EXPECT_EQ(value(kUnavailable), so_far) << "it worked";
      answer_.error = ErrorKind::unavailable;
      EXPECT_FALSE(operation.call(store_));
      EXPECT_EQ(value(kUnavailable), ++so_far);
    }
  EXPECT_EQ(value(kAmbiguous), 0);
}

TEST_F(MeasuredOutbox, counts_the_registrys_errors_too) {
  ASSERT_TRUE(store_.registry->accounts());
  EXPECT_EQ(value(kUnavailable), 0);
  registry_->away = true;
  EXPECT_FALSE(store_.registry->accounts());
  EXPECT_FALSE(store_.registry->schemas());
  EXPECT_EQ(value(kUnavailable), 2);
}

TEST_F(MeasuredOutbox, times_each_accept_and_each_exchange_once) {
  struct Case {
    const char* name;
    const char* histogram;
    std::function<bool(Store&)> call;
  };
  const std::vector<Case> cases{
      {"accept", "eilbote_intake_commit_seconds", outbox_operations()[0].call},
      {"exchange", "eilbote_exchange_seconds", outbox_operations()[1].call},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const std::string count = std::string(one.histogram) + "_count",
                      sum = std::string(one.histogram) + "_sum";
    answer_.error = std::nullopt;
    answer_.takes = milliseconds{250};
    EXPECT_TRUE(one.call(store_));
    EXPECT_EQ(value(count), 1);
    EXPECT_DOUBLE_EQ(value(sum), 0.25);
    answer_.takes = milliseconds{500};
    EXPECT_TRUE(one.call(store_));
    EXPECT_EQ(value(count), 2);
    EXPECT_DOUBLE_EQ(value(sum), 0.75);
    answer_.error = ErrorKind::unavailable;
    EXPECT_FALSE(one.call(store_));
    EXPECT_EQ(value(count), 2) << "a call that failed is an error, not a time";
  }
}

TEST_F(MeasuredOutbox, times_nothing_else) {
  answer_.takes = milliseconds{250};
  for (std::size_t i = 2; i < outbox_operations().size(); ++i)
    EXPECT_TRUE(outbox_operations()[i].call(store_)) << outbox_operations()[i].name;
  for (const Operation& operation : other_operations())
    EXPECT_TRUE(operation.call(store_)) << operation.name;
  EXPECT_EQ(value("eilbote_intake_commit_seconds_count"), 0);
  EXPECT_EQ(value("eilbote_exchange_seconds_count"), 0);
}

}  // namespace
}  // namespace eilbote::test::measured_outbox_test
