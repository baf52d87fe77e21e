#include "support/sqs_server.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "support/http_client.h"

namespace eilbote::test {
namespace {

constexpr int kNodeMin = 20;
// The queues of fauxqs are regional, and without a signature it goes by this header.
constexpr const char* kNobody =
    "AWS4-HMAC-SHA256 Credential=nobody/20260101/eu-central-1/sqs/aws4_request, SignedHeaders=host, "
    "Signature=0";

}  // namespace

std::string SqsServer::missing() {
  if (!std::filesystem::exists(EILBOTE_SOURCE_DIR "/tests/node/node_modules/fauxqs"))
    return "npm's fauxqs is not installed in tests/node";
  static const std::string version = run_command({"node", "--version"}).out;  // "v20.20.2"
  if (version.empty() || std::atoi(version.c_str() + 1) < kNodeMin)
    return "npm's fauxqs needs Node.js " + std::to_string(kNodeMin);
  return "";
}

SqsServer& SqsServer::shared() {
  static SqsServer server;
  return server;
}

SqsServer::SqsServer() {
  process_ = std::make_unique<ChildProcess>(
      ChildOptions{{"node", EILBOTE_SOURCE_DIR "/tests/node/sqs_server.mjs"}, {}, folder_ / "log", ""});
  const auto line = process_->read_line(std::chrono::seconds{60});
  const auto blank = line ? line->find(' ') : std::string::npos;
  if (blank == std::string::npos) throw std::runtime_error("fauxqs did not start; is tests/node installed?");
  port_ = line->substr(0, blank);
  control_port_ = line->substr(blank + 1);
}

std::string SqsServer::new_prefix() {
  return "t" + std::to_string(++prefixes_) + "-";
}

void SqsServer::control(const std::string& path) const {
  if (http_request("POST", "http://127.0.0.1:" + control_port_ + path, "", {}).status != 200)
    throw std::runtime_error("fauxqs: " + path);
}

boost::json::value SqsServer::ask(const std::string& action, const boost::json::object& request) const {
  const HttpReply reply = http_request("POST", url() + "/", boost::json::serialize(request),
                                       {{"Content-Type", "application/x-amz-json-1.0"},
                                        {"X-Amz-Target", "AmazonSQS." + action},
                                        {"Authorization", kNobody}});
  if (reply.status == 0) throw std::runtime_error("fauxqs: " + reply.trouble);
  return reply.body.empty() ? boost::json::value(nullptr) : boost::json::parse(reply.body);
}

std::string SqsServer::address(const std::string& name) const {
  const boost::json::value answer = ask("GetQueueUrl", {{"QueueName", name}});
  const boost::json::value* address = answer.as_object().if_contains("QueueUrl");
  return address == nullptr ? "" : std::string(address->as_string());
}

bool SqsServer::has_queue(const std::string& name) const {
  return !address(name).empty();
}

void SqsServer::delete_queue(const std::string& name) const {
  ask("DeleteQueue", {{"QueueUrl", address(name)}});
}

int SqsServer::count(const std::string& name, const char* member) const {
  const HttpReply reply = http_request("GET", url() + "/_fauxqs/queues", "", {});
  const boost::json::value queues = boost::json::parse(reply.body);
  for (const boost::json::value& queue : queues.as_array())
    if (queue.at("name").as_string() == name) return static_cast<int>(queue.at(member).as_int64());
  return -1;
}

}  // namespace eilbote::test
