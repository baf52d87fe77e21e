// Two clients and an operator on one server: random reads, lists, cancels, retries and twins by key, each client with its
// own ids and with the other's. What is another's does not exist: the same 404 as for an id that was never given out, and
// not a row, a count or a state that crosses.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/clock.h"
#include "support/eventually.h"
#include "support/fake_issuer.h"
#include "support/job_api.h"
#include "support/real_issuer.h"
#include "support/test_seed.h"
#include "support/test_store.h"

namespace eilbote::test::a_client_sees_nothing_of_another {
namespace {

SCENARIO_ON_EACH_STORE(AClient);

constexpr const char* kAbsent = "0000000000001";

struct Client {
  std::string name, token;
  std::set<std::string> mails, jobs;  // its ids
  std::set<std::string> stopped;      // those it cancelled itself
};

// A problem without what differs by request.
std::string bare_problem(const HttpReply& reply) {
  boost::system::error_code broken;
  json::value value = json::parse(reply.body, broken);
  if (broken || !value.is_object()) return reply.body;
  value.as_object().erase("instance");
  value.as_object().erase("traceId");
  return std::to_string(reply.status) + " " + json::serialize(value);
}

class World {
 public:
  World(const EilboteProcess& server, const FakeIssuer& issuer, const SigningKey& key)
      : server_(server), issuer_(issuer), key_(key), random_(test_seed()) {
    for (const char* name : {"shop", "billing"})
      clients_.push_back(
          {name, token(name, "mail.send mail.status:read webhook.send webhook.status:read"), {}, {}, {}});
    operator_ = token("console", "ops.admin");
  }

  std::string token(const std::string& client, const std::string& scopes) const {
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(SystemClock{}.now().time_since_epoch()).count();
    return key_.token(claims_json(issuer_.url(), "eilbote", now,
                                  {{"azp", "\"" + client + "\""}, {"scope", "\"" + scopes + "\""}}));
  }
  HttpReply call(const std::string& as, const std::string& method, const std::string& path,
                 const std::string& body = "", HttpHeaders headers = {}) const {
    headers.emplace_back("Authorization", "Bearer " + as);
    return http_request(method, server_.url() + path, body, headers);
  }

  void fill();
  void step();
  void expect_nothing_crossed();

  std::vector<Client> clients_;
  std::string operator_;

