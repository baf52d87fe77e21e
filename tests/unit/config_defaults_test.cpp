// What the option table sets when nobody sets anything is what the parts would do by themselves: an option's default is
// written in the table for people, and again in the struct it fills, for whoever makes the part without a configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/api.h"
#include "app/options.h"
#include "auth/oidc.h"
#include "base/duration.h"
#include "config/loader.h"
#include "config/option.h"
#include "engine/ledger.h"
#include "engine/publisher.h"
#include "engine/upkeep.h"
#include "store/store.h"
#include "transport/transport.h"

namespace eilbote::config_defaults_test {
namespace {

using testing::HasSubstr;

Config defaults() {
  ConfigSources sources;
  sources.surroundings = {"mail-1.example.org", false};
  return load_config(sources).config;
}

const Option& option(std::string_view key) {
  for (const Option& row : option_table())
    if (row.key == key) return row;
  throw std::runtime_error("there is no option " + std::string(key));
}

TEST(ConfigDefaults, are_those_of_what_mails_and_jobs_may_be) {
  const Config c = defaults();
  EXPECT_EQ(c.mail_limits, MailLimits{})
      << "option_table.cpp (EILBOTE_RECIPIENTS_MAX, _ATTACHMENT_*) and domain/mail.h";
  EXPECT_EQ(c.webhook_limits, WebhookLimits{}) << "option_table.cpp (EILBOTE_WEBHOOK_*) and domain/webhook.h";
  EXPECT_EQ(c.retry, RetryPolicy{}) << "option_table.cpp (DISPATCH_*) and domain/retry_policy.h";
  EXPECT_EQ(c.expires_after, ApiSettings{}.expires_after) << "EILBOTE_EXPIRES_AFTER and api/api.h";
}

TEST(ConfigDefaults, are_those_of_the_relay) {
  const Config c = defaults();
  for (const SmtpOptions& relay : {c.smtp, c.smtp_fallback}) {
    EXPECT_EQ(relay.timeouts, SmtpTimeouts{})
        << relay.route << ": EILBOTE_SMTP_*_TIMEOUT and domain/smtp_options.h";
    EXPECT_EQ(relay.connections_max, SmtpOptions{}.connections_max) << relay.route;
    EXPECT_EQ(relay.mails_per_connection_max, SmtpOptions{}.mails_per_connection_max) << relay.route;
    EXPECT_EQ(relay.mails_per_second_max, SmtpOptions{}.mails_per_second_max) << relay.route;
    EXPECT_EQ(relay.connect_retries, SmtpOptions{}.connect_retries) << relay.route;
    EXPECT_EQ(relay.auth_failure, SmtpOptions{}.auth_failure) << relay.route;
  }
}

TEST(ConfigDefaults, are_those_of_graph) {
  const GraphOptions got = defaults().graph, want;
  EXPECT_EQ(got.mode, want.mode);
  EXPECT_EQ(got.batch_max, want.batch_max);
  EXPECT_EQ(got.mailbox_concurrency, want.mailbox_concurrency);
  EXPECT_EQ(got.mailbox_per_minute, want.mailbox_per_minute);
  EXPECT_EQ(got.timeout, want.timeout);
  EXPECT_EQ(got.recheck, want.recheck);
  EXPECT_EQ(got.poll_every, want.poll_every);
  EXPECT_EQ(got.message_trace, want.message_trace);
  EXPECT_EQ(got.subscription_life, want.subscription_life);
}

TEST(ConfigDefaults, are_those_of_the_listener) {
  const Config c = defaults();
  HttpServerOptions want;
  want.port = c.listen.port;  // the one thing that has no default of its own
  const HttpServerOptions got = http_options(c, nullptr);
  EXPECT_EQ(got.host, want.host);
  EXPECT_EQ(got.body_bytes_max, want.body_bytes_max);
  EXPECT_EQ(got.header_bytes_max, want.header_bytes_max);
  EXPECT_EQ(got.connections_max, want.connections_max);
  EXPECT_EQ(got.connections_per_peer_max, want.connections_per_peer_max);
  EXPECT_TRUE(got == want) << "some EILBOTE_HTTP_* option and its field in net/http_server.h";
}

TEST(ConfigDefaults, are_those_of_the_engine) {
  const Config c = defaults();
  EXPECT_EQ(c.lease, UpkeepOptions{}.lease);
  EXPECT_EQ(c.lease, LedgerOptions{}.lease);
  EXPECT_EQ(c.foreign_lease, UpkeepOptions{}.foreign_lease);
  EXPECT_EQ(c.retention, UpkeepOptions{}.retention);
  EXPECT_EQ(c.retention_dead, UpkeepOptions{}.retention_dead);
  EXPECT_EQ(c.uncertain_delay, CourierRules{}.uncertain_delay);
  EXPECT_EQ(c.uncertain_delay, AttemptRules{}.uncertain_delay);
  EXPECT_EQ(c.breaker_probe, BreakerRules{}.probe_every);
  EXPECT_EQ(c.webhooks_per_host_max, RouteRules{}.requests_per_host_max);
  EXPECT_EQ(c.dispatch == DispatchMode::continuous, LedgerOptions{}.continuous);
}

TEST(ConfigDefaults, are_those_of_the_adapters) {
  const Config c = defaults();
  EXPECT_EQ(c.store_connections, StoreOptions{}.connections);
  EXPECT_EQ(c.oidc.keys_life, OidcOptions{}.keys_life);
  EXPECT_EQ(c.secrets.ttl, SecretCacheRules{}.ttl);
  EXPECT_EQ(c.secrets.stale_max, SecretCacheRules{}.stale_max);
  const SecretOptions own, filled = secret_options(c, nullptr);
  EXPECT_EQ(filled.vault.timeout, own.vault.timeout);
  EXPECT_EQ(filled.aws.timeout, own.aws.timeout);
  EXPECT_EQ(filled.gcp.timeout, own.gcp.timeout);
}

TEST(ConfigDefaults, are_those_of_the_scheduler_and_its_transport) {
  const TransportConfig got = defaults().transport;
  const PublisherOptions publisher;
  EXPECT_EQ(got.depth_max, publisher.depth_max);
  EXPECT_EQ(got.retries_apart, publisher.retries_apart);
  EXPECT_EQ(got.pending_poll, publisher.pending_poll);
  EXPECT_EQ(got.retry_interval, publisher.retry_interval);
  EXPECT_EQ(got.stale_published, SweepParams{}.stale_published);
  EXPECT_EQ(got.url, TransportOptions{}.url);
  EXPECT_EQ(got.prefetch, TransportOptions{}.prefetch);
  EXPECT_EQ(got.retries_apart, TransportOptions{}.retries_apart);
}

TEST(ConfigDefaults, the_pools_that_are_always_there_are_those_jobs_are_in) {
  std::vector<std::string> codes;
  for (const Pool& pool : defaults().pools)
    codes.push_back(pool.code);
  EXPECT_THAT(codes, testing::UnorderedElementsAre(kMailPool, kWebhookPool));
}

// The help repeats the default schedule and its length, as text.
TEST(ConfigDefaults, the_help_tells_the_default_schedule) {
  std::string waits;
  for (const auto wait : kDefaultSchedule)
    waits += (waits.empty() ? "" : ",") + duration_text(wait);
  // People say a day as hours here, beside the other hours.
  const auto days = waits.rfind("1d");
  ASSERT_NE(days, std::string::npos);
  waits.replace(days, 2, "24h");
  EXPECT_THAT(std::string(option("DISPATCH_BACKOFF_SCHEDULE").help),
              HasSubstr("`default` is " + waits + "."));
  EXPECT_EQ(option("DISPATCH_MAX_ATTEMPTS").computed_text, std::to_string(RetryPolicy{}.attempts_max) + "; " +
                                                               std::to_string(kDefaultScheduleAttempts) +
                                                               " with a schedule");
}

}  // namespace
}  // namespace eilbote::config_defaults_test
