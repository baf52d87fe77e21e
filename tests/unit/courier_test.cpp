// The courier with webhooks of a service account: what becomes of a job whose keys are refused, away or renewed, and of one whose
// content is gone.
#include "engine/courier.h"

#include <gtest/gtest.h>

#include "domain/delivery_codes.h"
#include "support/fake_registry.h"
#include "support/lively_care.h"
#include "support/scripted_channel.h"

namespace eilbote::test::courier_test {
namespace {

using namespace std::chrono_literals;

// Secrets by name. Renewals wait until the test lets them come back.
class SlowSecrets final : public SecretSource {
 public:
  std::map<std::string, std::string, std::less<>> all{{"env://TOKEN", "old"}};
  bool is_coming = false;
  std::vector<std::function<void()>> renewals;

  Result<Secret> resolve(std::string_view reference) override {
    const auto found = all.find(reference);
    if (found == all.end()) return fail(ErrorKind::unavailable, "away");
    return Secret(found->second);
  }
  std::optional<Result<Secret>> at_hand(std::string_view reference) override {
    if (is_coming) return std::nullopt;
    return resolve(reference);
  }
  void renew(std::string_view reference, Done done) override {
    renewals.push_back([this, name = std::string(reference), done] { done(resolve(name)); });
  }
};

// Keeps what it is given; the test answers.
class HeldHooks final : public WebhookChannel {
 public:
  std::vector<std::pair<WebhookDelivery, Done>> open;
  void deliver(WebhookDelivery delivery, Done done) override {
    open.emplace_back(std::move(delivery), std::move(done));
  }
  void release_waiting() override {}
};

DeliveryResult answered(int status, Verdict verdict) {
  DeliveryResult result;
  result.verdict = verdict;
  result.attempt_status = AttemptStatus::CLIENT_ERROR;
  result.response_code = status;
  result.code = "HTTP_" + std::to_string(status);
  result.text = "no";
  return result;
}

class CourierTest : public testing::Test {
 protected:
  CourierTest() {
    ServiceAccount account;
    account.id = JobId{1000};
    account.code = "acme";
    account.client_ids = {"shop"};
    account.credentials.auth_token_ref = "env://TOKEN";
    registry_.all_accounts.push_back(account);
    if (!instance_.begin()) throw std::runtime_error("no epoch");
    make({&hooks_, &book_});
  }
  void make(WebhookParts parts) {
    courier_ =
        std::make_unique<Courier>(mail_, parts, instance_, clock_, random_, metrics_, CourierRules{},
                                  [this](FinishedPtr finished) { told_.push_back(std::move(finished)); });
  }
  ClaimedJob claimed() const {
    ClaimedJob made;
    made.job.id = JobId{7};
    made.job.channel = ChannelKind::webhook;
    made.job.client = ClientName{"shop"};
    made.job.route = "hooks.example.org";
    made.job.status = JobStatus::dispatching;
    made.token = make_lease_token(instance_.epoch(), 1);
    return made;
  }
  void start(const std::string& account = "acme") {
    WebhookContent content;
    content.id = JobId{7};
    content.webhook.service_account_id = account;
    courier_->start(claimed(), std::move(content), false);
  }
  void answer(DeliveryResult result) { hooks_.open.at(0).second(std::move(result)); }
  // "CODE STATUS delay=SECONDS retries=N", or that nothing was told.
  std::string end() const {
    if (told_.size() != 1) return std::to_string(told_.size()) + " told";
    const Decision& decision = told_[0]->settlement.decision;
    const auto delay = std::chrono::duration_cast<std::chrono::seconds>(decision.delay.value_or(0s));
    return told_[0]->settlement.attempt->code + " " + std::string(kJobStatusNames.text(decision.status)) +
           " delay=" + std::to_string(delay.count()) + " retries=" + std::to_string(decision.retry_count);
  }

