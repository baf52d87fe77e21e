#include "support/mail_api.h"

#include <ctime>
#include <sstream>
#include <stdexcept>

#include "support/eventually.h"

namespace eilbote::test {
namespace {

const json::value* find(const json::value& value, const std::string& pointer) {
  boost::system::error_code none;
  return value.find_pointer(pointer, none);
}

[[noreturn]] void unexpected(const std::string& what, const HttpReply& reply) {
  throw std::runtime_error(what + " answered " + std::to_string(reply.status) + " " + reply.trouble + "\n" +
                           reply.body);
}

}  // namespace

std::string text_at(const json::value& value, const std::string& pointer) {
  const json::value* found = find(value, pointer);
  if (found == nullptr) return "";
  if (found->is_string()) return std::string(found->get_string());
  return json::serialize(*found);
}

std::int64_t number_at(const json::value& value, const std::string& pointer) {
  const json::value* found = find(value, pointer);
  return found == nullptr || !found->is_number() ? -1 : found->to_number<std::int64_t>();
}

bool has(const json::value& value, const std::string& pointer) {
  const json::value* found = find(value, pointer);
  return found != nullptr && !found->is_null();
}

std::string due_in_a_month() {
  const auto in_days = [](int days) {
    const std::time_t at = std::time(nullptr) + days * 86'400;
    std::tm parts{};
    ::gmtime_r(&at, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return std::string(text);
  };
  return R"("scheduledFor":")" + in_days(30) + R"(","expiresAt":")" + in_days(40) + R"(")";
}

std::string MailApi::accept(const std::string& mail, const HttpHeaders& headers) const {
  const HttpReply reply = server_.post("/messages", mail, headers);
  if (reply.status != 202) unexpected("POST /messages", reply);
  return text_at(json::parse(reply.body), "/messageId");
}

json::value MailApi::read(const std::string& path) const {
  const HttpReply reply = server_.get(path);
  if (reply.status != 200) unexpected("GET " + path, reply);
  return json::parse(reply.body);
}

json::array MailApi::list_in(const json::value& answer) {
  return answer.is_array() ? answer.get_array() : answer.at("data").as_array();
}

bool MailApi::reaches(const std::string& id, const std::string& state,
                      std::chrono::milliseconds patience) const {
  return eventually([&] { return status(id) == state; }, patience);
}

std::vector<json::value> MailApi::list(const std::string& query) const {
  std::vector<json::value> all;
  std::string cursor;
  do {
    const json::value page = read("/messages?limit=50" + (query.empty() ? "" : "&" + query) +
                                  (cursor.empty() ? "" : "&cursor=" + cursor));
    for (const json::value& one : page.at("data").as_array())
      all.push_back(one);
    cursor = has(page, "/nextCursor") ? text_at(page, "/nextCursor") : "";
  } while (!cursor.empty());
  return all;
}

double MailApi::metric(const std::string& name, const std::string& labels) const {
  std::istringstream lines(server_.get("/metrics").body);
  double sum = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name) || line.size() == name.size()) continue;
    const char next = line[name.size()];
    if ((next != ' ' && next != '{') || line.find(labels) == std::string::npos) continue;
    sum += std::stod(line.substr(line.rfind(' ') + 1));
  }
  return sum;
}

double MailApi::counted(double count, const std::string& name, const std::string& labels) const {
  double value = 0;
  eventually([&] { return (value = metric(name, labels)) >= count; });
  return value;
}

}  // namespace eilbote::test
