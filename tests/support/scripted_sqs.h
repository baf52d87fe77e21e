// An SQS that answers as the test wants, action by action; where the test says nothing, as a healthy one with empty queues.
// Keeps what it was asked.
#pragma once

#include <boost/json.hpp>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "support/scripted_http.h"

namespace eilbote::test {

inline HttpScene sqs_says(const std::string& body) {
  return {.answer = http_answer(200, body, "Content-Type: application/x-amz-json-1.0\r\n")};
}
inline HttpScene sqs_fails(int status, const std::string& name) {
  return {.answer =
              http_answer(status, R"({"__type":"com.amazonaws.sqs#)" + name + R"(","message":"said so"})",
                          "Content-Type: application/x-amz-json-1.0\r\n")};
}

class ScriptedSqs {
 public:
  // What happens to a request: given its body, and how many of its action came before it.
  using Script = std::function<HttpScene(const boost::json::object& body, int before)>;

  ScriptedSqs() {
    on("GetQueueUrl", [](const boost::json::object& body, int) {
      return sqs_says(R"({"QueueUrl":"http://sqs/)" + std::string(body.at("QueueName").as_string()) +
                      R"("})");
    });
    on("GetQueueAttributes", [](const boost::json::object&, int) {
      return sqs_says(R"({"Attributes":{"ApproximateNumberOfMessages":"0"}})");
    });
    on("ReceiveMessage", [](const boost::json::object&, int) { return nothing(); });
    on("SendMessageBatch", [](const boost::json::object& body, int) { return all_done(body); });
    on("DeleteMessageBatch", [](const boost::json::object& body, int) { return all_done(body); });
    on("ChangeMessageVisibilityBatch", [](const boost::json::object& body, int) { return all_done(body); });
  }

  void on(const std::string& action, Script script) {
    const std::lock_guard lock(mutex_);
    scripts_[action] = std::move(script);
  }

  // An empty poll, a short one.
  static HttpScene nothing() {
    HttpScene scene = sqs_says("{}");
    scene.before_answer = std::chrono::milliseconds{50};
    return scene;
  }
  static HttpScene all_done(const boost::json::object& body) {
    boost::json::array done;
    for (const boost::json::value& entry : body.at("Entries").as_array())
      done.push_back(boost::json::object{{"Id", entry.at("Id")}});
    return sqs_says(boost::json::serialize(boost::json::object{{"Successful", done}}));
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
  std::vector<HttpSeen> seen() const { return server_.seen(); }
  // The bodies of the requests of this action.
  std::vector<boost::json::object> asked(const std::string& action) const {
    std::vector<boost::json::object> bodies;
    for (const HttpSeen& one : server_.seen())
      if (action_of(one) == action) bodies.push_back(boost::json::parse(one.body).as_object());
    return bodies;
  }
  static std::string action_of(const HttpSeen& request) {
    const auto target = request.headers.find("x-amz-target");
    return target == request.headers.end() ? "" : target->second.substr(target->second.find('.') + 1);
  }

 private:
  HttpScene decide(const HttpSeen& request) {
    const std::string action = action_of(request);
    Script script;
    int before = 0;
    {
      const std::lock_guard lock(mutex_);
      const auto found = scripts_.find(action);
      if (found == scripts_.end()) return sqs_fails(400, "InvalidAction");
      script = found->second;
      before = counts_[action]++;
    }
    return script(boost::json::parse(request.body).as_object(), before);
  }

  std::mutex mutex_;
  std::map<std::string, Script> scripts_;
  std::map<std::string, int> counts_;
  ScriptedHttp server_{{.decide = [this](const HttpSeen& request) { return decide(request); }}};
};

}  // namespace eilbote::test
