#include "api/provider_event.h"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>

#include "api/json_document.h"
#include "api/json_fields.h"
#include "api/limits.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "domain/address.h"
#include "domain/delivery.h"
#include "domain/dsn.h"
#include "domain/idempotency.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr Duration kAheadMax = std::chrono::hours{24};  // another clock, another time zone

struct EventReading {
  std::optional<ProviderEvent> event;
  ReportReference by_message, by_provider;
  std::string recipient;
  std::optional<TimePoint> at;
  std::string raw;
  TimePoint now;
};

ReportAction action_of(ProviderEvent event) {
  switch (event) {
    case ProviderEvent::delivered:
      return ReportAction::delivered;
    case ProviderEvent::bounced:
      return ReportAction::failed;
    case ProviderEvent::failed:
      return ReportAction::given_up;
    case ProviderEvent::deferred:
      return ReportAction::deferred;
  }
  return ReportAction::delayed;
}

// Nothing after having said what is wrong.
std::optional<std::string> read_id(const json::value& value, const Place& place) {
  auto text = read_text(value, place);
  if (!text || (!text->empty() && text->size() <= kProviderIdMax)) return text;
  place.fault(fmt::format("must have 1 to {} bytes", kProviderIdMax));
  return std::nullopt;
}

// Our own id, or the Message-ID of the mail, with or without its angle brackets.
void read_message_id(EventReading& reading, const json::value& value, const Place& place) {
  auto text = read_id(value, place);
  if (!text) return;
  if (const auto job = parse_job_id(*text)) {
    reading.by_message.job = job;
    return;
  }
  if (text->find('@') == std::string::npos)
    return place.fault("must be the id of a message, or the Message-ID of the mail");
  if (!text->starts_with('<')) *text = "<" + *text + ">";
  reading.by_message.job = job_of_message_id(*text);
  reading.by_message.message_id = std::move(*text);
}

void read_recipient(EventReading& reading, const json::value& value, const Place& place) {
  if (value.is_null()) return;
  auto text = read_text(value, place);
  if (!text) return;
  if (const auto address = parse_address(*text); !address) return place.fault(address.error().message);
  reading.recipient = std::move(*text);
}

void read_timestamp(EventReading& reading, const json::value& value, const Place& place) {
  reading.at = read_time(value, place);
  if (reading.at && *reading.at > reading.now + kAheadMax) place.fault("must not lie in the future");
}

// What the provider itself was told, in whatever form it keeps that.
void read_raw(EventReading& reading, const json::value& value, const Place& /*place*/) {
  if (value.is_null()) return;
  const std::string text = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
  reading.raw = utf8_prefix(text, kErrorTextMax);
}

constexpr FieldRow<EventReading> kEventFields[] = {
    {"eventType", [](EventReading& r, const json::value& v,
                     const Place& p) { r.event = read_enum(v, p, kProviderEventNames); }},
    {"messageId", read_message_id},
    {"providerMessageId", [](EventReading& r, const json::value& v,
                             const Place& p) { r.by_provider.provider_id = read_id(v, p).value_or(""); }},
    {"recipient", read_recipient},
    {"timestamp", read_timestamp},
    {"raw", read_raw},
};

void require(const json::object& body, std::string_view name, std::vector<Fault>& faults) {
  if (!body.contains(name)) faults.push_back({fmt::format("/{}", name), "is required"});
}

std::vector<Fault> faults_of(const json::value& body, EventReading& reading) {
  std::vector<Fault> faults;
  if (!read_fields(body, Place(faults), kEventFields, reading)) return faults;
  const json::object& object = body.get_object();
  require(object, "eventType", faults);
  require(object, "timestamp", faults);
  if (!object.contains("messageId") && !object.contains("providerMessageId"))
    faults.push_back({"/messageId", "is required, or providerMessageId"});
  return faults;
}

}  // namespace

tl::expected<DeliveryReport, Problem> read_provider_event(std::string_view body, TimePoint now) {
  const auto value = read_json(body, {});
  if (!value) return tl::unexpected(value.error());
  EventReading reading;
  reading.now = now;
  if (auto faults = faults_of(*value, reading); !faults.empty())
    return tl::unexpected(invalid(std::move(faults)));
  DeliveryReport report;
  report.key = "provider:" + to_hex(fingerprint(*value));
  report.source = ReportSource::provider;
  for (ReportReference* reference : {&reading.by_message, &reading.by_provider})
    if (*reference != ReportReference{}) report.references.push_back(std::move(*reference));
  RecipientReport said;
  said.address = std::move(reading.recipient);
  said.action = action_of(*reading.event);
  said.diagnostic = std::move(reading.raw);
  report.recipients.push_back(std::move(said));
  report.said_at = reading.at;
  return report;
}

}  // namespace eilbote
