#include "support/test_broker.h"

#include <algorithm>
#include <boost/json.hpp>
#include <sstream>
#include <stdexcept>

#include "support/child_process.h"
#include "support/eventually.h"
#include "support/rabbit_server.h"
#include "support/sqs_server.h"

namespace eilbote::test {
namespace {

namespace json = boost::json;

std::string name_of(CarrierQueue queue) {
  return std::string(kCarrierQueueNames.text(queue));
}

class RabbitBroker : public TestBroker {
 public:
  RabbitBroker() {
    server_.start();  // a test before this one may have left it down
    vhost_ = server_.new_vhost();
  }

  std::map<std::string, std::string> settings() const override { return {{"EILBOTE_TRANSPORT_URL", url()}}; }
  void start() override { server_.start(); }
  void stop() override { server_.stop(); }

  void publish(CarrierQueue queue, const std::vector<std::string>& texts) override {
    std::vector<std::string> words{"publish", url(), name_of(queue)};
    words.insert(words.end(), texts.begin(), texts.end());
    email_dispatcher(words);
  }
  std::vector<std::string> read(CarrierQueue queue, int count) override {
    return email_dispatcher({"read", url(), name_of(queue), std::to_string(count)});
  }
  std::int64_t depth(CarrierQueue queue) override {
    return std::stoll(email_dispatcher({"depth", url(), name_of(queue)}).at(0));
  }
  RabbitServer& rabbit() override { return server_; }
  std::string url(std::uint16_t port = 0) const override { return server_.url(vhost_, port); }

 private:
  RabbitServer& server_ = RabbitServer::shared();
  std::string vhost_;
};

class SqsBroker : public TestBroker {
 public:
  SqsBroker() : prefix_(server_.new_prefix()) { server_.recover(); }

  std::map<std::string, std::string> settings() const override {
    return {{"EILBOTE_TRANSPORT_URL", "sqs://eu-central-1?create=true&prefix=" + prefix_},
            {"EILBOTE_AWS_ENDPOINT_URL", server_.url()},
            {"AWS_ACCESS_KEY_ID", "scenario"},
            {"AWS_SECRET_ACCESS_KEY", "scenario-secret-key"}};
  }
  void start() override { server_.recover(); }
  void stop() override { server_.trouble(); }

  void publish(CarrierQueue queue, const std::vector<std::string>& texts) override {
    for (const std::string& text : texts)
      server_.ask("SendMessage", {{"QueueUrl", url_of(queue)}, {"MessageBody", text}});
  }

  std::vector<std::string> read(CarrierQueue queue, int count) override {
    std::vector<std::string> texts;
    eventually(
        [&] {
          take_one(queue, texts);
          return static_cast<int>(texts.size()) >= count;
        },
        std::chrono::minutes{3});
    if (static_cast<int>(texts.size()) < count)
      throw std::runtime_error("only " + std::to_string(texts.size()) + " messages in " + name_of(queue));
    return texts;
  }
  std::int64_t depth(CarrierQueue queue) override { return server_.waiting(name_here(queue)); }

 private:
  void take_one(CarrierQueue queue, std::vector<std::string>& texts) const {
    if (!server_.has_queue(name_here(queue))) return;
    const json::value got =
        server_.ask("ReceiveMessage", {{"QueueUrl", url_of(queue)}, {"MaxNumberOfMessages", 1}});
    const json::value* messages = got.as_object().if_contains("Messages");
    if (messages == nullptr) return;
    for (const json::value& message : messages->as_array()) {
      texts.emplace_back(message.at("Body").as_string());
      server_.ask("DeleteMessage",
                  {{"QueueUrl", url_of(queue)}, {"ReceiptHandle", message.at("ReceiptHandle")}});
    }
  }
  // SQS knows no dots in names.
  std::string name_here(CarrierQueue queue) const {
    std::string name = prefix_ + name_of(queue);
    std::replace(name.begin(), name.end(), '.', '-');
    return name;
  }
  json::string url_of(CarrierQueue queue) const {
    return server_.ask("GetQueueUrl", {{"QueueName", name_here(queue)}}).at("QueueUrl").as_string();
  }

  SqsServer& server_ = SqsServer::shared();
  const std::string prefix_;
};

}  // namespace

RabbitServer& TestBroker::rabbit() {
  throw std::logic_error("this broker is not RabbitMQ");
}

std::string TestBroker::url(std::uint16_t) const {
  throw std::logic_error("this broker is not RabbitMQ");
}

std::unique_ptr<TestBroker> make_test_broker(BrokerKind kind) {
  if (kind == BrokerKind::rabbitmq) return std::make_unique<RabbitBroker>();
  return std::make_unique<SqsBroker>();
}

std::string missing_broker(BrokerKind kind) {
  return kind == BrokerKind::rabbitmq ? RabbitServer::missing() : SqsServer::missing();
}

std::vector<std::string> email_dispatcher(const std::vector<std::string>& words) {
  std::vector<std::string> command{"node", EILBOTE_SOURCE_DIR "/tests/node/email_dispatcher.js"};
  command.insert(command.end(), words.begin(), words.end());
  const CommandResult result = run_command(command, {}, std::chrono::minutes{3});
  if (result.exit_code != 0)
    throw std::runtime_error("email_dispatcher.js " + words.front() + ": " + result.out + result.err);
  std::vector<std::string> lines;
  std::istringstream out(result.out);
  for (std::string line; std::getline(out, line);)
    lines.push_back(line);
  return lines;
}

}  // namespace eilbote::test
