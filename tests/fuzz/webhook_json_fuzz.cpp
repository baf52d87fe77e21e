// Whatever is posted to /dispatch/jobs, alone or as a batch: what is refused is refused in proper words; what is taken keeps the
// rules, has a target that can be connected to, and is given out as JSON with the same content.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "api/webhook_json.h"
#include "domain/webhook_headers.h"
#include "domain/webhook_url.h"
#include "fuzz/fuzz.h"
#include "fuzz/problem_fault.h"

namespace eilbote::fuzz {
namespace {

const TimePoint kNow{std::chrono::days{20'000}};
const WebhookLimits kLimits;

std::string check_output(const Webhook& webhook) {
  JobRecord record;
  record.job.id = JobId{1};
  record.job.channel = ChannelKind::webhook;
  record.webhook = webhook;
  const auto out = read_json(boost::json::serialize(dispatch_job_json(record, {false, kNow})), {});
  if (!out || !out->is_object()) return "given out as what is no JSON";
  const boost::json::value* payload = out->get_object().if_contains("payload");
  if (payload == nullptr || !payload->is_string() || payload->get_string() != webhook.payload)
    return "given out with another payload";
  return {};
}

std::string check_item(const boost::json::value& item) {
  const WebhookReading reading = read_webhook(item, kLimits, kNow);
  if (reading.problem) return problem_fault(*reading.problem);
  const Webhook& webhook = reading.webhook;
  if (const auto faults = check_webhook(webhook, kLimits, kNow); !faults.empty())
    return "taken against the rules: " + faults[0].pointer + " " + faults[0].detail;
  if (!parse_webhook_url(webhook.target_url)) return "a target that is none";
  for (const auto& [name, value] : webhook.headers)
    if (!is_http_header_name(name) || !is_http_header_value(value) || is_protected_header(name))
      return "a header that breaks the request";
  return check_output(webhook);
}

}  // namespace

std::string webhook_json_fuzz(std::string_view bytes) {
  const auto body = read_json(bytes, {});
  if (!body) return problem_fault(body.error());
  if (!body->is_array()) return check_item(*body);
  for (const boost::json::value& item : body->get_array())
    if (std::string fault = check_item(item); !fault.empty()) return fault;
  return {};
}

}  // namespace eilbote::fuzz
