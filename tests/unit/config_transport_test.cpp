// The options of the transport and of the roles: what they come to, and what is refused with what reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/loader.h"
#include "config/reference.h"

namespace eilbote::config_transport_test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Variables = std::map<std::string, std::string>;

LoadedConfig load(const Variables& variables, const Variables& flags = {}) {
  ConfigSources sources;
  sources.environment = variables;
  sources.flags = flags;
  sources.surroundings = {"mail-1.example.org", false};
  return load_config(sources);
}

TEST(ConfigTransport, is_the_database_when_nobody_says_otherwise) {
  const auto loaded = load({});
  EXPECT_THAT(loaded.faults, IsEmpty());
  const TransportConfig& transport = loaded.config.transport;
  EXPECT_FALSE(transport.is_broker());
  EXPECT_EQ(transport.url, "database:");
  EXPECT_EQ(loaded.config.role, Role::all);
}

TEST(ConfigTransport, takes_every_option) {
  const auto loaded = load({{"EILBOTE_TRANSPORT_URL", "amqps://mailer@rabbit.example.org:5671/mail"},
                            {"EILBOTE_TRANSPORT_PASSWORD_REF", "env://RABBIT"},
                            {"EILBOTE_TRANSPORT_CA_FILE", "/etc/ca.pem"},
                            {"EILBOTE_TRANSPORT_RETRIES_APART", "on"},
                            {"EILBOTE_TRANSPORT_DEPTH_MAX", "50"},
                            {"EILBOTE_TRANSPORT_PREFETCH", "7"},
                            {"EILBOTE_STALE_PUBLISHED_SECONDS", "30"},
                            {"EILBOTE_PENDING_POLL_SECONDS", "2"},
                            {"DISPATCH_RETRY_INTERVAL_SECONDS", "9"}});
  EXPECT_THAT(loaded.faults, IsEmpty());
  const TransportConfig& transport = loaded.config.transport;
  EXPECT_TRUE(transport.is_broker());
  EXPECT_EQ(transport.url, "amqps://mailer@rabbit.example.org:5671/mail");
  EXPECT_EQ(transport.password_ref, "env://RABBIT");
  EXPECT_EQ(transport.ca_file, "/etc/ca.pem");
  EXPECT_TRUE(transport.retries_apart);
  EXPECT_EQ(transport.depth_max, 50);
  EXPECT_EQ(transport.prefetch, 7);
  EXPECT_EQ(transport.stale_published, 30s);
  EXPECT_EQ(transport.pending_poll, 2s);
  EXPECT_EQ(transport.retry_interval, 9s);
}

TEST(ConfigTransport, the_role_is_a_flag_and_a_variable) {
  EXPECT_EQ(load({}, {{"--role", "worker"}}).config.role, Role::worker);
  Variables variables;
  variables["EILBOTE_ROLE"] = "scheduler";
  const auto loaded = load(variables);
  EXPECT_THAT(loaded.faults, IsEmpty());
  EXPECT_EQ(loaded.config.role, Role::scheduler);
  variables["EILBOTE_ROLE"] = "boss";
  EXPECT_THAT(load(variables).faults,
              ElementsAre(AllOf(HasSubstr("EILBOTE_ROLE"), HasSubstr("all, api, worker, scheduler"))));
}

TEST(ConfigTransport, urls_that_are_right) {
  for (const char* url :
       {"database:", "amqp://rabbit", "amqp://rabbit:5672", "amqp://rabbit:5672/", "amqp://rabbit/mail%2Fone",
        "amqps://[::1]:5671/mail?heartbeat=30", "sqs://eu-central-1", "sqs://us-gov-west-1/123456789012",
        "sqs://eu-central-1?prefix=prod-&fifo=true&create=false",
        "sqs://eu-central-1/123456789012?create=true"})
    EXPECT_THAT(load({{"EILBOTE_TRANSPORT_URL", url}}).faults, IsEmpty()) << url;
}

TEST(ConfigTransport, urls_that_are_wrong_are_told_what_would_be_right) {
  struct Case {
    const char *url, *says;
  };
  const Case cases[] = {
      {"rabbitmq://host", "must be database:, amqp://USER@HOST:PORT/VHOST"},
      {"database:x", "must be database:"},
      {"amqp://", "must name the broker's host"},
      {"amqp://:5672", "must name the broker's host"},
      {"amqp:///mail", "must name the broker's host"},
      {"amqp://@rabbit", "no user before the '@'"},
      {"amqp://:hunter2@rabbit", "no user before the '@'"},
      {"sqs://", "sqs://REGION"},
  };
  for (const Case& c : cases)
    EXPECT_THAT(load({{"EILBOTE_TRANSPORT_URL", c.url}}).faults,
                ElementsAre(AllOf(HasSubstr("EILBOTE_TRANSPORT_URL: "), HasSubstr(c.says))))
        << c.url;
}

