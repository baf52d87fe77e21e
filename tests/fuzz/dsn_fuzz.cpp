// Whatever comes back into a mailbox: what is read of it keeps its limits, is text that can be stored and shown, and a state
// is only ever changed by a report about somebody. A second reading, and one with an mbox line in front, say the same.
#include <algorithm>
#include <boost/json.hpp>

#include "base/ascii.h"
#include "base/utf8.h"
#include "domain/delivery.h"
#include "domain/dsn.h"
#include "fuzz/fuzz.h"

namespace eilbote::fuzz {
namespace {

bool is_clean(const std::string& text) {
  return is_utf8(text) && !has_control(text);
}

bool is_message_id(const std::string& id) {
  return id.empty() || (is_clean(id) && id.starts_with('<') && id.ends_with('>') && id.size() <= 998 &&
                        id.find('@') != std::string::npos && id.find('<', 1) == std::string::npos);
}

std::string recipient_fault(const RecipientReport& one) {
  if (one.address.empty()) return "a recipient without an address, which would stand for all of them";
  if (!is_clean(one.address) || !is_clean(one.original_address)) return "an address with what no address has";
  if (!is_clean(one.diagnostic) || utf8_length(one.diagnostic) > kErrorTextMax)
    return "a diagnostic as it came";
  if (one.status.find_first_not_of("0123456789.") != std::string::npos || one.status.size() > 9)
    return "a status that is none";
  if (one.action == ReportAction::given_up || one.action == ReportAction::deferred)
    return "an action that no bounce can say";
  return {};
}

std::string kind_fault(const Dsn& dsn) {
  if (dsn.kind != DsnKind::report && !dsn.recipients.empty()) return "somebody is named in what is no report";
  // A report that no machine can read has no class: nothing is known of how it went.
  const bool has_no_class =
      dsn.kind == DsnKind::other || (dsn.kind == DsnKind::report && dsn.recipients.empty());
  if (has_no_class != dsn.message_class.empty()) return "a class without a kind";
  const bool failed = std::any_of(dsn.recipients.begin(), dsn.recipients.end(),
                                  [](const auto& one) { return one.action == ReportAction::failed; });
  if (failed != (dsn.message_class == "REPORT.IPM.Note.NDR")) return "the gravest action does not name it";
  return {};
}

std::string fault_of(const Dsn& dsn) {
  if (dsn.recipients.size() > kDsnRecipientsMax) return "too many recipients";
  for (const RecipientReport& one : dsn.recipients)
    if (std::string fault = recipient_fault(one); !fault.empty()) return fault;
  for (const std::string* id : {&dsn.message_id, &dsn.in_reply_to, &dsn.original_message_id})
    if (!is_message_id(*id)) return "a Message-ID that is none";
  if (dsn.references.size() > 5) return "more references than there are places for them";
  for (const ReportReference& one : dsn.references)
    if (!is_message_id(one.message_id) || (one.message_id.empty() && !one.job))
      return "a reference to nothing";
  return kind_fault(dsn);
}

}  // namespace

std::string dsn_fuzz(std::string_view bytes) {
  const Dsn dsn = read_dsn(bytes);
  if (std::string fault = fault_of(dsn); !fault.empty()) return fault;
  const std::string said = explain(dsn);
  boost::system::error_code error;
  boost::json::parse(said, error);
  if (error) return "explained in what is no JSON";
  const std::string_view rest = bytes.substr(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
  const std::string piped = "From MAILER-DAEMON  Thu Apr 29 23:34:45 2010\n" + std::string(bytes);
  if (!rest.starts_with("From ") && explain(read_dsn(piped)) != said)
    return "an mbox line in front changes what it says";
  return {};
}

}  // namespace eilbote::fuzz
