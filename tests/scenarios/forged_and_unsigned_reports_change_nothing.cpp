// Reports from outside are taken only from those who may bring them, and believed only as far as they name a mail of ours and
// a recipient of that mail; everything else is kept for people to see, and changes nothing.
#include <gtest/gtest.h>

#include <fstream>

#include "base/clock.h"
#include "base/hex.h"
#include "base/hmac.h"
#include "base/sha256.h"
#include "support/bounce.h"
#include "support/captured_mail.h"
#include "support/test_store.h"

namespace eilbote::test::forged_and_unsigned_reports_change_nothing {
namespace {

const std::string kSecret = "a secret shared with the provider";
const Settings kSigned{{"EILBOTE_PROVIDER_SECRET_REF", "env://PROVIDER_SECRET"},
                       {"PROVIDER_SECRET", kSecret}};

class Reports : public StoreScenario {
 protected:
  void start(const Settings& settings) {
    server_ = start_server(settings);
    api_ = std::make_unique<MailApi>(*server_);
  }
  std::string sent_to(const std::string& address) {
    const std::string id = api_->accept(mail_json(address));
    EXPECT_TRUE(api_->reaches(id, "SENT"));
    return id;
  }
  std::string message_id(const std::string& id) const {
    for (const CapturedMail& mail : captured_mails(server_->capture_folder()))
      if (mail.id == id) return mail.message_id;
    return "";
  }
  HttpReply dsn(const std::string& raw, HttpHeaders headers = {}) const {
    headers.emplace_back("Content-Type", "message/rfc822");
    return server_->post("/webhooks/dsn", raw, headers);
  }
  HttpReply provider(const std::string& body, const std::string& signature) const {
    HttpHeaders headers;
    if (!signature.empty()) headers.emplace_back("X-Webhook-Signature", signature);
    return server_->post("/webhooks/provider", body, headers);
  }
  static std::string signature_of(const std::string& body, const std::string& secret = kSecret) {
    return to_hex(hmac_sha256(secret, body));
  }
  static std::string event(const std::string& type, const std::string& id, const std::string& more = "") {
    return R"({"eventType":")" + type + R"(","messageId":")" + id + R"(","timestamp":")" +
           to_rfc3339(SystemClock{}.now()) + "\"" + more + "}";
  }
  json::array reports(const std::string& query) const {
    return api_->read("/reports" + query).at("data").as_array();
  }

