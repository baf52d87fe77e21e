// Addresses of RabbitMQ.
#include "transport/amqp_url.h"

#include <gtest/gtest.h>

namespace eilbote::test::amqp_url_test {
namespace {

TEST(AmqpUrl, has_what_it_says_and_defaults_for_the_rest) {
  struct Case {
    const char* url;
    const char* shown;
    const char* password;
    int heartbeat;
  };
  const Case cases[] = {
      {"amqp://broker", "amqp://guest@broker:5672/%2F", "", 20},
      {"amqps://broker/", "amqps://guest@broker:5671/%2F", "", 20},
      {"amqp://mailer@broker.example:5673/orders", "amqp://mailer@broker.example:5673/orders", "", 20},
      {"amqp://m%40il:p%3A%2F%40@broker/%2F", "amqp://m%40il@broker:5672/%2F", "p:/@", 20},
      {"amqp://m:a:b@c@10.0.0.1/a%2Fb", "amqp://m@10.0.0.1:5672/a%2Fb", "a:b@c", 20},
      {"amqp://[2001:db8::1]:5000/x?heartbeat=60", "amqp://guest@[2001:db8::1]:5000/x", "", 60},
      {"amqp://rabbit_1?heartbeat=5", "amqp://guest@rabbit_1:5672/%2F", "", 5},
  };
  for (const Case& c : cases) {
    const auto url = parse_amqp_url(c.url);
    ASSERT_TRUE(url) << c.url << ": " << url.error().message;
    EXPECT_EQ(url->shown(), c.shown);
    EXPECT_EQ(url->password.reveal(), c.password) << c.url;
    EXPECT_EQ(url->heartbeat.count(), c.heartbeat) << c.url;
    EXPECT_EQ(url->tls, std::string_view(c.url).starts_with("amqps"));
  }
}

TEST(AmqpUrl, says_what_is_wrong_without_the_password) {
  struct Case {
    const char* url;
    const char* says;
  };
  const Case cases[] = {
      {"http://broker", "amqp://"},
      {"amqp://", "host name"},
      {"amqp://:hush-hush@broker", "user"},
      {"amqp://mailer:@broker", "password"},
      {"amqp://mailer:hush-hush%@broker", "%"},
      {"amqp://mailer:hush-hush%00@broker", "zero"},
      {"amqp://mailer:hush-hush@", "host name"},
      {"amqp://mailer:hush-hush@bro ker", "host name"},
      {"amqp://mailer:hush-hush@broker:0", "port"},
      {"amqp://mailer:hush-hush@broker:65536", "port"},
      {"amqp://mailer:hush-hush@broker:", "port"},
      {"amqp://[::1", "]"},
      {"amqp://[nothing]", "IPv6"},
      {"amqp://[::1]5672", ":PORT"},
      {"amqp://mailer:hush-hush@broker/a/b", "%2F"},
      {"amqp://mailer:hush-hush@broker#x", "%23"},
      {"amqp://broker?heartbeat=4", "heartbeat"},
      {"amqp://broker?heartbeat=301", "heartbeat"},
      {"amqp://broker?heartbeat", "heartbeat"},
      {"amqp://broker?heartbeat=20&verify=verify_none", "'verify'"},
      {"amqp://broker?connection_timeout=5", "'connection_timeout'"},
  };
  for (const Case& c : cases) {
    const auto url = parse_amqp_url(c.url);
    ASSERT_FALSE(url) << c.url;
    EXPECT_NE(url.error().message.find(c.says), std::string::npos) << c.url << ": " << url.error().message;
    EXPECT_EQ(url.error().message.find("hush"), std::string::npos) << url.error().message;
  }
  EXPECT_FALSE(parse_amqp_url("amqp://" + std::string(3000, 'a')));
  EXPECT_FALSE(parse_amqp_url("amqp://" + std::string(256, 'u') + "@broker"));
}

}  // namespace
}  // namespace eilbote::test::amqp_url_test
