// The options of tracing: what they come to, and what is refused with what reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/loader.h"

namespace eilbote::test::config_tracing_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Variables = std::map<std::string, std::string>;

LoadedConfig load(const Variables& variables) {
  ConfigSources sources;
  sources.environment = variables;
  sources.surroundings = {"mail-1.example.org", false};
  return load_config(sources);
}

TEST(ConfigTracing, is_off_and_complete_once_it_is_on) {
  const auto loaded = load({});
  EXPECT_THAT(loaded.faults, IsEmpty());
  EXPECT_EQ(loaded.config.tracing.endpoint, "");
  EXPECT_EQ(loaded.config.tracing.sample, 1.0);
}

TEST(ConfigTracing, takes_every_option) {
  const auto loaded = load({{"EILBOTE_OTLP_ENDPOINT", "https://otlp.example.org/tenant"},
                            {"EILBOTE_OTLP_HEADERS_REF", "env://OTLP_HEADERS"},
                            {"EILBOTE_OTLP_CA_FILE", "/etc/ca.pem"},
                            {"EILBOTE_TRACE_SAMPLE", "0.25"}});
  EXPECT_THAT(loaded.faults, IsEmpty());
  const TracingConfig& tracing = loaded.config.tracing;
  EXPECT_EQ(tracing.endpoint, "https://otlp.example.org/tenant");
  EXPECT_EQ(tracing.headers_ref, "env://OTLP_HEADERS");
  EXPECT_EQ(tracing.ca_file, "/etc/ca.pem");
  EXPECT_EQ(tracing.sample, 0.25);
}

TEST(ConfigTracing, refuses_what_cannot_work) {
  struct Case {
    const char* name;
    Variables variables;
    const char* want;
  };
  const Case cases[] = {
      {"no scheme", {{"EILBOTE_OTLP_ENDPOINT", "collector:4318"}}, "EILBOTE_OTLP_ENDPOINT: must"},
      {"another protocol",
       {{"EILBOTE_OTLP_ENDPOINT", "grpc://collector:4317"}},
       "EILBOTE_OTLP_ENDPOINT: must"},
      {"a user",
       {{"EILBOTE_OTLP_ENDPOINT", "https://u:hunter2@collector"}},
       "they belong into EILBOTE_OTLP_HEADERS_REF"},
      {"a query", {{"EILBOTE_OTLP_ENDPOINT", "https://collector/?key=hunter2"}}, "EILBOTE_OTLP_HEADERS_REF"},
      {"the whole path",
       {{"EILBOTE_OTLP_ENDPOINT", "https://collector/v1/traces/"}},
       "must be the receiver's base address, without /v1/traces"},
      {"too much",
       {{"EILBOTE_TRACE_SAMPLE", "1.1"}},
       "EILBOTE_TRACE_SAMPLE: must be a number from 0.0 to 1.0"},
      {"less than nothing", {{"EILBOTE_TRACE_SAMPLE", "-0.1"}}, "EILBOTE_TRACE_SAMPLE: must be a number"},
      {"no number", {{"EILBOTE_TRACE_SAMPLE", "all"}}, "EILBOTE_TRACE_SAMPLE: must be a number"},
      {"headers for nobody", {{"EILBOTE_OTLP_HEADERS_REF", "env://OTLP"}}, "EILBOTE_OTLP_ENDPOINT is not"},
      {"the secret itself",
       {{"EILBOTE_OTLP_ENDPOINT", "https://collector"}, {"EILBOTE_OTLP_HEADERS_REF", "api-key=abc"}},
       "EILBOTE_OTLP_HEADERS_REF: must"},
      {"headers in the clear",
       {{"EILBOTE_OTLP_ENDPOINT", "http://collector:4318"}, {"EILBOTE_OTLP_HEADERS_REF", "env://OTLP"}},
       "EILBOTE_OTLP_ENDPOINT: must begin with https://"},
      {"trust in nobody",
       {{"EILBOTE_OTLP_ENDPOINT", "http://collector:4318"}, {"EILBOTE_OTLP_CA_FILE", "/etc/ca.pem"}},
       "EILBOTE_OTLP_CA_FILE: is set, but"},
  };
  for (const Case& one : cases)
    EXPECT_THAT(load(one.variables).faults,
                ElementsAre(AllOf(HasSubstr(one.want), Not(HasSubstr("hunter2")))))
        << one.name;
}

TEST(ConfigTracing, lets_headers_go_to_a_collector_on_this_machine) {
  EXPECT_THAT(
      load({{"EILBOTE_OTLP_ENDPOINT", "http://127.0.0.1:4318"}, {"EILBOTE_OTLP_HEADERS_REF", "env://OTLP"}})
          .faults,
      IsEmpty());
}

}  // namespace
}  // namespace eilbote::test::config_tracing_test
