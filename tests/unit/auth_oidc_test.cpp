// The authenticator with an issuer: keys found and read again, an issuer that is slow, away or wrong, floods of made-up
// kids, and what is remembered.
#include "auth/oidc.h"

#include <gtest/gtest.h>

#include <fstream>
#include <future>

#include "auth/token_cache.h"
#include "support/eventually.h"
#include "support/fake_issuer.h"
#include "support/temp_folder.h"

namespace eilbote::test::auth_oidc_test {
namespace {

using namespace std::chrono_literals;

// Time for tokens and for pauses; requests have the real one.
class OidcWorld {
 public:
  explicit OidcWorld(FakeIssuer& issuer, OidcOptions options = {}) : issuer_(issuer) {
    options.issuer = issuer.url();
    options.audience = "eilbote";
    auto made = make_oidc_authenticator(std::move(options), clock, metrics);
    if (!made) throw std::runtime_error(made.error().message);
    oidc = std::move(*made);
  }

  std::future<AuthResult> begin(const std::string& token) {
    auto promise = std::make_shared<std::promise<AuthResult>>();
    auto result = promise->get_future();
    oidc->authenticate(token, [promise](AuthResult came) { promise->set_value(std::move(came)); });
    return result;
  }
  // The client's name, or the fault's.
  std::string ask(const std::string& token) { return name_of(begin(token)); }
  static std::string name_of(std::future<AuthResult> result) {
    if (result.wait_for(30s) != std::future_status::ready) return "no answer";
    const AuthResult came = result.get();
    return came ? came->client.value() : std::string(kTokenFaultNames.text(came.error().fault));
  }
  std::string token(const SigningKey& key, const std::vector<Claim>& changes = {}) const {
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock.now().time_since_epoch()).count();
    return key.token(claims_json(issuer_.url(), "eilbote", now, changes));
  }
  bool is_ready() { return oidc->ready().has_value(); }
  bool gets_ready() {
    return eventually([&] { return is_ready(); });
  }

  FakeClock clock{SystemClock{}.now()};
  Metrics metrics;
  std::unique_ptr<OidcAuthenticator> oidc;

 private:
  FakeIssuer& issuer_;
};

class Oidc : public ::testing::Test {
 protected:
  void SetUp() override { issuer.publish({first.jwk()}); }
  FakeIssuer issuer;
  SigningKey first = SigningKey::ec("first"), second = SigningKey::ec("second");
};

TEST_F(Oidc, a_request_before_the_first_keys_waits_for_them) {
  OidcWorld world(issuer);
  EXPECT_EQ(world.ask(world.token(first)), "shop");
  EXPECT_EQ(issuer.key_reads(), 1);
  EXPECT_TRUE(world.is_ready());
}

TEST_F(Oidc, a_verified_token_is_remembered_until_it_expires) {
  OidcWorld world(issuer);
  const std::string token = world.token(first, {{"exp", ""}});
  const std::string good = world.token(first);
  EXPECT_EQ(world.ask(good), "shop");
  EXPECT_EQ(world.ask(token), "claims");
  EXPECT_EQ(world.ask(good), "shop");
  world.clock.advance(359s);
  EXPECT_EQ(world.ask(good), "shop") << "300 s and the skew are not over";
  world.clock.advance(1s);
  EXPECT_EQ(world.ask(good), "expired");
}

TEST_F(Oidc, a_token_signed_by_another_key_of_that_name_lets_nobody_in) {
  OidcWorld world(issuer);
  const SigningKey forger = SigningKey::ec("first");
  EXPECT_EQ(world.ask(world.token(forger)), "signature") << "it waited for the keys";
  EXPECT_EQ(world.ask(world.token(forger)), "signature");
  EXPECT_EQ(world.ask(world.token(first)), "shop");
  EXPECT_EQ(issuer.key_reads(), 1) << "no reason to read the keys again";
}

TEST_F(Oidc, a_new_key_is_found_when_a_token_names_it) {
  OidcWorld world(issuer);
  ASSERT_TRUE(world.gets_ready());
  issuer.publish({first.jwk(), second.jwk()});
  EXPECT_EQ(world.ask(world.token(second)), "shop");
  EXPECT_EQ(world.ask(world.token(first)), "shop");
  EXPECT_EQ(issuer.key_reads(), 2);
}

TEST_F(Oidc, a_key_that_came_while_keys_were_being_read_is_found_too) {
  OidcWorld world(issuer);
  ASSERT_TRUE(world.gets_ready());
  issuer.delay_keys(200ms);
  world.clock.advance(4min);
  world.oidc->tend();
  ASSERT_TRUE(eventually([&] { return issuer.key_reads() == 2; })) << "the old keys are on their way";
  issuer.publish({first.jwk(), second.jwk()});
  EXPECT_EQ(world.ask(world.token(second)), "shop");
  EXPECT_EQ(issuer.key_reads(), 3);
}

TEST_F(Oidc, a_flood_of_made_up_kids_reads_the_keys_once_in_ten_seconds) {
  OidcWorld world(issuer);
  ASSERT_TRUE(world.gets_ready());
  const int before = issuer.key_reads();
  const SigningKey forger = SigningKey::ec("forger");
  const auto flood = [&](const std::string& name) {
    for (int i = 0; i < 200; ++i) {
      const std::string header = R"({"alg":"ES256","kid":")" + name + std::to_string(i) + "\"}";
      EXPECT_EQ(world.ask(forger.token(header, "{}")), "unknown_key");
    }
  };
  flood("a");
  EXPECT_EQ(issuer.key_reads(), before + 1);
  EXPECT_EQ(world.ask(world.token(first)), "shop") << "nobody else is disturbed";
  world.clock.advance(10s);
  flood("b");
  EXPECT_EQ(issuer.key_reads(), before + 2);
}