 private:
  int roll(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string any_of(const std::set<std::string>& ids) {
    auto it = ids.begin();
    std::advance(it, roll(static_cast<int>(ids.size())));
    return *it;
  }
  void send_mail(Client& me);
  void send_job(Client& me);
  void use_one(Client& me, Client& owner, bool mail);
  void list(const Client& me);

  const EilboteProcess& server_;
  const FakeIssuer& issuer_;
  const SigningKey& key_;
  std::mt19937 random_;
  const std::string due_ = due_in_a_month();  // the same for all: twins by key have the same body
};

void World::send_mail(Client& me) {
  // Both use the same keys, groups, tags and recipients.
  const HttpReply reply =
      call(me.token, "POST", "/messages",
           mail_json("same@example.org", "Hello " + me.name,
                     due_ + R"(,"tags":["t"],"group":"g","campaignId":"c","metadata":{"k":"v"})"),
           {{"Idempotency-Key", "idempotency-key-" + std::to_string(roll(40))}});
  ASSERT_EQ(reply.status, 202) << reply.body;
  const std::string id = text_at(json::parse(reply.body), "/messageId");
  for (const Client& other : clients_)
    if (other.name != me.name) {
      EXPECT_FALSE(other.mails.contains(id)) << "an idempotency key crossed";
    }
  me.mails.insert(id);
}

void World::send_job(Client& me) {
  const std::string extra =
      R"(,"idempotencyKey":"idempotency-job-key-)" + std::to_string(roll(40)) +
      R"(","externalId":"ext","messageGroup":"g","mode":"BLOCK_ON_ERROR","metadata":{"k":"v"},)" + due_;
  const HttpReply reply =
      call(me.token, "POST", "/dispatch-jobs", job_json("https://hooks.example/" + me.name, extra));
  ASSERT_TRUE(reply.status == 201 || reply.status == 200) << reply.body;
  const json::value job = json::parse(reply.body);
  EXPECT_EQ(text_at(job, "/clientId"), me.name);
  me.jobs.insert(text_at(job, "/id"));
}

void World::fill() {
  for (int i = 0; i < 12; ++i)
    for (Client& client : clients_) {
      send_mail(client);
      send_job(client);
    }
}

// A read or an act by `me` on something of `owner`.
void World::use_one(Client& me, Client& owner, bool mail) {
  const char* const mails[][2] = {{"GET", ""}, {"GET", "/attempts"}, {"GET", "/events"}, {"DELETE", ""}};
  const char* const jobs[][2] = {
      {"GET", ""}, {"GET", "/attempts"}, {"GET", "/events"}, {"POST", "/cancel"}, {"POST", "/retry"}};
  const std::string id = any_of(mail ? owner.mails : owner.jobs);
  const auto& chosen = mail ? mails[roll(4)] : jobs[roll(5)];
  const bool why = roll(6) == 0;
  const std::string method = why ? "GET" : chosen[0];
  const auto path = [&](const std::string& of) {
    if (why) return "/jobs/" + of + "/why";
    return (mail ? "/messages/" : "/dispatch-jobs/") + of + chosen[1];
  };
  const HttpReply reply = call(me.token, method, path(id));
  if (me.name == owner.name) {
    EXPECT_NE(reply.status, 404) << method << " " << path(id) << " of its own: " << reply.body;
    if (method != "GET" && reply.status < 300) me.stopped.insert(id);
    return;
  }
  EXPECT_EQ(bare_problem(reply), bare_problem(call(me.token, method, path(kAbsent))))
      << me.name << " " << method << " " << path(id);
  EXPECT_EQ(reply.status, 404);
}

void World::list(const Client& me) {
  const char* const queries[] = {"/messages?limit=200",
                                 "/messages?tag=t&limit=200",
                                 "/messages?recipient=same@example.org&limit=200",
                                 "/messages?campaignId=c&limit=200",
                                 "/messages?metadata.k=v&limit=200",
                                 "/messages?status=CANCELLED&limit=200",
                                 "/messages?status=QUEUED&limit=7",
                                 "/dispatch-jobs?limit=200",
                                 "/dispatch-jobs?externalId=ext&limit=200",
                                 "/dispatch-jobs?metadata.k=v&limit=200",
                                 "/dispatch-jobs?messageGroup=g&limit=200",
                                 "/dispatch-jobs?status=CANCELLED&limit=200"};
  const int which = roll(static_cast<int>(std::size(queries)));
  const HttpReply reply = call(me.token, "GET", queries[which]);
  ASSERT_EQ(reply.status, 200) << reply.body;
  const bool mail = std::string(queries[which]).starts_with("/messages");
  const json::value page = json::parse(reply.body);
  for (const json::value& row : page.at("data").as_array()) {
    const std::string id = text_at(row, mail ? "/messageId" : "/id");
    EXPECT_TRUE((mail ? me.mails : me.jobs).contains(id))
        << me.name << " sees " << id << " in " << queries[which];
  }
}

void World::step() {
  Client& me = clients_[static_cast<std::size_t>(roll(2))];
  Client& owner = clients_[static_cast<std::size_t>(roll(2))];
  const int what = roll(10);
  if (what == 0) return send_mail(me);
  if (what == 1) return send_job(me);
  if (what <= 3) return list(me);
  use_one(me, owner, roll(2) == 0);
}

// By the operator, who sees all: what is stopped was stopped by its owner, and all of it is still there.
void World::expect_nothing_crossed() {
  for (const Client& client : clients_) {
    for (const std::string& id : client.mails) {
      const HttpReply reply = call(operator_, "GET", "/messages/" + id);
      ASSERT_EQ(reply.status, 200) << reply.body;
      EXPECT_EQ(text_at(json::parse(reply.body), "/status") == "CANCELLED", client.stopped.contains(id))
          << id;
    }
    for (const std::string& id : client.jobs) {
      const json::value job = json::parse(call(operator_, "GET", "/dispatch-jobs/" + id).body);
      EXPECT_EQ(text_at(job, "/clientId"), client.name);
      EXPECT_EQ(text_at(job, "/status") == "CANCELLED", client.stopped.contains(id)) << id;
    }
  }
}

TEST_P(AClient, finds_no_way_to_what_is_anothers) {
  FakeIssuer issuer;
  const SigningKey key = SigningKey::ec("k");
  issuer.publish({key.jwk()});
  const auto server = start_server(takes_tokens_of(issuer.url()));
  World world(*server, issuer, key);
  world.fill();
  for (int i = 0; i < 600 && !HasFailure(); ++i)
    world.step();
  world.expect_nothing_crossed();
}

TEST_P(AClient, cannot_send_as_another_or_with_anothers_account) {
  FakeIssuer issuer;
  const SigningKey key = SigningKey::ec("k");
  issuer.publish({key.jwk()});
  const auto server = start_server(takes_tokens_of(issuer.url()));
  World world(*server, issuer, key);
  const Client& shop = world.clients_[0];
  const HttpReply made = world.call(world.operator_, "POST", "/service-accounts",
                                    R"({"code":"billing","name":"Billing","clientIds":["billing"]})");
  ASSERT_EQ(made.status, 201) << made.body;
  const auto send = [&](const std::string& token, const std::string& extra) {
    return world.call(token, "POST", "/dispatch-jobs",
                      job_json("https://hooks.example/x", extra + "," + due_in_a_month()));
  };
  const HttpReply as_other = send(shop.token, R"(,"clientId":"billing")");
  EXPECT_EQ(as_other.status, 403) << as_other.body;
  EXPECT_EQ(text_at(json::parse(as_other.body), "/errors/0/pointer"), "/clientId");
  EXPECT_EQ(send(shop.token, R"(,"clientId":"shop")").status, 201);
  // Another's account is refused with the words for one that does not exist.
  const HttpReply foreign = send(shop.token, R"(,"serviceAccountId":"billing")"),
                  absent = send(shop.token, R"(,"serviceAccountId":"nobody")");
  EXPECT_EQ(foreign.status, 422) << foreign.body;
  EXPECT_EQ(bare_problem(foreign), bare_problem(absent));
  EXPECT_EQ(send(world.clients_[1].token, R"(,"serviceAccountId":"billing")").status, 201);
  const auto mail = [&](const std::string& account) {
    return world.call(shop.token, "POST", "/messages",
                      mail_json("a@example.org", "x",
                                R"("callback":{"url":"https://hooks.example/x","serviceAccountId":")" +
                                    account + "\"}," + due_in_a_month()));
  };
  EXPECT_EQ(mail("billing").status, 422);
  EXPECT_EQ(bare_problem(mail("billing")), bare_problem(mail("nobody")));
  // In a batch it fails alone.
  const HttpReply batch =
      world.call(shop.token, "POST", "/dispatch-jobs/batch",
                 "[" + job_json("https://hooks.example/x", R"(,"clientId":"billing",)" + due_in_a_month()) +
                     "," + job_json("https://hooks.example/x", "," + due_in_a_month()) + "]");
  EXPECT_EQ(number_at(json::parse(batch.body), "/results/0/status"), 403) << batch.body;
  EXPECT_EQ(number_at(json::parse(batch.body), "/results/1/status"), 201);
}

TEST_P(AClient, with_the_scope_of_one_channel_learns_nothing_of_the_other) {
  FakeIssuer issuer;
  const SigningKey key = SigningKey::ec("k");
  issuer.publish({key.jwk()});
  const auto server = start_server(takes_tokens_of(issuer.url()));
  World world(*server, issuer, key);
  world.fill();
  const Client& shop = world.clients_[0];
  const std::string mail = "/jobs/" + *shop.mails.begin() + "/why",
                    job = "/jobs/" + *shop.jobs.begin() + "/why";
  const std::string mails_only = world.token("shop", "mail.status:read"),
                    jobs_only = world.token("shop", "webhook.status:read"),
                    reader = world.token("x", "ops.read");
  EXPECT_EQ(world.call(mails_only, "GET", mail).status, 200);
  EXPECT_EQ(world.call(mails_only, "GET", job).status, 404);
  EXPECT_EQ(world.call(jobs_only, "GET", mail).status, 404);
  EXPECT_EQ(world.call(jobs_only, "GET", job).status, 200);
  EXPECT_EQ(world.call(reader, "GET", mail).status, 200);
  EXPECT_EQ(world.call(reader, "GET", job).status, 200);
}

TEST_P(AClient, is_named_on_the_audit_record_of_what_it_changed) {
  FakeIssuer issuer;
  const SigningKey key = SigningKey::ec("k");
  issuer.publish({key.jwk()});
  const auto server = start_server(takes_tokens_of(issuer.url()));
  World world(*server, issuer, key);
  const std::string& admin = world.operator_;
  const auto read = [&](const std::string& query) {
    const HttpReply reply = world.call(admin, "GET", "/audit" + query);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  };
  ASSERT_EQ(
      world.call(admin, "POST", "/dispatch-pools", R"({"code":"slow","name":"Slow","concurrency":2})").status,
      201);
  ASSERT_EQ(world.call(admin, "PUT", "/dispatch-pools/slow", R"({"concurrency":3})").status, 200);
  ASSERT_EQ(world.call(admin, "POST", "/dispatch-pools/slow/suspend").status, 200);
  const HttpReply made =
      world.call(admin, "POST", "/service-accounts", R"({"code":"acme","name":"Acme","clientIds":["shop"]})");
  ASSERT_EQ(made.status, 201);
  const std::string secret = text_at(json::parse(made.body), "/webhook/signingSecret");
  ASSERT_EQ(world.call(admin, "POST", "/service-accounts/acme/regenerate-secret").status, 200);
  ASSERT_EQ(world.call(admin, "POST", "/schemas", R"({"name":"s","schema":{"type":"object"}})").status, 201);
  ASSERT_EQ(world.call(admin, "POST", "/breakers/capture/reset").status, 204)
      << world.call(admin, "GET", "/breakers").body;
  world.fill();
  const std::string mail = *world.clients_[0].mails.begin();
  ASSERT_EQ(world.call(admin, "POST", "/messages/" + mail + "/abandon").status, 200);
  ASSERT_EQ(world.call(admin, "POST", "/messages/" + mail + "/retry").status, 200);

  const json::value all = read("?limit=200");
  std::vector<std::string> acts;
  for (const json::value& entry : all.at("data").as_array()) {
    acts.insert(acts.begin(), text_at(entry, "/action"));
    EXPECT_EQ(text_at(entry, "/actor"), "console/f3a1");
    EXPECT_NE(text_at(entry, "/traceId"), "");
  }
  EXPECT_EQ(acts, (std::vector<std::string>{"pool.create", "pool.change", "pool.suspend", "account.create",
                                            "account.regenerate-secret", "schema.create", "breaker.reset",
                                            "abandon", "retry"}));
  EXPECT_EQ(json::serialize(all).find(secret), std::string::npos);
  EXPECT_EQ(json::serialize(all).find("encrypted://v"), std::string::npos);
  const json::value change = read("?action=pool.change&target=pool:slow");
  EXPECT_EQ(text_at(change, "/data/0/detail/before"), R"({"concurrency":2})");
  EXPECT_EQ(text_at(change, "/data/0/detail/after"), R"({"concurrency":3})");
  EXPECT_EQ(read("?target=" + mail).at("data").as_array().size(), 2U);
  EXPECT_EQ(read("?actor=nobody").at("data").as_array().size(), 0U);
  EXPECT_EQ(read("?to=2020-01-01T00:00:00Z").at("data").as_array().size(), 0U);
  EXPECT_EQ(read("?from=2020-01-01T00:00:00Z&actor=console/f3a1&limit=200").at("data").as_array().size(), 9U);
  // Page by page it is the same list.
  std::size_t seen = 0;
  for (std::string cursor = "?limit=4"; !cursor.empty();) {
    const json::value page = read(cursor);
    seen += page.at("data").as_array().size();
    const auto& next = page.at("nextCursor");
    cursor = next.is_null() ? "" : "?limit=4&cursor=" + std::string(next.as_string());
  }
  EXPECT_EQ(seen, 9U);
  for (const char* wrong : {"?limit=0", "?cursor=x", "?from=yesterday", "?aktor=x", "?actor="})
    EXPECT_EQ(world.call(admin, "GET", std::string("/audit") + wrong).status, 400) << wrong;
}

}  // namespace
}  // namespace eilbote::test::a_client_sees_nothing_of_another
