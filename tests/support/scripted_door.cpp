#include "support/scripted_door.h"

#include <fmt/format.h>

namespace eilbote::test {
namespace {

constexpr const char* kUploadUrl = "https://upload.example/session";

std::string name_of(const GraphCall& call) {
  const auto has = [&](std::string_view part) { return call.path.find(part) != std::string::npos; };
  if (call.path.starts_with(kUploadUrl)) return call.method == "PUT" ? "piece" : "ask upload";
  if (has("/mailFolders/drafts/messages?")) return "search drafts";
  if (has("/mailFolders/sentitems/messages?")) return "search sent";
  if (has("/mailFolders/drafts?")) return "probe";
  if (has("/sendMail")) return "sendmail";
  if (has("/createUploadSession")) return "open upload";
  if (call.path.ends_with("/attachments")) return "attach";
  if (call.path.ends_with("/send")) return "send";
  if (call.method == "PATCH") return "mark";
  if (call.method == "DELETE") return "remove";
  return call.method == "POST" ? "create" : "look";
}

std::string header_of(const GraphCall& call, const std::string& name) {
  for (const auto& [one, value] : call.headers)
    if (one == name) return value;
  return "";
}

GraphAnswer answer_of(int status, std::string body) {
  GraphAnswer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

// "bytes 0-9/20": whether more is to come, and from where.
GraphAnswer piece_taken(const GraphCall& call) {
  std::size_t from = 0, to = 0, total = 0;
  std::sscanf(header_of(call, "Content-Range").c_str(), "bytes %zu-%zu/%zu", &from, &to, &total);
  if (to + 1 == total) return answer_of(201, "");
  return answer_of(200, fmt::format(R"({{"nextExpectedRanges":["{}-"]}})", to + 1));
}

}  // namespace

GraphAnswer ScriptedDoor::take_answer(const std::string& name, const GraphCall& call) {
  if (auto& script = script_[name]; !script.empty()) {
    GraphAnswer answer = std::move(script.front());
    script.pop_front();
    return answer;
  }
  if (name == "create")
    return answer_of(
        201, fmt::format(R"({{"id":"D{}","internetMessageId":"<d@graph>","isDraft":true}})", ++drafts_));
  if (name == "look") return answer_of(200, R"({"id":"D1","isDraft":true})");
  if (name.starts_with("search")) return answer_of(200, R"({"value":[]})");
  if (name == "open upload")
    return answer_of(201, fmt::format(R"({{"uploadUrl":"{}","nextExpectedRanges":["0-"]}})", kUploadUrl));
  if (name == "piece") return piece_taken(call);
  if (name == "attach") return answer_of(201, R"({"id":"A"})");
  if (name == "remove") return answer_of(204, "");
  return answer_of(name == "send" || name == "sendmail" ? 202 : 200, "{}");
}

void ScriptedDoor::call(GraphCall call, Done done) {
  const std::string name = name_of(call);
  GraphAnswer answer;
  {
    const std::lock_guard lock(mutex_);
    if (holds_[name]) {
      seen_.emplace_back(name, call);
      held_.push_back({name, std::move(call), std::move(done)});
      return;
    }
  }
  if (call.about_to_send && !call.about_to_send()) {
    answer.fault = ExchangeFault::not_sent;
    return done(std::move(answer));
  }
  {
    const std::lock_guard lock(mutex_);
    seen_.emplace_back(name, call);
    answer = take_answer(name, call);
  }
  done(std::move(answer));
}

void ScriptedDoor::answer(const std::string& name, GraphAnswer answer) {
  const std::lock_guard lock(mutex_);
  script_[name].push_back(std::move(answer));
}

void ScriptedDoor::answer(const std::string& name, int status, const std::string& body,
                          const std::string& code) {
  GraphAnswer scripted = answer_of(status, body);
  scripted.code = code;
  answer(name, std::move(scripted));
}

void ScriptedDoor::lose(const std::string& name, ExchangeFault fault) {
  GraphAnswer lost;
  lost.fault = fault;
  answer(name, std::move(lost));
}

void ScriptedDoor::hold(const std::string& name) {
  const std::lock_guard lock(mutex_);
  holds_[name] = true;
}

void ScriptedDoor::let_go() {
  std::vector<std::pair<Done, GraphAnswer>> answers;
  {
    const std::lock_guard lock(mutex_);
    holds_.clear();
    for (Held& one : held_)
      answers.emplace_back(std::move(one.done), take_answer(one.name, one.call));
    held_.clear();
  }
  for (auto& [done, answer] : answers)
    done(std::move(answer));
}

std::vector<std::string> ScriptedDoor::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, call] : seen_)
    names.push_back(name);
  return names;
}

std::vector<GraphCall> ScriptedDoor::calls(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  std::vector<GraphCall> calls;
  for (const auto& [one, call] : seen_)
    if (one == name) calls.push_back(call);
  return calls;
}

int ScriptedDoor::held() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(held_.size());
}

}  // namespace eilbote::test