TEST_F(Oidc, a_flood_at_once_waits_bounded) {
  OidcOptions options;
  options.waiting_max = 10;
  issuer.hang(true);
  options.fetch_timeout = 500ms;
  OidcWorld world(issuer, options);
  std::vector<std::future<AuthResult>> answers;
  answers.reserve(100);
  for (int i = 0; i < 100; ++i)
    answers.push_back(world.begin(world.token(first)));
  const auto at_once = std::count_if(answers.begin(), answers.end(), [](auto& answer) {
    return answer.wait_for(0s) == std::future_status::ready;
  });
  EXPECT_EQ(at_once, 90) << "the rest waits";
  for (auto& answer : answers)
    EXPECT_EQ(OidcWorld::name_of(std::move(answer)), "keys_away");
}

TEST_F(Oidc, without_an_issuer_nobody_is_let_in_until_it_is_there) {
  issuer.fail(true);
  OidcWorld world(issuer);
  EXPECT_EQ(world.ask(world.token(first)), "keys_away");
  EXPECT_FALSE(world.is_ready());
  EXPECT_EQ(world.ask(world.token(first)), "keys_away") << "and it is not asked by every request";
  EXPECT_EQ(issuer.reads(), 1);
  issuer.fail(false);
  world.clock.advance(1s);
  world.oidc->tend();
  EXPECT_EQ(world.ask(world.token(first)), "shop");
}

TEST_F(Oidc, known_keys_go_on_while_the_issuer_is_away) {
  OidcWorld world(issuer);
  ASSERT_TRUE(world.gets_ready());
  issuer.fail(true);
  for (int i = 0; i < 20; ++i) {
    world.clock.advance(10min);
    world.oidc->tend();
    EXPECT_EQ(world.ask(world.token(first)), "shop");
    EXPECT_TRUE(world.is_ready());
  }
  EXPECT_EQ(world.ask(world.token(second)), "keys_away") << "it may well be good";
}

TEST_F(Oidc, keys_are_read_again_before_they_are_old_and_old_ones_go) {
  OidcWorld world(issuer);
  ASSERT_TRUE(world.gets_ready());
  world.oidc->tend();
  EXPECT_EQ(issuer.key_reads(), 1);
  issuer.publish({second.jwk()});
  world.clock.advance(4min);
  world.oidc->tend();
  ASSERT_TRUE(eventually([&] { return issuer.key_reads() == 2; }));
  EXPECT_TRUE(eventually([&] { return world.ask(world.token(second)) == "shop"; }));
  EXPECT_EQ(world.ask(world.token(first)), "unknown_key");
}

TEST_F(Oidc, a_withdrawn_key_ends_what_is_remembered_of_it) {
  OidcWorld world(issuer);
  const std::string remembered = world.token(first, {{"exp", "9999999999"}});
  EXPECT_EQ(world.ask(remembered), "shop");
  issuer.publish({second.jwk()});
  EXPECT_EQ(world.ask(world.token(second)), "shop");
  EXPECT_EQ(world.ask(remembered), "shop") << "it is remembered for a while";
  world.clock.advance(5min);
  EXPECT_EQ(world.ask(remembered), "unknown_key");
}

struct WrongIssuer {
  const char* what;
  std::function<void(FakeIssuer&)> make;
};

