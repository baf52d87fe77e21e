// The mail API as a test speaks it: answers as JSON, and waits for a message to reach a state.
#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "support/eilbote_process.h"

namespace eilbote::test {

namespace json = boost::json;

// The member a JSON pointer names, as text (strings as they are, else as JSON); empty when it is not there.
std::string text_at(const json::value& value, const std::string& pointer);
// The same as a number; -1 when it is not there.
std::int64_t number_at(const json::value& value, const std::string& pointer);
bool has(const json::value& value, const std::string& pointer);

// Members of a mail that is not due for a month: "scheduledFor" and a later "expiresAt".
std::string due_in_a_month();

class MailApi {
 public:
  // `server` outlives this; it may be restarted in between.
  explicit MailApi(const EilboteProcess& server) : server_(server) {}

  // Sends a mail and returns its id. Throws when the answer is not 202.
  std::string accept(const std::string& mail, const HttpHeaders& headers = {}) const;
  // GETs that must answer 200; they throw otherwise.
  json::value read(const std::string& path) const;
  json::value message(const std::string& id) const { return read("/messages/" + id); }
  // The lists, whether the answer is {"data": [...]} or the list itself.
  json::array attempts(const std::string& id) const { return list_in(read("/messages/" + id + "/attempts")); }
  json::array events(const std::string& id) const { return list_in(read("/messages/" + id + "/events")); }
  std::string status(const std::string& id) const { return text_at(message(id), "/status"); }

  // Waits until the message has the state; false when it has not within the patience.
  bool reaches(const std::string& id, const std::string& state,
               std::chrono::milliseconds patience = std::chrono::seconds{30}) const;
  // Every message of GET /messages?<query>, page by page.
  std::vector<json::value> list(const std::string& query = "") const;

  // A sample of /metrics: the sum over all label sets, or over those whose text has `labels` in it.
  double metric(const std::string& name, const std::string& labels = "") const;
  // The same once it has come to `count`, or what it says when patience is over: what is visible in an answer or in the log is
  // counted a moment later, or a moment before.
  double counted(double count, const std::string& name, const std::string& labels = "") const;

 private:
  static json::array list_in(const json::value& answer);
  const EilboteProcess& server_;
};

}  // namespace eilbote::test
