// What we deliver is verified by the packages receivers use and by the snippets of our own guide; what was tampered with,
// is old or was signed with another key is refused; while a key is changed, both keys fit.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "support/child_process.h"
#include "support/job_api.h"
#include "support/scripted_http.h"
#include "support/test_store.h"

namespace eilbote::test::receivers_can_verify_our_webhooks {
namespace {

SCENARIO_ON_SQLITE(Receivers);

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The code block of the guide that is marked with this name.
std::string snippet(const std::string& name) {
  const std::string guide = text_of(EILBOTE_SOURCE_DIR "/docs/webhooks.md");
  const auto mark = guide.find(" " + name + "\n");
  if (mark == std::string::npos) throw std::runtime_error("no snippet " + name);
  const auto begin = guide.find('\n', mark) + 1;
  return guide.substr(begin, guide.find("```", begin) - begin);
}

json::object delivery(const std::string& name, const std::string& secret, const HttpSeen& seen, bool good) {
  json::object headers;
  for (const char* header : {"webhook-id", "webhook-timestamp", "webhook-signature"})
    headers[header] = seen.headers.at(header);
  return {{"name", name}, {"secret", secret}, {"headers", headers}, {"body", seen.body}, {"good", good}};
}

constexpr const char* kPythonCheck = R"(
import json, sys
scope = {}
exec(open(sys.argv[1]).read(), scope)
wrong = 0
for d in json.load(open(sys.argv[2])):
    try:
        scope["verify"](d["secret"], d["headers"], d["body"].encode())
        ok = True
    except ValueError:
        ok = False
    if ok != d["good"]:
        print(d["name"], "python", "accepted it" if ok else "refused it")
        wrong += 1
sys.exit(1 if wrong else 0)
)";

TEST_P(Receivers, can_verify_what_we_send_and_refuse_what_we_did_not) {
  ScriptedHttp endpoint;
  const auto server = start_server();
  const JobApi api(*server);
  const json::value made =
      api.post("/service-accounts", R"({"code":"shop","name":"Shop","clientIds":["local"]})");
  const std::string account = text_at(made, "/serviceAccount/id"),
                    key = text_at(made, "/webhook/signingSecret");
  const auto deliver = [&] {
    const std::string id =
        api.accept(job_json(endpoint.url(), R"(,"serviceAccountId":")" + account + R"(","subject":"ä")"));
    EXPECT_TRUE(api.reaches(id, "COMPLETED"));
    return endpoint.seen().back();
  };
  json::array deliveries;
  const HttpSeen first = deliver();
  deliveries.push_back(delivery("as it came", key, first, true));
  HttpSeen tampered = first;
  tampered.body += " ";
  deliveries.push_back(delivery("tampered", key, tampered, false));
  HttpSeen old = first;
  old.headers["webhook-timestamp"] = std::to_string(std::stoll(first.headers.at("webhook-timestamp")) - 3600);
  deliveries.push_back(delivery("old", key, old, false));
  deliveries.push_back(delivery("another key", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", first, false));

  const std::string fresh =
      text_at(api.post("/service-accounts/" + account + "/regenerate-secret"), "/signingSecret");
  ASSERT_FALSE(fresh.empty());
  EXPECT_NE(fresh, key);
  const HttpSeen rotated = deliver();
  deliveries.push_back(delivery("old key while rotating", key, rotated, true));
  deliveries.push_back(delivery("new key while rotating", fresh, rotated, true));

  const std::string file = folder_ / "deliveries.json", node = folder_ / "verify.js",
                    python = folder_ / "verify.py", check = folder_ / "check.py";
  std::ofstream(file) << json::serialize(deliveries);
  std::ofstream(node) << snippet("verify.js");
  std::ofstream(python) << snippet("verify.py");
  std::ofstream(check) << kPythonCheck;
  const CommandResult by_node =
      run_command({"node", EILBOTE_SOURCE_DIR "/tests/node/verify_webhook.js", node, file});
  EXPECT_EQ(by_node.exit_code, 0) << by_node.out << by_node.err;
  const CommandResult by_python = run_command({"python3", check, python, file});
  EXPECT_EQ(by_python.exit_code, 0) << by_python.out << by_python.err;
}

}  // namespace
}  // namespace eilbote::test::receivers_can_verify_our_webhooks