TEST(ConfigTransport, a_user_and_a_password_belong_together) {
  struct Case {
    const char *url, *reference, *says;
  };
  const Case cases[] = {
      {"amqp://me@rabbit", "", "say with EILBOTE_TRANSPORT_PASSWORD_REF where the password is"},
      {"amqp://rabbit", "env://PW", "EILBOTE_TRANSPORT_URL names no user"},
      {"database:", "env://PW", "EILBOTE_TRANSPORT_URL names no user"},
      {"amqp://me:hunter2@rabbit", "env://PW", "take it out of the URL"},
  };
  for (const Case& c : cases) {
    const auto faults =
        load({{"EILBOTE_TRANSPORT_URL", c.url}, {"EILBOTE_TRANSPORT_PASSWORD_REF", c.reference}}).faults;
    EXPECT_THAT(faults, ElementsAre(HasSubstr(c.says))) << c.url;
  }
  EXPECT_THAT(load({{"EILBOTE_TRANSPORT_URL", "amqp://me:hunter2@rabbit"}}).faults, IsEmpty());
  EXPECT_THAT(load({{"EILBOTE_TRANSPORT_PASSWORD_REF", "hunter2"}}).faults,
              Contains(AllOf(HasSubstr("EILBOTE_TRANSPORT_PASSWORD_REF"), Not(HasSubstr("hunter2")))));
}

TEST(ConfigTransport, a_url_that_is_wrong_is_one_fault) {
  EXPECT_THAT(load({{"EILBOTE_TRANSPORT_URL", "amqq://me@rabbit"},
                    {"EILBOTE_TRANSPORT_PASSWORD_REF", "env://PW"},
                    {"EILBOTE_TRANSPORT_CA_FILE", "/ca.pem"}})
                  .faults,
              ElementsAre(HasSubstr("EILBOTE_TRANSPORT_URL: must be")));
}

TEST(ConfigTransport, certificates_are_of_use_with_tls_only) {
  EXPECT_THAT(
      load({{"EILBOTE_TRANSPORT_URL", "amqp://rabbit"}, {"EILBOTE_TRANSPORT_CA_FILE", "/ca.pem"}}).faults,
      ElementsAre(AllOf(HasSubstr("EILBOTE_TRANSPORT_CA_FILE"), HasSubstr("amqps://"))));
  EXPECT_THAT(
      load({{"EILBOTE_TRANSPORT_URL", "sqs://eu-central-1"}, {"EILBOTE_TRANSPORT_CA_FILE", "/ca.pem"}})
          .faults,
      IsEmpty());
}

TEST(ConfigTransport, its_password_is_never_shown) {
  const auto loaded = load({{"EILBOTE_TRANSPORT_URL", "amqp://me:hunter2@rabbit:5672/mail"}});
  EXPECT_THAT(effective_text(loaded),
              AllOf(HasSubstr("amqp://me:****@rabbit:5672/mail"), Not(HasSubstr("hunter2"))));
  for (const char* url : {"amqp://me:hunter2@", "amqp://:hunter2@rabbit", "amqq://me:hunter2@rabbit"})
    EXPECT_THAT(load({{"EILBOTE_TRANSPORT_URL", url}}).faults, ElementsAre(Not(HasSubstr("hunter2")))) << url;
}

TEST(ConfigTransport, the_allowed_schemes_hold_for_its_password_too) {
  const auto in_url =
      load({{"EILBOTE_SECRET_SCHEMES", "file"}, {"EILBOTE_TRANSPORT_URL", "amqp://me:hunter2@rabbit"}});
  EXPECT_THAT(in_url.faults, ElementsAre(AllOf(HasSubstr("EILBOTE_TRANSPORT_URL: has a password in it"),
                                               HasSubstr("set EILBOTE_TRANSPORT_PASSWORD_REF"))));
  const auto by_reference = load({{"EILBOTE_SECRET_SCHEMES", "file"},
                                  {"EILBOTE_TRANSPORT_URL", "amqp://me@rabbit"},
                                  {"EILBOTE_TRANSPORT_PASSWORD_REF", "env://PW"}});
  EXPECT_THAT(by_reference.faults,
              ElementsAre(HasSubstr("EILBOTE_TRANSPORT_PASSWORD_REF: is a env:// reference")));
}

}  // namespace
}  // namespace eilbote::config_transport_test