  FakeClock clock_;
  FixedRandom random_{0};
  Metrics metrics_;
  LivelyCare care_;
  Instance instance_{care_, clock_, "one", 15s};
  FakeRegistry registry_;
  SlowSecrets secrets_;
  CredentialBook book_{registry_, secrets_, clock_};
  ScriptedChannel mail_;
  HeldHooks hooks_;
  std::vector<FinishedPtr> told_;
  std::unique_ptr<Courier> courier_;
};

TEST_F(CourierTest, an_account_that_may_not_be_used_ends_the_job) {
  start("unknown");
  EXPECT_EQ(end(), "ACCOUNT_REFUSED failed delay=0 retries=1");
  EXPECT_TRUE(hooks_.open.empty());
}

TEST_F(CourierTest, without_accounts_a_job_that_names_one_ends) {
  make({&hooks_, nullptr});
  start();
  EXPECT_EQ(end(), "ACCOUNT_REFUSED failed delay=0 retries=1");
}

TEST_F(CourierTest, a_secret_that_is_away_burns_no_attempt) {
  secrets_.all.clear();
  start();
  EXPECT_EQ(end(), "SECRET_UNAVAILABLE queued delay=30 retries=0");
  EXPECT_TRUE(hooks_.open.empty());
}

TEST_F(CourierTest, a_secret_that_is_just_being_read_is_there_in_a_second) {
  secrets_.is_coming = true;
  start();
  EXPECT_EQ(end(), "SECRET_UNAVAILABLE queued delay=1 retries=0");
}

TEST_F(CourierTest, refused_keys_are_asked_for_afresh_and_newer_ones_tried) {
  for (const int status : {401, 403}) {
    told_.clear(), hooks_.open.clear(), secrets_.renewals.clear();
    secrets_.all["env://TOKEN"] = "old";
    book_.forget();
    clock_.advance(1h);
    start();
    ASSERT_EQ(hooks_.open.size(), 1U);
    EXPECT_EQ(hooks_.open[0].first.keys.authorization.reveal(), "Bearer old");
    answer(answered(status, Verdict::permanent));
    EXPECT_EQ(end(), "0 told") << "the secret store has not answered";
    ASSERT_EQ(secrets_.renewals.size(), 1U);
    secrets_.all["env://TOKEN"] = "new";
    secrets_.renewals[0]();
    EXPECT_EQ(end(), "CREDENTIALS_RENEWED queued delay=1 retries=0") << status;
    EXPECT_EQ(told_[0]->settlement.attempt->response_code, status);
  }
}

TEST_F(CourierTest, refused_keys_that_are_the_newest_leave_what_the_endpoint_said) {
  start();
  answer(answered(401, Verdict::permanent));
  secrets_.renewals.at(0)();
  EXPECT_EQ(end(), "HTTP_401 failed delay=0 retries=1");
}

TEST_F(CourierTest, other_answers_do_not_ask_for_keys) {
  start();
  answer(answered(404, Verdict::permanent));
  EXPECT_EQ(end(), "HTTP_404 failed delay=0 retries=1");
  EXPECT_TRUE(secrets_.renewals.empty());
}

TEST_F(CourierTest, a_secret_store_may_answer_when_the_courier_is_gone) {
  start();
  answer(answered(401, Verdict::permanent));
  courier_.reset();
  secrets_.renewals.at(0)();
  EXPECT_TRUE(told_.empty());
}

TEST_F(CourierTest, a_job_whose_content_is_gone_ends_on_record) {
  courier_->give_up(claimed(), true);
  EXPECT_EQ(end(), "CONTENT_GONE failed delay=0 retries=1");
  EXPECT_TRUE(told_[0]->probe) << "its host's breaker waits for this";
  EXPECT_EQ(told_[0]->route, "hooks.example.org");
}

TEST_F(CourierTest, a_lease_of_an_earlier_epoch_is_not_ours_any_more) {
  start();
  const auto still_mine = hooks_.open.at(0).first.still_mine;
  EXPECT_TRUE(still_mine());
  ASSERT_TRUE(instance_.begin());
  EXPECT_FALSE(still_mine());
}

}  // namespace
}  // namespace eilbote::test::courier_test
