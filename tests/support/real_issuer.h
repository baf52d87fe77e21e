// npm's oidc-provider as a program of its own: a real issuer of client-credentials tokens. It can be stopped and started
// again at the same address, with other keys, can rotate its keys while it runs, and give tokens that have ended.
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "support/child_process.h"
#include "support/http_client.h"
#include "support/mail_api.h"
#include "support/temp_folder.h"

namespace eilbote::test {

class RealIssuer {
 public:
  RealIssuer() { start(); }

  void start() {
    process_ = std::make_unique<ChildProcess>(ChildOptions{
        {"node", EILBOTE_SOURCE_DIR "/tests/node/oidc_issuer.mjs", port_}, {}, folder_ / "log", ""});
    // It warns about what is only for development; the port comes after that.
    std::optional<std::string> line;
    do
      line = process_->read_line(std::chrono::seconds{30});
    while (line && (line->empty() || line->find_first_not_of("0123456789") != std::string::npos));
    if (!line) throw std::runtime_error("the issuer did not start; is tests/node installed?");
    port_ = *line;
  }
  void stop() { process_.reset(); }
  std::string url() const { return "http://127.0.0.1:" + port_; }

  // `scopes` with blanks between them; `client` is one that oidc_issuer.mjs knows.
  std::string token(const std::string& client, const std::string& scopes,
                    const std::string& algorithm = "ES256") const {
    std::string wanted = scopes;
    std::replace(wanted.begin(), wanted.end(), ' ', '+');
    const HttpReply reply =
        http_request("POST", url() + "/token",
                     "grant_type=client_credentials&client_id=" + client + "&client_secret=" + client +
                         "-secret&scope=" + wanted + "&resource=urn:eilbote:" + algorithm,
                     {{"Content-Type", "application/x-www-form-urlencoded"}});
    if (reply.status != 200) throw std::runtime_error("no token: " + reply.body);
    return text_at(json::parse(reply.body), "/access_token");
  }
  void rotate() const { command("/rotate"); }
  void withdraw_old() const { command("/withdraw"); }
  // The next tokens are good but for their time, which was over two minutes ago.
  void give_stale(int tokens) const { command("/stale?tokens=" + std::to_string(tokens)); }

 private:
  void command(const std::string& path) const {
    if (http_request("POST", url() + path, "", {}).status != 200) throw std::runtime_error("issuer: " + path);
  }

  TempFolder folder_;
  std::string port_ = "0";
  std::unique_ptr<ChildProcess> process_;
};

// Environment of a server that takes tokens of this issuer.
inline std::map<std::string, std::string> takes_tokens_of(const std::string& issuer) {
  return {{"EILBOTE_AUTH", "oidc"}, {"EILBOTE_OIDC_ISSUER", issuer}, {"EILBOTE_OIDC_AUDIENCE", "eilbote"}};
}

inline HttpHeaders bearer(const std::string& token) {
  return {{"Authorization", "Bearer " + token}};
}

}  // namespace eilbote::test