  std::unique_ptr<EilboteProcess> server_;
  std::unique_ptr<MailApi> api_;
};
INSTANTIATE_TEST_SUITE_P(Stores, Reports, ::testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         store_name);

std::string outcome(const HttpReply& reply) {
  return std::to_string(reply.status) + " " + text_at(json::parse(reply.body), "/outcome");
}
std::string type_of(const HttpReply& reply) {
  return text_at(json::parse(reply.body), "/type");
}

TEST_P(Reports, that_are_forged_change_nothing) {
  start({});
  const std::string id = sent_to("ada@example.org");
  // A mail nobody sent.
  EXPECT_EQ(outcome(dsn(bounce({"<0000000000001@elsewhere.example>", "ada@example.org"}))), "200 unmatched");
  // Our mail, and somebody it did not go to.
  EXPECT_EQ(outcome(dsn(bounce({message_id(id), "eve@example.org"}))), "200 applied");
  EXPECT_EQ(api_->status(id), "SENT");
  EXPECT_EQ(text_at(api_->message(id), "/details/recipients/0/status"), "taken");
  EXPECT_TRUE(api_->read("/suppressions").at("data").as_array().empty());
  // What is none at all, and what nobody should send here.
  EXPECT_EQ(outcome(dsn("From: eve@example.org\r\nSubject: Hi\r\n\r\nHow are you?\r\n")), "200 ignored");
  EXPECT_EQ(dsn("").status, 400);
  EXPECT_EQ(server_->post("/webhooks/dsn", "{}", {{"Content-Type", "application/json"}}).status, 415);
  EXPECT_EQ(dsn(std::string(8 * 1024 * 1024 + 1, 'x')).status, 413);

  ASSERT_EQ(reports("?matched=false").size(), 1U);
  EXPECT_EQ(text_at(reports("?matched=false")[0], "/report/recipients/0/address"), "ada@example.org");
  ASSERT_EQ(reports("?messageId=" + id).size(), 1U);
  EXPECT_EQ(text_at(reports("?messageId=" + id)[0], "/source"), "dsn");
  EXPECT_EQ(reports("").size(), 2U);
  EXPECT_EQ(reports("?limit=1").size(), 1U);
}

TEST_P(Reports, of_a_provider_count_when_they_are_signed) {
  start(kSigned);
  const std::string id = sent_to("ada@example.org");
  const std::string body =
      event("bounced", id, R"(,"recipient":"ada@example.org","raw":"550 5.1.1 no such user")");
  for (const std::string& signature : {std::string(), std::string("sha256="),
                                       signature_of(body, "another secret"), signature_of(body + " ")}) {
    const HttpReply refused = provider(body, signature);
    EXPECT_EQ(refused.status, 401) << signature;
    EXPECT_EQ(type_of(refused), "urn:eilbote:problem:bad-signature") << signature;
  }
  EXPECT_EQ(api_->status(id), "SENT");
  EXPECT_EQ(outcome(provider(body, "sha256=" + signature_of(body))), "200 applied");
  EXPECT_EQ(api_->status(id), "BOUNCED");
  EXPECT_NE(text_at(api_->message(id), "/details/recipients/0/reply").find("no such user"),
            std::string::npos);
  EXPECT_EQ(outcome(provider(body, signature_of(body))), "200 seen_before");
  EXPECT_EQ(api_->counted(4, "eilbote_auth_refused_total", "reason=\"signature\""), 4);

  const std::string nobodys = event("bounced", "0000000000001");
  EXPECT_EQ(outcome(provider(nobodys, signature_of(nobodys))), "202 unmatched");
  const std::string bad = R"({"eventType":"eaten","recipient":"x"})";
  const HttpReply faults = provider(bad, signature_of(bad));
  EXPECT_EQ(faults.status, 400);
  EXPECT_EQ(json::parse(faults.body).at("errors").as_array().size(), 4U) << faults.body;
}

TEST_P(Reports, of_a_provider_move_a_mail_as_they_say) {
  start(kSigned);
  const auto told = [&](const std::string& body) { return outcome(provider(body, signature_of(body))); };
  const std::string delivered = sent_to("a@example.org"), failed = sent_to("b@example.org"),
                    deferred = sent_to("c@example.org");
  EXPECT_EQ(told(event("delivered", delivered)), "200 applied");
  EXPECT_EQ(api_->status(delivered), "DELIVERED");
  EXPECT_EQ(text_at(api_->message(delivered), "/details/recipients/0/status"), "delivered");
  EXPECT_EQ(told(event("failed", failed, R"(,"raw":{"reason":"quota"})")), "200 applied");
  EXPECT_EQ(api_->status(failed), "FAILED");
  EXPECT_EQ(told(event("deferred", deferred)), "200 applied");
  EXPECT_EQ(api_->status(deferred), "RETRY_PENDING");
  EXPECT_EQ(number_at(api_->message(deferred), "/details/retryCount"), 1);
}

TEST_P(Reports, of_a_provider_are_refused_where_no_secret_is_set) {
  start({});
  const std::string body = event("bounced", "0000000000001");
  for (const std::string& signature : {std::string(), signature_of(body), signature_of(body, "")}) {
    const HttpReply refused = provider(body, signature);
    EXPECT_EQ(refused.status, 403) << refused.body;
    EXPECT_EQ(type_of(refused), "urn:eilbote:problem:signatures-off");
    EXPECT_NE(refused.body.find("EILBOTE_PROVIDER_SECRET_REF"), std::string::npos);
  }
}

TEST_P(Reports, may_be_signed_instead_of_a_token) {
  start(kSigned);
  const std::string raw = bounce({"<nobody@elsewhere.example>", "ada@example.org"});
  EXPECT_EQ(outcome(dsn(raw, {{"X-Webhook-Signature", signature_of(raw)}})), "200 unmatched");
  EXPECT_EQ(dsn(raw, {{"X-Webhook-Signature", signature_of(raw, "wrong")}}).status, 401)
      << "a signature that is shown has to be right";
}

TEST_P(Reports, are_signed_with_a_new_secret_without_a_restart) {
  const std::string file = folder_ / "provider.secret";
  const auto write = [&](const std::string& secret) { std::ofstream(file, std::ios::trunc) << secret; };
  write("the first secret");
  start({{"EILBOTE_PROVIDER_SECRET_REF", "file://" + file}});
  const std::string body = event("bounced", "0000000000001");
  EXPECT_EQ(provider(body, signature_of(body, "the first secret")).status, 202);
  write("the second secret");
  EXPECT_EQ(outcome(provider(body, signature_of(body, "the second secret"))), "200 seen_before");
  EXPECT_EQ(provider(body, signature_of(body, "the first secret")).status, 401);
}

}  // namespace
}  // namespace eilbote::test::forged_and_unsigned_reports_change_nothing
