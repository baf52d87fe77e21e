// Whatever is posted to /messages, alone or as a batch: what is refused is refused in proper words, what is taken keeps the
// rules of mail and has one fingerprint, however its JSON is written.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "api/mail_json.h"
#include "domain/idempotency.h"
#include "fuzz/fuzz.h"
#include "fuzz/problem_fault.h"

namespace eilbote::fuzz {
namespace {

const TimePoint kNow{std::chrono::days{20'000}};

const ApiSettings& settings() {
  static const ApiSettings all = [] {
    ApiSettings made;
    made.has_pool = [](const std::string& code) { return code == "mail"; };
    return made;
  }();
  return all;
}

std::string check_item(const boost::json::value& item, MailPart part) {
  const MailReading reading = read_mail(item, part, settings(), kNow);
  if (reading.problem) return problem_fault(*reading.problem);
  if (const auto faults = check_mail(reading.mail, settings().mail_limits, kNow); !faults.empty())
    return "taken against the rules: " + faults[0].pointer + " " + faults[0].detail;
  if (reading.mail.to.empty()) return "a mail to nobody";
  if (!reading.idempotency_key.empty() && !check_idempotency_key(reading.idempotency_key))
    return "a key that is none";
  const auto again = read_json(boost::json::serialize(item), {});
  if (!again) return "its own JSON is refused";
  return fingerprint(*again) == fingerprint(item) ? "" : "another fingerprint the second time";
}

}  // namespace

std::string mail_json_fuzz(std::string_view bytes) {
  const auto body = read_json(bytes, {});
  if (!body) return problem_fault(body.error());
  if (!body->is_array()) return check_item(*body, MailPart::message);
  for (const boost::json::value& item : body->get_array())
    if (std::string fault = check_item(item, MailPart::batch_item); !fault.empty()) return fault;
  return {};
}

}  // namespace eilbote::fuzz