TEST_F(Oidc, an_issuer_that_answers_wrongly_is_as_good_as_none) {
  const std::string other = SigningKey::ec("x").jwk();
  const WrongIssuer cases[] = {
      {"another's discovery",
       [](FakeIssuer& i) {
         i.discover(R"({"issuer":"https://evil.example","jwks_uri":")" + i.url() + "/keys\"}");
       }},
      {"keys over http elsewhere",
       [](FakeIssuer& i) {
         i.discover(R"({"issuer":")" + i.url() + R"(","jwks_uri":"http://keys.example/keys"})");
       }},
      {"no keys named", [](FakeIssuer& i) { i.discover(R"({"issuer":")" + i.url() + "\"}"); }},
      {"keys in a file",
       [](FakeIssuer& i) {
         i.discover(R"({"issuer":")" + i.url() + R"(","jwks_uri":"file:///etc/passwd"})");
       }},
      {"no JSON", [](FakeIssuer& i) { i.discover("<html>"); }},
      {"a redirect",
       [](FakeIssuer& i) { i.set_discovery(http_answer(302, "", "Location: " + i.url() + "/x\r\n")); }},
      {"keys too many bytes",
       [](FakeIssuer& i) { i.set_keys(http_answer(200, std::string(300 * 1024, ' '))); }},
      {"no usable key", [](FakeIssuer& i) { i.publish({R"({"kty":"oct","k":"AAAA"})"}); }},
      {"half an answer", [](FakeIssuer& i) { i.set_keys("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"); }},
      {"keys not found", [](FakeIssuer& i) { i.set_keys(http_answer(404)); }},
  };
  for (const WrongIssuer& wrong : cases) {
    FakeIssuer bad;
    bad.publish({first.jwk()});
    wrong.make(bad);
    OidcOptions options;
    options.fetch_timeout = 2s;
    OidcWorld world(bad, options);
    EXPECT_EQ(world.ask(world.token(first)), "keys_away") << wrong.what;
    EXPECT_FALSE(world.is_ready()) << wrong.what;
  }
}

TEST_F(Oidc, the_issuers_certificate_is_checked_against_the_file_given) {
  const TlsIdentity trusted("localhost"), stranger("localhost");
  FakeIssuer secure(&trusted);
  secure.publish({first.jwk()});
  TempFolder folder;
  std::ofstream(folder / "trusted.pem") << trusted.certificate();
  std::ofstream(folder / "stranger.pem") << stranger.certificate();
  OidcOptions options;
  options.ca_file = folder / "trusted.pem";
  OidcWorld good(secure, options);
  EXPECT_EQ(good.ask(good.token(first)), "shop");
  options.ca_file = folder / "stranger.pem";
  OidcWorld bad(secure, options);
  EXPECT_EQ(bad.ask(bad.token(first)), "keys_away");
}

TEST_F(Oidc, goes_away_while_requests_wait) {
  issuer.hang(true);
  std::future<AuthResult> waiting;
  {
    OidcWorld world(issuer);
    waiting = world.begin(world.token(first));
  }
  EXPECT_THROW(waiting.get(), std::future_error) << "dropped, not answered";
}

TEST_F(Oidc, once_stopped_drops_who_waits_and_still_knows_what_it_knew) {
  OidcWorld world(issuer);
  ASSERT_TRUE(world.gets_ready());
  issuer.hang(true);
  auto waiting = world.begin(world.token(second));
  world.oidc->stop();
  EXPECT_THROW(waiting.get(), std::future_error) << "dropped, not answered";
  EXPECT_EQ(world.ask(world.token(first)), "shop");
  EXPECT_EQ(world.ask(world.token(second)), "keys_away");
  world.clock.advance(1h);
  world.oidc->tend();
}

TEST(TokenCache, keeps_so_many_and_no_more) {
  TokenCache cache(3);
  const TimePoint now{};
  const auto key = [](int n) { return sha256(std::to_string(n)); };
  const auto has = [&](int n) { return cache.find(key(n), now).has_value(); };
  for (int n = 1; n <= 3; ++n)
    cache.add(key(n), {ClientName{std::to_string(n)}, "", {}}, now + 1s);
  EXPECT_TRUE(has(1));  // used last, so 2 is the oldest
  cache.add(key(4), {ClientName{"4"}, "", {}}, now + 1s);
  EXPECT_EQ(cache.size(), 3U);
  EXPECT_FALSE(has(2));
  EXPECT_TRUE(has(1) && has(3) && has(4));
  EXPECT_FALSE(cache.find(key(1), now + 1s)) << "over";
  EXPECT_EQ(cache.size(), 2U);
}

TEST(TokenCache, a_token_that_was_verified_twice_is_there_once) {
  TokenCache cache(3);
  const TimePoint now{};
  const auto key = sha256("token");
  cache.add(key, {ClientName{"first"}, "", {}}, now + 1s);
  cache.add(key, {ClientName{"second"}, "", {}}, now + 2s);
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(cache.find(key, now + 1s)->client.value(), "second");
}

}  // namespace
}  // namespace eilbote::test::auth_oidc_test
