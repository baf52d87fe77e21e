#include "cli/message_view.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "cli/text_table.h"

namespace eilbote::cli {
namespace {

struct Line {
  std::string_view label;
  std::string_view path;
};

std::string scalar(const boost::json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  return value.is_null() ? "" : boost::json::serialize(value);
}

std::string table(const boost::json::array& items, const std::vector<Line>& columns) {
  std::vector<std::vector<std::string>> rows(1);
  for (const auto& column : columns)
    rows[0].emplace_back(column.label);
  for (const auto& item : items) {
    auto& row = rows.emplace_back();
    for (const auto& column : columns)
      row.push_back(member_text(item, column.path));
  }
  return text_table(rows);
}

}  // namespace

std::string member_text(const boost::json::value& value, std::string_view path) {
  const boost::json::value* at = &value;
  while (true) {
    const auto dot = path.find('.');
    const auto* object = at->if_object();
    if (object == nullptr) return "";
    at = object->if_contains(path.substr(0, dot));
    if (at == nullptr) return "";
    if (dot == std::string_view::npos) return scalar(*at);
    path.remove_prefix(dot + 1);
  }
}

const boost::json::array& items_of(const boost::json::value& answer) {
  static const boost::json::array kNone;
  if (const auto* array = answer.if_array()) return *array;
  const auto* object = answer.if_object();
  const auto* data = object != nullptr ? object->if_contains("data") : nullptr;
  return data != nullptr && data->is_array() ? data->get_array() : kNone;
}

std::string message_text(const boost::json::value& message) {
  static constexpr Line kLines[] = {{"message", "messageId"},
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
  std::string out;
  for (const auto& line : kLines) {
    const std::string value = member_text(message, line.path);
    if (!value.empty()) out += fmt::format("{:<17} {}\n", line.label, printable(value));
  }
  const auto* object = message.if_object();
  const auto* details = object != nullptr ? object->if_contains("details") : nullptr;
  const auto* recipients =
      details != nullptr && details->is_object() ? details->get_object().if_contains("recipients") : nullptr;
  if (recipients != nullptr && recipients->is_array() && !recipients->get_array().empty())
    out +=
        "\n" + table(recipients->get_array(),
                     {{"RECIPIENT", "address"}, {"KIND", "kind"}, {"STATUS", "status"}, {"REPLY", "reply"}});
  return out;
}

std::string messages_table(const boost::json::array& messages) {
  return table(messages, {{"MESSAGE", "messageId"},
                          {"STATUS", "status"},
                          {"LAST UPDATE", "lastUpdate"},
                          {"FAILED", "details.retryCount"},
                          {"NEXT ATTEMPT", "details.nextAttemptAt"},
                          {"REASON", "details.deadReason"},
                          {"LAST ERROR", "details.lastError.message"}});
}

std::string attempts_table(const boost::json::array& attempts) {
  return table(attempts, {{"ATTEMPT", "attemptNumber"},
                          {"AT", "attemptedAt"},
                          {"MS", "durationMillis"},
                          {"STATUS", "status"},
                          {"ROUTE", "route"},
                          {"DEFERRAL", "deferral"},
                          {"CLASS", "errorType"},
                          {"ERROR", "errorMessage"}});
}

std::string events_table(const boost::json::array& events) {
  return table(events, {{"AT", "at"}, {"FROM", "from"}, {"TO", "to"}, {"REASON", "reason"}, {"BY", "actor"}});
}

}  // namespace eilbote::cli
