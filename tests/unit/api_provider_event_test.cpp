// A provider's event: what its body makes of a report, what is refused, and which two are the same.
#include "api/provider_event.h"

#include <gtest/gtest.h>

#include "api/limits.h"
#include "base/utf8.h"
#include "domain/delivery.h"
#include "domain/tsid.h"

namespace eilbote::test::api_provider_event_test {
namespace {

const TimePoint kNow = *parse_rfc3339("2026-11-15T21:00:00Z");

auto read(const std::string& body) {
  return read_provider_event(body, kNow);
}

// A good event with these members in front.
std::string event(const std::string& members) {
  return "{" + members + R"(,"timestamp":"2026-11-15T20:00:00Z"})";
}

TEST(ProviderEvent, EveryFieldIsRead) {
  const auto report = read(
      R"({"eventType":"bounced","messageId":"0PXKQ8ZT3M001","providerMessageId":"abc","recipient":"ada@example.org",)"
      R"("timestamp":"2026-11-15T20:00:00Z","raw":"550 5.1.1 no such user"})");
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->key.starts_with("provider:"));
  EXPECT_EQ(report->key.size(), 9U + 64U);
  EXPECT_EQ(report->source, ReportSource::provider);
  ASSERT_EQ(report->references.size(), 2U);
  EXPECT_EQ(report->references[0].job, parse_job_id("0PXKQ8ZT3M001"));
  EXPECT_EQ(report->references[1].provider_id, "abc");
  ASSERT_EQ(report->recipients.size(), 1U);
  EXPECT_EQ(report->recipients[0].address, "ada@example.org");
  EXPECT_EQ(report->recipients[0].action, ReportAction::failed);
  EXPECT_EQ(report->recipients[0].diagnostic, "550 5.1.1 no such user");
  EXPECT_EQ(report->said_at, parse_rfc3339("2026-11-15T20:00:00Z"));
}

TEST(ProviderEvent, EachTypeIsAnAction) {
  const std::pair<const char*, ReportAction> cases[] = {{"delivered", ReportAction::delivered},
                                                        {"bounced", ReportAction::failed},
                                                        {"failed", ReportAction::given_up},
                                                        {"deferred", ReportAction::deferred}};
  for (const auto& [type, action] : cases) {
    const auto report = read(event(std::string(R"("eventType":")") + type + R"(","providerMessageId":"x")"));
    ASSERT_TRUE(report.has_value()) << type;
    EXPECT_EQ(report->recipients.at(0).action, action) << type;
    EXPECT_EQ(report->recipients.at(0).address, "") << "all of them";
  }
}

TEST(ProviderEvent, TheMessageIdMayBeTheMailsOwn) {
  for (const char* id : {"<abc@mail.example.org>", "abc@mail.example.org"}) {
    const auto report = read(event(std::string(R"("eventType":"delivered","messageId":")") + id + "\""));
    ASSERT_TRUE(report.has_value()) << id;
    EXPECT_EQ(report->references.at(0).message_id, "<abc@mail.example.org>") << id;
  }
}

TEST(ProviderEvent, RawIsKeptInPart) {
  const std::string long_text(5000, 'x');
  const std::pair<std::string, std::string> cases[] = {
      {R"("550 no")", "550 no"},
      {R"({"smtp":{"code":550}})", R"({"smtp":{"code":550}})"},
      {"null", ""},
      {"\"" + long_text + "\"", long_text.substr(0, kErrorTextMax)},
  };
  for (const auto& [raw, want] : cases) {
    const auto report = read(event(R"("eventType":"bounced","providerMessageId":"x","raw":)" + raw));
    ASSERT_TRUE(report.has_value()) << raw;
    EXPECT_EQ(report->recipients.at(0).diagnostic, want);
  }
}

TEST(ProviderEvent, IsTheSameHoweverItIsSpaced) {
  const auto one = read(event(R"("eventType":"bounced","providerMessageId":"x")"));
  const auto two =
      read(R"({ "timestamp": "2026-11-15T20:00:00Z", "providerMessageId": "x",  "eventType": "bounced" })");
  const auto other = read(event(R"("eventType":"bounced","providerMessageId":"y")"));
  ASSERT_TRUE(one && two && other);
  EXPECT_EQ(one->key, two->key);
  EXPECT_NE(one->key, other->key);
}

TEST(ProviderEvent, WhatIsRefused) {
  struct Case {
    std::string body;
    std::vector<std::string> pointers;
  };
  const Case cases[] = {
      {"{}", {"/eventType", "/timestamp", "/messageId"}},
      {"[]", {""}},
      {event(R"("eventType":"opened","messageId":"0PXKQ8ZT3M001")"), {"/eventType"}},
      {event(R"("eventType":1,"messageId":"0PXKQ8ZT3M001")"), {"/eventType"}},
      {event(R"("eventType":"bounced","messageId":"")"), {"/messageId"}},
      {event(R"("eventType":"bounced","messageId":"what")"), {"/messageId"}},
      {event(R"("eventType":"bounced","messageId":7)"), {"/messageId"}},
      {event(R"("eventType":"bounced","providerMessageId":")" + std::string(kProviderIdMax + 1, 'x') + "\""),
       {"/providerMessageId"}},
      {event(R"("eventType":"bounced","providerMessageId":"x","recipient":"ada")"), {"/recipient"}},
      {event(R"("eventType":"bounced","providerMessageId":"x","mesageId":"y")"), {"/mesageId"}},
      {R"({"eventType":"bounced","providerMessageId":"x","timestamp":"yesterday"})", {"/timestamp"}},
      {R"({"eventType":"bounced","providerMessageId":"x","timestamp":"2026-11-17T21:00:00Z"})",
       {"/timestamp"}},
  };
  for (const Case& one : cases) {
    const auto report = read(one.body);
    ASSERT_FALSE(report.has_value()) << one.body;
    std::vector<std::string> pointers;
    for (const Fault& fault : report.error().errors)
      pointers.push_back(fault.pointer);
    EXPECT_EQ(pointers, one.pointers) << one.body;
    EXPECT_EQ(report.error().status(), 400) << one.body;
  }
  EXPECT_EQ(read("{").error().kind, ProblemKind::malformed_json);
}

TEST(ProviderEvent, AnOldOneIsTaken) {
  EXPECT_TRUE(read(R"({"eventType":"bounced","providerMessageId":"x","timestamp":"2020-01-01T00:00:00Z"})")
                  .has_value());
}

}  // namespace
}  // namespace eilbote::test::api_provider_event_test
