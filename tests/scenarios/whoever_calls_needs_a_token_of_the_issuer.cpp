// With EILBOTE_AUTH=oidc every route needs a token of the issuer with a scope that fits: tokens of a real issuer with each
// scope on each route, forged ones, keys that rotate under load, an issuer that goes away and one that comes late.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "api/gate.h"
#include "api/route_table.h"
#include "base/clock.h"
#include "support/eventually.h"
#include "support/fake_issuer.h"
#include "support/forged_tokens.h"
#include "support/program.h"
#include "support/real_issuer.h"
#include "support/test_store.h"

namespace eilbote::test::whoever_calls_needs_a_token_of_the_issuer {
namespace {

using namespace std::chrono_literals;

SCENARIO_ON_SQLITE(WhoeverCalls);

std::string header_of(const HttpReply& reply, const std::string& name) {
  const auto found = reply.headers.find(name);
  return found == reply.headers.end() ? "" : found->second;
}

std::string type_of(const HttpReply& reply) {
  boost::system::error_code broken;
  return text_at(json::parse(reply.body, broken), "/type");
}

HttpReply ask(const EilboteProcess& server, const std::string& method, const std::string& path,
              const std::string& token, const std::string& body = "") {
  return http_request(method, server.url() + path, body, bearer(token));
}

// A path of this route; what stands in for a parameter does not exist.
std::string path_of(const Route& route) {
  std::string path(route.pattern);
  for (auto open = path.find('{'); open != std::string::npos; open = path.find('{'))
    path.replace(open, path.find('}') - open + 1, "0000000000001");
  return path;
}

std::int64_t now_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(SystemClock{}.now().time_since_epoch()).count();
}

TEST_P(WhoeverCalls, with_a_scope_gets_what_the_scope_opens_and_nothing_else) {
  const RealIssuer issuer;
  const auto server = start_server(takes_tokens_of(issuer.url()));
  std::map<std::string_view, std::string> tokens;
  const char* const algorithms[] = {"RS256", "ES256", "EdDSA"};
  for (const auto& [scope, name] : kScopeNames.entries)
    tokens[name] = issuer.token("shop", std::string(name), algorithms[tokens.size() % 3]);
  for (const Route& route : route_table()) {
    // A stream would not end: its header says as much.
    const std::string path = path_of(route), method(path == "/overview/stream" ? "HEAD" : route.method);
    const std::string body = method == "POST" || method == "PUT" ? "{}" : "";
    const HttpReply bare = http_request(method, server->url() + path, body, {});
    if (route.provider_signed == ProviderSigned::only) {
      EXPECT_EQ(bare.status, 403) << path << ": no signature can be checked here, and no token helps";
      continue;
    }
    if (route.scopes.empty()) {
      // Graph's notifications: there is nobody to take them here.
      EXPECT_EQ(bare.status, path == "/webhooks/graph" ? 404 : 200) << path;
      continue;
    }
    EXPECT_EQ(bare.status, 401) << method << " " << path;
    EXPECT_EQ(header_of(bare, "www-authenticate"), "Bearer realm=\"eilbote\"");
    for (const auto& [scope, name] : kScopeNames.entries) {
      const HttpReply reply = ask(*server, method, path, tokens[name], body);
      const std::string what = method + " " + path + " with " + std::string(name) + ": " + reply.body;
      if (admission(route, {scope}) != Admission::refused) {
        EXPECT_TRUE(reply.status != 401 && reply.status != 403 && reply.status < 500)
            << reply.status << " " << what;
        continue;
      }
      EXPECT_EQ(reply.status, 403) << what;
      EXPECT_EQ(
          header_of(reply, "www-authenticate"),
          R"(Bearer realm="eilbote", error="insufficient_scope", scope=")" + route.scopes.text() + "\"");
      if (method != "HEAD") {
        EXPECT_EQ(type_of(reply), "urn:eilbote:problem:insufficient-scope");
      }
    }
  }
}

