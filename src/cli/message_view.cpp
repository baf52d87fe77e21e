#include "cli/message_view.h"

#include <boost/json.hpp>

#include "cli/answer_view.h"

namespace eilbote::cli {

std::string message_text(const boost::json::value& message) {
  static constexpr ViewField kLines[] = {{"message", "messageId"},
                                         {"status", "status"},
                                         {"last update", "lastUpdate"},
                                         {"provider's id", "providerMessageId"},
                                         {"dead because", "details.deadReason"},
                                         {"failed attempts", "details.retryCount"},
                                         {"attempts allowed", "details.maxAttempts"},
                                         {"last attempt", "details.lastAttemptAt"},
                                         {"next attempt", "details.nextAttemptAt"},
                                         {"last error", "details.lastError.message"},
                                         {"its code", "details.lastError.code"},
                                         {"its class", "details.lastError.class"}};
  static constexpr ViewField kRecipients[] = {
      {"RECIPIENT", "address"}, {"KIND", "kind"}, {"STATUS", "status"}, {"REPLY", "reply"}};
  std::string out = fields_text(message, kLines, 18);
  const auto* object = message.if_object();
  const auto* details = object != nullptr ? object->if_contains("details") : nullptr;
  const auto* recipients =
      details != nullptr && details->is_object() ? details->get_object().if_contains("recipients") : nullptr;
  if (recipients != nullptr && recipients->is_array() && !recipients->get_array().empty())
    out += "\n" + fields_table(recipients->get_array(), kRecipients);
  return out;
}

std::string messages_table(const boost::json::array& messages) {
  static constexpr ViewField kColumns[] = {{"MESSAGE", "messageId"},
                                           {"STATUS", "status"},
                                           {"LAST UPDATE", "lastUpdate"},
                                           {"FAILED", "details.retryCount"},
                                           {"NEXT ATTEMPT", "details.nextAttemptAt"},
                                           {"REASON", "details.deadReason"},
                                           {"LAST ERROR", "details.lastError.message"}};
  return fields_table(messages, kColumns);
}

std::string attempts_table(const boost::json::array& attempts) {
  static constexpr ViewField kColumns[] = {{"ATTEMPT", "attemptNumber"}, {"AT", "attemptedAt"},
                                           {"MS", "durationMillis"},     {"STATUS", "status"},
                                           {"ROUTE", "route"},           {"DEFERRAL", "deferral"},
                                           {"CLASS", "errorType"},       {"ERROR", "errorMessage"}};
  return fields_table(attempts, kColumns);
}

std::string events_table(const boost::json::array& events) {
  static constexpr ViewField kColumns[] = {
      {"AT", "at"}, {"FROM", "from"}, {"TO", "to"}, {"REASON", "reason"}, {"BY", "actor"}};
  return fields_table(events, kColumns);
}

}  // namespace eilbote::cli
