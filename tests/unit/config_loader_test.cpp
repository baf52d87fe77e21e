// The loader: order of the sources, every kind of bad value, unknown names with the nearest right one.
#include "config/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "config/toml_file.h"
#include "domain/mail.h"

namespace eilbote::config_loader_test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A TOML file that is gone when the test is over.
class TomlOnDisk {
 public:
  explicit TomlOnDisk(const std::string& text) {
    path_ = std::filesystem::temp_directory_path() / ("eilbote-config-" + std::to_string(getpid()) + ".toml");
    std::ofstream(path_) << text;
  }
  ~TomlOnDisk() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

ConfigSources environment(std::map<std::string, std::string> variables) {
  ConfigSources sources;
  sources.environment = std::move(variables);
  sources.surroundings = {"mail-1.example.org", false};
  return sources;
}

TEST(ConfigLoader, defaults_are_those_of_the_specification) {
  const auto loaded = load_config(environment({}));
  EXPECT_THAT(loaded.faults, IsEmpty());
  const Config& c = loaded.config;
  EXPECT_EQ(c.listen, (ListenAddress{"127.0.0.1", 8925}));
  EXPECT_EQ(c.data_dir, "./eilbote-data");
  EXPECT_EQ(c.store_url, "sqlite:./eilbote-data/eilbote.db");
  EXPECT_EQ(c.capture_dir, "./eilbote-data/captured");
  EXPECT_EQ(c.message_id_domain, "mail-1.example.org");
  EXPECT_EQ(c.lease, 15s);
  EXPECT_EQ(c.foreign_lease, 300s);
  EXPECT_EQ(c.uncertain_delay, 10min);
  EXPECT_EQ(c.expires_after, std::chrono::days{5});
  EXPECT_EQ(c.retention, std::chrono::days{30});
  EXPECT_EQ(c.retention_dead, std::chrono::days{90});
  EXPECT_EQ(c.shutdown_grace, 20s);
  EXPECT_EQ(c.breaker_probe, 30s);
  EXPECT_EQ(c.http_body_bytes_max, 32U << 20);
  EXPECT_EQ(c.http_budget_bytes, 64U << 20);
  EXPECT_EQ(c.log_format, log::Format::json);
  EXPECT_EQ(c.retry, RetryPolicy{});
  EXPECT_EQ(c.mail_limits.recipients_max, 1000U);
  EXPECT_EQ(c.mail_limits.attachments_max, 20U);
  EXPECT_EQ(c.mail_limits.attachment_bytes_max, 3U << 20);
  EXPECT_EQ(c.mail_limits.attachments_bytes_max, 10U << 20);
  ASSERT_EQ(c.pools.size(), 2U);
  EXPECT_EQ(c.pools[0].code, "mail");
  EXPECT_EQ(c.pools[0].concurrency, 256);
  EXPECT_FALSE(c.pools[0].limited);
  EXPECT_EQ(c.pools[1].code, "webhook");
  EXPECT_EQ(c.pools[1].concurrency, 4096);
}

TEST(ConfigLoader, flag_wins_over_environment_over_file_over_default) {
  const TomlOnDisk file("[dispatch]\nlease_seconds = 20\n[http]\nthreads = 2\n[store]\nconnections = 9\n");
  auto sources = environment({{"EILBOTE_LEASE_SECONDS", "30"}, {"EILBOTE_HTTP_THREADS", "3"}});
  sources.file = file.path();
  sources.flags = {{"--lease-seconds", "40"}};
  const auto loaded = load_config(sources);
  EXPECT_THAT(loaded.faults, IsEmpty());
  EXPECT_EQ(loaded.config.lease, 40s);
  EXPECT_EQ(loaded.config.http_threads, 3);
  EXPECT_EQ(loaded.config.store_connections, 9);
  for (const auto& setting : loaded.settings) {
    if (setting.option->key == "EILBOTE_LEASE_SECONDS") {
      EXPECT_EQ(setting.origin, Origin::flag);
    }
    if (setting.option->key == "EILBOTE_HTTP_THREADS") {
      EXPECT_EQ(setting.origin, Origin::environment);
    }
    if (setting.option->key == "EILBOTE_STORE_CONNECTIONS") {
      EXPECT_EQ(setting.origin, Origin::file);
      EXPECT_EQ(setting.where, file.path() + ":6");
    }
    if (setting.option->key == "EILBOTE_LISTEN") {
      EXPECT_EQ(setting.origin, Origin::fallback);
    }
  }
}

TEST(ConfigLoader, defaults_follow_what_they_depend_on) {
  const auto moved = load_config(environment({{"EILBOTE_DATA_DIR", "/var/lib/eilbote"}}));
  EXPECT_EQ(moved.config.store_url, "sqlite:/var/lib/eilbote/eilbote.db");
  EXPECT_EQ(moved.config.capture_dir, "/var/lib/eilbote/captured");
  EXPECT_EQ(load_config(environment({{"EILBOTE_STORE_URL", "sqlite:"}})).config.store_url,
            "sqlite:./eilbote-data/eilbote.db");

  const auto scheduled = load_config(environment({{"DISPATCH_BACKOFF_SCHEDULE", "default"}}));
  EXPECT_EQ(scheduled.config.retry.strategy, RetryStrategy::schedule);
  EXPECT_EQ(scheduled.config.retry.schedule, default_schedule());
  EXPECT_EQ(scheduled.config.retry.attempts_max, 8);
  const auto own =
      load_config(environment({{"DISPATCH_BACKOFF_SCHEDULE", "1m,5m"}, {"DISPATCH_MAX_ATTEMPTS", "3"}}));
  EXPECT_THAT(own.config.retry.schedule, ElementsAre(60s, 300s));
  EXPECT_EQ(own.config.retry.attempts_max, 3);

  auto terminal = environment({});
  terminal.surroundings = {"Bad_Host name.", true};
  EXPECT_EQ(load_config(terminal).config.log_format, log::Format::text);
  EXPECT_EQ(load_config(terminal).config.message_id_domain, "bad-host-name");
  terminal.surroundings.host_name = "";
  EXPECT_EQ(load_config(terminal).config.message_id_domain, "localhost");
}

TEST(ConfigLoader, a_bad_value_is_refused_with_its_key_and_what_would_be_right) {
  struct Case {
    const char* key;
    const char* value;
    const char* says;
  };
  const Case cases[] = {
      {"EILBOTE_LISTEN", "8925", "HOST:PORT"},
      {"EILBOTE_LISTEN", "127.0.0.1:70000", "HOST:PORT"},
      {"EILBOTE_LISTEN", "::1:8925", "[::1]:8925"},
      {"EILBOTE_LISTEN", ":8925", "HOST:PORT"},
      {"EILBOTE_LISTEN", "0.0.0.0:8925", "anyone could send mail"},
      {"EILBOTE_LISTEN", "[::]:8925", "anyone could send mail"},
      {"EILBOTE_LISTEN", "127.evil.example:8925", "anyone could send mail"},
      {"EILBOTE_OIDC_ISSUER", "https://idp.example.org", "EILBOTE_AUTH is 'off'"},
      {"EILBOTE_OIDC_ISSUER", "http://idp.example.org", "must begin with https://"},
      {"EILBOTE_OIDC_ISSUER", "http://127.evil.example", "must begin with https://"},
      {"EILBOTE_OIDC_ISSUER", "https://idp.example.org/?realm=shop", "no query"},
      {"EILBOTE_OIDC_ISSUER", "idp.example.org", "http"},
      {"EILBOTE_OIDC_KEYS_LIFE", "1s", "10s to 1d"},
      {"EILBOTE_METRICS_LISTEN", "9090", "HOST:PORT"},
      {"EILBOTE_AUTH", "none", "off, oidc"},
      {"EILBOTE_MAIL_PROVIDER", "smtp", "EILBOTE_SMTP_URL: must name the relay"},
      {"EILBOTE_SMTP_URL", "relay.example.org", "smtp://user@host:port"},
      {"EILBOTE_SMTP_URL", "smtp://me@relay", "say with EILBOTE_SMTP_PASSWORD_REF where the password is"},
      {"EILBOTE_SMTP_PASSWORD_REF", "env://PW", "EILBOTE_SMTP_URL names no user"},
      {"EILBOTE_SMTP_FALLBACK_URL", "smtp://me:hunter2@relay", "a password does not belong into the URL"},
      {"EILBOTE_SMTP_CONNECT_RETRIES", "5s,,30s", "'none' or up to 20 durations"},
      {"EILBOTE_SMTP_AUTH_FAILURE", "ignore", "wait, fail"},
      {"EILBOTE_MAIL_PROVIDER", "pigeon", "capture, smtp, graph"},
      {"EILBOTE_HTTP_THREADS", "0", "from 1 to 64"},
      {"EILBOTE_HTTP_THREADS", "two", "from 1 to 64"},
      {"EILBOTE_HTTP_THREADS", "2.5", "from 1 to 64"},
      {"EILBOTE_HTTP_BODY_BYTES_MAX", "32MB", "32MiB"},
      {"EILBOTE_HTTP_BODY_BYTES_MAX", "100MiB", "EILBOTE_HTTP_BODY_BYTES_MAX"},
      {"EILBOTE_HTTP_BUDGET_BYTES", "9999999999999999999", "number of bytes"},
      {"EILBOTE_UNCERTAIN_DELAY", "soon", "must be a duration"},
      {"EILBOTE_EXPIRES_AFTER", "400d", "1s to 365d"},
      {"EILBOTE_STORE_URL", "mysql://x", "postgresql://"},
      {"EILBOTE_STORE_PASSWORD_REF", "hunter2", "not the secret itself"},
      {"EILBOTE_STORE_PASSWORD_REF", "env://PW", "SQLite has no password"},
      {"EILBOTE_STORE_LISTEN_URL", "postgresql://db/x", "is for PostgreSQL"},
      {"EILBOTE_SECRET_SCHEMES", "vault,ftp", "of: env, file, systemd, encrypted, vault"},
      {"EILBOTE_SECRET_TTL", "0s", "1s to 1d"},
      {"EILBOTE_VAULT_ADDR", "vault.example.org", "must be https://HOST"},
      {"EILBOTE_VAULT_ADDR", "https://vault.example.org", "needs exactly one login"},
      {"EILBOTE_VAULT_TOKEN_REF", "hvs.token", "must be env://NAME, file://PATH or systemd://NAME"},
      {"EILBOTE_VAULT_TOKEN_REF", "vault://a#b", "must be env://NAME, file://PATH or systemd://NAME"},
      {"EILBOTE_VAULT_SECRET_ID_REF", "env://X", "EILBOTE_VAULT_ROLE_ID, which is not set"},
      {"EILBOTE_DATA_KEY_REF", "encrypted://QUJD", "cannot be encrypted under itself"},
      {"EILBOTE_DATA_KEY_REF", "vault://keys#data", "say with EILBOTE_VAULT_ADDR"},
      {"EILBOTE_MESSAGE_ID_DOMAIN", "a b", "must be a domain"},
      {"EILBOTE_LOG", "xml", "text, json"},
      {"DISPATCH_BACKOFF_JITTER", "1.5", "0.0 to 1.0"},
      {"DISPATCH_BACKOFF_JITTER", "nan", "0.0 to 1.0"},
      {"DISPATCH_BACKOFF_SCHEDULE", "1m,,5m", "'default' or a list"},
      {"DISPATCH_MAX_ATTEMPTS", "101", "from 1 to 100"},
  };
  for (const auto& c : cases) {
    const auto faults = load_config(environment({{c.key, c.value}})).faults;
    ASSERT_EQ(faults.size(), 1U) << c.key << "=" << c.value;
    EXPECT_THAT(faults[0], HasSubstr(c.key)) << c.value;
    EXPECT_THAT(faults[0], HasSubstr(c.says)) << c.value;
  }
}

// What EILBOTE_SECRET_SCHEMES=vault makes of the other options; nothing: it starts.
TEST(ConfigLoader, secrets_come_only_from_where_they_may) {
  struct Case {
    std::map<std::string, std::string> options;
    const char* says;
  };
  const Case cases[] = {
      {{}, nullptr},
      {{{"EILBOTE_DATA_KEY_REF", "vault://keys#data"}}, nullptr},
      {{{"EILBOTE_DATA_KEY_REF", "env://KEY"}},
       "EILBOTE_DATA_KEY_REF: is a env:// reference, and EILBOTE_SECRET_SCHEMES allows vault:// only"},
      {{{"EILBOTE_DATA_KEY_REF", "file:///key"}}, "is a file:// reference"},
      {{{"EILBOTE_DATA_KEY_REF", "aws-sm://key"}}, "is a aws-secretsmanager:// reference"},
      {{{"EILBOTE_STORE_URL", "postgresql://me@db/x"}}, nullptr},
      {{{"EILBOTE_STORE_URL", "postgresql://me:hunter2@db/x"}},
       "EILBOTE_STORE_URL: has a password in it, and EILBOTE_SECRET_SCHEMES allows secrets from vault:// "
       "only"},
      {{{"EILBOTE_STORE_URL", "postgresql://me@db/x?password=hunter2"}}, "has a password in it"},
      {{{"EILBOTE_STORE_URL", "postgresql://me@db/x"}, {"EILBOTE_STORE_PASSWORD_REF", "env://PW"}},
       "EILBOTE_STORE_PASSWORD_REF: is a env:// reference"},
  };
  for (const Case& one : cases) {
    // What Vault itself is opened with cannot come from it.
    std::map<std::string, std::string> all{{"EILBOTE_SECRET_SCHEMES", "vault"},
                                           {"EILBOTE_VAULT_ADDR", "https://vault.example.org"},
                                           {"EILBOTE_VAULT_TOKEN_REF", "env://TOKEN"}};
    all.insert(one.options.begin(), one.options.end());
    const auto faults = load_config(environment(all)).faults;
    ASSERT_EQ(faults.size(), one.says == nullptr ? 0U : 1U) << testing::PrintToString(faults);
    if (one.says == nullptr) continue;
    EXPECT_THAT(faults[0], HasSubstr(one.says));
    EXPECT_THAT(faults[0], testing::Not(HasSubstr("hunter2")));
  }
}

TEST(ConfigLoader, an_open_door_matters_only_to_who_listens) {
  ConfigSources sources = environment({{"EILBOTE_LISTEN", "0.0.0.0:8925"}});
  EXPECT_THAT(load_config(sources).faults, ElementsAre(HasSubstr("EILBOTE_LISTEN")));
  sources.listens = false;
  EXPECT_THAT(load_config(sources).faults, IsEmpty()) << "eilbote migrate in an image";
}

TEST(ConfigLoader, a_secret_is_not_repeated_in_a_fault) {
  const auto faults = load_config(environment({{"EILBOTE_STORE_PASSWORD_REF", "hunter2"},
                                               {"EILBOTE_STORE_URL", "mysql://me:hunter2@db"}}))
                          .faults;
  ASSERT_EQ(faults.size(), 2U);
  for (const auto& fault : faults)
    EXPECT_THAT(fault, testing::Not(HasSubstr("hunter2")));
}

TEST(ConfigLoader, unknown_names_are_refused_with_the_nearest_right_one) {
  const TomlOnDisk file("[server]\nlistne = \"127.0.0.1:1\"\n");
  auto sources =
      environment({{"EILBOTE_LEASE_SECOND", "1"}, {"DISPATCH_MAX_ATEMPTS", "1"}, {"PATH", "/bin"}});
  sources.flags = {{"--store-ulr", "x"}};
  sources.file = file.path();
  const auto faults = load_config(sources).faults;
  EXPECT_EQ(faults.size(), 4U);
  EXPECT_THAT(faults, Contains(HasSubstr("EILBOTE_LEASE_SECOND; did you mean EILBOTE_LEASE_SECONDS?")));
  EXPECT_THAT(faults, Contains(HasSubstr("DISPATCH_MAX_ATEMPTS; did you mean DISPATCH_MAX_ATTEMPTS?")));
  EXPECT_THAT(faults, Contains(HasSubstr("--store-ulr; did you mean --store-url?")));
  EXPECT_THAT(faults, Contains(HasSubstr(":2: unknown key server.listne; did you mean server.listen?")));
}

TEST(ConfigLoader, variables_of_others_are_left_alone) {
  const auto loaded = load_config(environment({{"EILBOTE_SERVER", "http://x"},
                                               {"EILBOTE_TEST_SCALE", "0.1"},
                                               {"EILBOTE_SERVICE_HOST", "10.0.0.1"},
                                               {"EILBOTE_SERVICE_PORT_HTTP", "80"},
                                               {"EILBOTE_PORT", "tcp://10.0.0.1:80"},
                                               {"EILBOTE_PORT_80_TCP_ADDR", "10.0.0.1"},
                                               {"EILBOTE_STORE_URL", "postgresql://db/x"},
                                               {"EILBOTE_STORE_PASSWORD_REF", "env://EILBOTE_DB_PASSWORD"},
                                               {"EILBOTE_DB_PASSWORD", "hunter2"}}));
  EXPECT_THAT(loaded.faults, IsEmpty());
}

TEST(ConfigLoader, an_empty_value_counts_as_not_given) {
  const auto loaded = load_config(environment({{"EILBOTE_LISTEN", ""}, {"EILBOTE_STORE_URL", ""}}));
  EXPECT_THAT(loaded.faults, IsEmpty());
  EXPECT_EQ(loaded.config.listen.port, 8925);
  EXPECT_EQ(loaded.config.store_url, "sqlite:./eilbote-data/eilbote.db");
}

TEST(ConfigLoader, a_missing_file_is_a_fault_and_an_empty_one_is_not) {
  auto sources = environment({});
  sources.file = "/does/not/exist.toml";
  EXPECT_THAT(load_config(sources).faults, ElementsAre(HasSubstr("/does/not/exist.toml")));
  const TomlOnDisk empty("");
  sources.file = empty.path();
  EXPECT_THAT(load_config(sources).faults, IsEmpty());
}

TEST(ConfigToml, pools_are_read_with_their_limits) {
  const auto file = read_toml_text(
      "[pools.bulk]\nrate_limit_per_minute = 600\nburst = 10\nconcurrency = 8\nname = \"Bulk\"\n"
      "[pools.off]\nstatus = \"SUSPENDED\"\n",
      "a.toml");
  EXPECT_THAT(file.faults, IsEmpty());
  ASSERT_EQ(file.pools.size(), 2U);
  const Pool& bulk = file.pools[0];
  EXPECT_EQ(bulk.code, "bulk");
  EXPECT_EQ(bulk.name, "Bulk");
  EXPECT_EQ(bulk.rate_limit_per_minute, 600);
  EXPECT_EQ(bulk.burst, 10);
  EXPECT_EQ(bulk.concurrency, 8);
  EXPECT_TRUE(bulk.limited);
  EXPECT_EQ(file.pools[1].status, PoolStatus::SUSPENDED);
  EXPECT_FALSE(file.pools[1].limited);
}

TEST(ConfigToml, faults_name_the_line_and_what_would_be_right) {
  struct Case {
    const char* text;
    const char* says;
  };
  const Case cases[] = {
      {"[server\n", "a.toml:1:"},
      {"[a]\n[.b]\n", "a.toml:2:"},
      {"[a]\n[\x01"
       "b = 1\n",
       "a.toml:2:"},
      {"[pools.bulk]\nconcurency = 1\n",
       "a.toml:2: unknown key pools.bulk.concurency; did you mean concurrency?"},
      {"[pools.bulk]\nconcurrency = 0\n", "pools.bulk.concurrency must be a whole number from 1"},
      {"[pools.bulk]\nrate_limit_per_minute = \"many\"\n", "must be a whole number"},
      {"[pools.bulk]\nstatus = \"PAUSED\"\n", "ACTIVE, SUSPENDED"},
      {"[pools.Bulk]\nburst = 1\n", "a pool's name"},
      {"[pools.-bulk]\nburst = 1\n", "a pool's name"},
      {"[pools.bulk]\nname = \"\"\n", "pools.bulk.name must be 1 to 100 characters"},
      {"pools = 3\n[server]\nlisten = 1979-05-27\n", "server.listen must be a text"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(read_toml_text(c.text, "a.toml").faults, Contains(HasSubstr(c.says))) << c.text;
}

// What the file sets, PUT /dispatch-pools can write back.
TEST(ConfigToml, a_pool_may_have_what_the_api_allows_and_no_more) {
  const auto pool = [](const std::string& key, int value) {
    return read_toml_text("[pools.bulk]\n" + key + " = " + std::to_string(value) + "\n", "a.toml");
  };
  const std::pair<const char*, int> limits[] = {{"rate_limit_per_minute", kPoolRateMax},
                                                {"burst", kPoolBurstMax},
                                                {"concurrency", kPoolConcurrencyMax}};
  for (const auto& [key, most] : limits) {
    EXPECT_THAT(pool(key, most).faults, IsEmpty()) << key;
    EXPECT_THAT(check_pool(pool(key, most).pools.at(0)), IsEmpty()) << key;
    EXPECT_THAT(pool(key, most + 1).faults, ElementsAre(HasSubstr(key))) << key;
  }
}

TEST(ConfigToml, values_keep_their_meaning_as_text) {
  const auto file =
      read_toml_text("[a]\ntext = \"x\"\nnumber = 7\nfraction = 0.25\nlist = [\"1m\", \"5m\"]\n", "a.toml");
  EXPECT_EQ(file.values.at("a.text").text, "x");
  EXPECT_EQ(file.values.at("a.number").text, "7");
  EXPECT_EQ(file.values.at("a.fraction").text, "0.25");
  EXPECT_EQ(file.values.at("a.list").text, "1m,5m");
  EXPECT_EQ(file.values.at("a.list").where, "a.toml:5");
}

}  // namespace
}  // namespace eilbote::config_loader_test