TEST_P(WhoeverCalls, with_a_forged_token_is_refused_and_told_why) {
  FakeIssuer issuer;
  const IssuerKeys keys;
  issuer.publish(keys.jwks());
  const auto server = start_server(takes_tokens_of(issuer.url()));
  const std::string good = keys.ec.token(claims_json(issuer.url(), "eilbote", now_seconds()));
  ASSERT_EQ(ask(*server, "GET", "/messages", good).status, 200);
  const auto all = forged_tokens(keys, {issuer.url(), "eilbote", now_seconds()});
  EXPECT_GE(all.size(), 40U);
  std::map<std::string, int> expected;
  for (const Forged& forged : all) {
    if (forged.token.empty()) continue;  // on the wire that is no token at all
    const HttpReply reply = ask(*server, "POST", "/messages", forged.token, mail_json("a@example.org"));
    EXPECT_EQ(reply.status, 401) << forged.what << ": " << reply.body;
    EXPECT_EQ(type_of(reply), "urn:eilbote:problem:invalid-token") << forged.what;
    EXPECT_TRUE(header_of(reply, "www-authenticate")
                    .starts_with(R"(Bearer realm="eilbote", error="invalid_token", error_description=")"))
        << forged.what;
    ++expected[forged.fault];
  }
  const MailApi api(*server);
  for (const auto& [fault, count] : expected)
    EXPECT_EQ(api.counted(count, "eilbote_auth_refused_total", "reason=\"" + fault + "\""), count) << fault;
  EXPECT_LE(issuer.key_reads(), 3) << "made-up kids do not become a flood at the issuer";
  EXPECT_EQ(ask(*server, "GET", "/messages", good).status, 200);
  // No token, and nothing of one, is in the log.
  std::ifstream log(server->log_file());
  const std::string text((std::istreambuf_iterator<char>(log)), {});
  EXPECT_EQ(text.find(good.substr(0, 40)), std::string::npos);
  EXPECT_EQ(text.find(good.substr(good.rfind('.'))), std::string::npos);
}

TEST_P(WhoeverCalls, with_something_else_than_a_token_is_refused) {
  FakeIssuer issuer;
  const SigningKey key = SigningKey::ec("k");
  issuer.publish({key.jwk()});
  const auto server = start_server(takes_tokens_of(issuer.url()));
  const std::string good = key.token(claims_json(issuer.url(), "eilbote", now_seconds()));
  const auto status = [&](const HttpHeaders& headers, const std::string& path = "/messages") {
    return http_request("GET", server->url() + path, "", headers).status;
  };
  EXPECT_EQ(status({{"Authorization", "bearer " + good}}), 200) << "the scheme's case does not matter";
  EXPECT_EQ(status({{"Authorization", "Basic c2hvcDpzaG9w"}}), 401);
  EXPECT_EQ(status({{"Authorization", "Bearer"}}), 401);
  EXPECT_EQ(status({{"Authorization", good}}), 401);
  EXPECT_EQ(status({{"Authorization", "Bearer " + good + " x"}}), 401);
  EXPECT_EQ(status({{"Authorization", "Bearer " + good}, {"Authorization", "Bearer " + good}}), 400);
  EXPECT_EQ(status({}, "/messages?access_token=" + good), 401) << "never from the address";
  EXPECT_EQ(status({{"Authorization", "Bearer " + good}}, "/health/live"), 200);
  EXPECT_EQ(status({{"Authorization", "Bearer garbage"}}, "/health/ready"), 200) << "nobody is asked here";
}

TEST_P(WhoeverCalls, meets_rotating_keys_without_noticing) {
  const RealIssuer issuer;
  const auto server = start_server(takes_tokens_of(issuer.url()));
  std::atomic<bool> over{false};
  std::atomic<int> done{0}, failed{0};
  std::atomic<int> generation{0};
  std::vector<std::thread> clients;
  for (int n = 0; n < 4; ++n)
    clients.emplace_back([&, n] {
      std::string token;
      for (int mine = -1; !over;) {
        if (mine != generation) {  // an old token goes on until the client asks for a new one
          mine = generation;
          token = issuer.token("shop", "mail.send", n % 2 == 0 ? "RS256" : "EdDSA");
        }
        const HttpReply reply = ask(*server, "POST", "/messages", token, mail_json("a@example.org"));
        reply.status == 202 ? ++done : ++failed;
        if (reply.status != 202)
          ADD_FAILURE() << "with the keys of round " << mine << ": " << reply.status << " " << reply.body;
      }
    });
  const auto more_done = [&] {
    const int before = done;
    EXPECT_TRUE(eventually([&] { return done > before + 20 || failed > 0; }));
  };
  more_done();
  issuer.rotate();
  ++generation;
  more_done();
  issuer.withdraw_old();
  more_done();
  over = true;
  for (std::thread& client : clients)
    client.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GE(MailApi(*server).metric("eilbote_auth_key_fetches_total", "ok"), 2);
}

TEST_P(WhoeverCalls, goes_on_while_the_issuer_is_away) {
  RealIssuer issuer;
  auto settings = takes_tokens_of(issuer.url());
  settings["EILBOTE_OIDC_KEYS_LIFE"] = "10s";
  const auto server = start_server(settings);
  const std::string known = issuer.token("shop", "mail.status:read"),
                    fresh = issuer.token("shop", "mail.status:read", "RS256");
  EXPECT_EQ(ask(*server, "GET", "/messages", known).status, 200);
  issuer.stop();
  const MailApi api(*server);
  EXPECT_TRUE(eventually([&] { return api.metric("eilbote_auth_key_fetches_total", "failed") >= 1; }));
  EXPECT_EQ(ask(*server, "GET", "/messages", known).status, 200);
  EXPECT_EQ(ask(*server, "GET", "/messages", fresh).status, 200) << "not seen before, but its key was";
  EXPECT_EQ(server->get("/health/ready").status, 200);
  issuer.start();  // with other keys
  EXPECT_TRUE(eventually([&] {
    return ask(*server, "GET", "/messages", issuer.token("shop", "mail.status:read")).status == 200;
  }));
}

TEST_P(WhoeverCalls, waits_for_an_issuer_that_comes_late) {
  RealIssuer issuer;
  const std::string early = issuer.token("shop", "mail.status:read");
  issuer.stop();
  const auto server = start_server(takes_tokens_of(issuer.url()));
  const HttpReply reply = ask(*server, "GET", "/messages", early);
  EXPECT_EQ(reply.status, 503) << reply.body;
  EXPECT_NE(header_of(reply, "retry-after"), "");
  const HttpReply ready = server->get("/health/ready");
  EXPECT_EQ(ready.status, 503);
  EXPECT_NE(ready.body.find("issuer"), std::string::npos) << ready.body;
  EXPECT_EQ(server->get("/health/live").status, 200);
  issuer.start();
  EXPECT_TRUE(eventually([&] { return server->get("/health/ready").status == 200; }));
  EXPECT_EQ(ask(*server, "GET", "/messages", issuer.token("shop", "mail.status:read")).status, 200);
}

TEST_P(WhoeverCalls, from_the_command_line_brings_the_token_along) {
  const RealIssuer issuer;
  const auto server = start_server(takes_tokens_of(issuer.url()));
  const auto run = [&](const std::vector<std::string>& arguments, Settings environment) {
    std::vector<std::string> command{program_under_test()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    environment["EILBOTE_SERVER"] = server->url();
    return run_command(command, environment, 30s);
  };
  const CommandResult bare = run({"list"}, {});
  EXPECT_EQ(bare.exit_code, 1);
  EXPECT_NE(bare.err.find("EILBOTE_TOKEN"), std::string::npos) << bare.err;
  const std::string reader = issuer.token("shop", "mail.status:read");
  EXPECT_EQ(run({"list"}, {{"EILBOTE_TOKEN", reader}}).exit_code, 0);
  std::ofstream(folder_ / "token") << reader << "\n";
  EXPECT_EQ(run({"list", "--token-ref", "file://" + (folder_ / "token")}, {}).exit_code, 0);
  const CommandResult narrow = run({"pools"}, {{"EILBOTE_TOKEN", reader}});
  EXPECT_EQ(narrow.exit_code, 1);
  EXPECT_NE(narrow.err.find("ops.read"), std::string::npos) << narrow.err;
  const CommandResult absent = run({"list", "--token-ref", "file:///nowhere/token"}, {});
  EXPECT_NE(absent.exit_code, 0);
  EXPECT_NE(absent.err.find("/nowhere/token"), std::string::npos) << absent.err;
}

// The port the second listener took, from the log.
std::string metrics_url(const EilboteProcess& server) {
  std::string url;
  eventually([&] {
    std::ifstream log(server.log_file());
    for (std::string line; std::getline(log, line);) {
      boost::system::error_code broken;
      const json::value entry = json::parse(line, broken);
      if (!broken && line.find("metrics listen") != std::string::npos)
        url = "http://127.0.0.1:" + text_at(entry, "/port");
    }
    return !url.empty();
  });
  return url;
}

TEST_P(WhoeverCalls, for_metrics_can_be_given_a_listener_of_their_own) {
  const auto server = start_server({{"EILBOTE_METRICS_LISTEN", "127.0.0.1:0"}});
  const std::string other = metrics_url(*server);
  EXPECT_EQ(server->get("/metrics").status, 404);
  EXPECT_EQ(server->get("/health/ready").status, 200);
  EXPECT_EQ(server->get("/messages").status, 200);
  EXPECT_EQ(http_request("GET", other + "/metrics", "", {}).status, 200);
  EXPECT_EQ(http_request("GET", other + "/health/live", "", {}).status, 200);
  EXPECT_EQ(http_request("GET", other + "/messages", "", {}).status, 404);
  EXPECT_EQ(http_request("GET", other + "/audit", "", {}).status, 404);
}

}  // namespace
}  // namespace eilbote::test::whoever_calls_needs_a_token_of_the_issuer
