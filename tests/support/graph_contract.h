// Microsoft's own contract of Graph in front of the scripted tenant: Stoplight prism (tests/node) as a validating proxy over the
// OpenAPI under EILBOTE_CONTRACTS, and Ajv over graph-mail.schema.json for what the OpenAPI has not. What does not fit is a
// violation of the tenant.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "support/child_process.h"
#include "support/mail_api.h"
#include "support/scripted_graph.h"
#include "support/server_packages.h"
#include "support/temp_folder.h"

namespace eilbote::test {

class GraphContract {
 public:
  // Why it cannot be had, in words; empty: it can.
  static std::string missing() {
    if (!std::filesystem::exists(file("openapi-v1.0-mail-trimmed.yaml")))
      return "there is no graph/openapi-v1.0-mail-trimmed.yaml under EILBOTE_CONTRACTS";
    return std::filesystem::exists(prism()) ? "" : "prism is not there; npm ci in tests/node";
  }

  // The tenant outlives this.
  explicit GraphContract(ScriptedGraph& tenant) : tenant_(tenant), port_(free_port()) {
    process_ = std::make_unique<ChildProcess>(ChildOptions{
        {"node", prism(), "proxy", file("openapi-v1.0-mail-trimmed.yaml"), tenant.inner_url(), "--errors",
         "--host", "127.0.0.1", "--port", std::to_string(port_), "--verboseLevel", "silent"},
        {},
        folder_ / "log",
        ""});
    wait_for_port(*process_, port_, folder_ / "log");
    tenant.check_with("http://127.0.0.1:" + std::to_string(port_));
  }
  ~GraphContract() { tenant_.check_with(""); }
  GraphContract(const GraphContract&) = delete;
  GraphContract& operator=(const GraphContract&) = delete;

  // What of the JSON that was sent so far does not fit; exit code 0: nothing.
  CommandResult check_bodies() const {
    std::ofstream out(folder_ / "bodies.jsonl");
    for (const auto& [definition, body] : tenant_.bodies())
      out << json::serialize(json::object{{"definition", definition}, {"body", body}}) << "\n";
    out.close();
    return run_command({"node", EILBOTE_SOURCE_DIR "/tests/node/check_graph_bodies.js",
                        file("graph-mail.schema.json"), folder_ / "bodies.jsonl"});
  }

 private:
  static std::string file(const std::string& name) {
    const char* folder = std::getenv("EILBOTE_CONTRACTS");
    return std::string(folder == nullptr ? "" : folder) + "/graph/" + name;
  }
  static std::string prism() {
    return EILBOTE_SOURCE_DIR "/tests/node/node_modules/@stoplight/prism-cli/dist/index.js";
  }

  ScriptedGraph& tenant_;
  const std::uint16_t port_;
  TempFolder folder_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace eilbote::test
