// Contents under a data key, on both stores: nothing of them can be read in the database, everything by those who have the
// key; rows cannot be swapped; the key can be changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/base64.h"
#include "engine/rekey.h"
#include "secrets/content_cipher.h"
#include "secrets/secrets.h"
#include "store/sealed_outbox.h"
#include "support/faulty_outbox.h"
#include "support/outbox_fixture.h"
#include "support/webhook_builder.h"

namespace eilbote::test::sealed_contents_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kMime = "Subject: a very private matter\r\n\r\nthe whole truth\r\n";
const std::string kMeta = R"({"subject":"a very private matter","tags":["blue"]})";
const std::string kPayload = R"({"truth":"the whole truth"})";

Secret key(char fill) {
  return Secret(std::string(kDataKeyBytes, fill));
}

class SealedContents : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    seal_with({key('a'), Secret()});
  }
  void TearDown() override {
    sealed_.reset();
    StoreFixture::TearDown();
  }
  // The store's outbox, seen through this cipher.
  void seal_with(DataKeys keys) {
    cipher_ = make_content_cipher(std::move(keys));
    sealed_ = make_sealed_outbox(std::make_unique<FaultyOutbox>(outbox()), *cipher_);
  }

  JobId accept_mail() {
    const JobId id = new_id();
    const NewJob job = MailBuilder(id).tagged("blue").with_mime(kMime).with_meta(kMeta);
    EXPECT_EQ(must(sealed_->accept(std::span(&job, 1), AcceptRun::first)).at(0).kind, AcceptKind::accepted);
    return id;
  }
  JobId accept_webhook() {
    const JobId id = new_id();
    const NewJob job = WebhookBuilder(id).with([](Webhook& w) { w.payload = kPayload; });
    EXPECT_EQ(must(sealed_->accept(std::span(&job, 1), AcceptRun::first)).at(0).kind, AcceptKind::accepted);
    return id;
  }
  std::vector<MailContent> mails(JobId id) {
    return must(sealed_->load_contents(std::span(&id, 1), {})).mails;
  }
  std::vector<WebhookContent> webhooks(JobId id) {
    return must(sealed_->load_contents({}, std::span(&id, 1))).webhooks;
  }
  // All that lies in the tables of contents.
  std::string stored() {
    std::string all;
    for (const char* table : {"messages", "webhooks"})
      for (const SqlRow& row : rows(std::string("SELECT * FROM ") + table))
        for (const std::string& value : row)
          all += value + "\n";
    return all;
  }
  RekeyProgress rekey_with(const DataKeys& keys, const DataKeyOptions& references = {}) {
    const auto cipher = make_content_cipher(keys);
    const auto secrets = make_secret_source(references);
    const SystemClock clock;
    return must(rekey({contents(), *cipher, registry(), *secrets, clock},
                      [this](const RekeyProgress& progress) { told_.push_back(progress.part); }));
  }

  std::unique_ptr<ContentCipher> cipher_;
  std::unique_ptr<Outbox> sealed_;
  std::vector<double> told_;
};
INSTANTIATE_TEST_SUITE_P(Stores, SealedContents, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(SealedContents, LieInTheDatabaseUnreadable) {
  const JobId mail = accept_mail(), webhook = accept_webhook();
  const std::string all = stored();
  EXPECT_THAT(all, Not(HasSubstr("private matter")));
  EXPECT_THAT(all, Not(HasSubstr("whole truth")));
  EXPECT_THAT(all, HasSubstr("blue")) << "what is searched for stays";
  EXPECT_EQ(mails(mail).at(0).mime, kMime);
  EXPECT_EQ(webhooks(webhook).at(0).webhook.payload, kPayload);
  EXPECT_THAT(must(sealed_->find(mail, std::nullopt))->meta, HasSubstr("a very private matter"));
  EXPECT_EQ(must(sealed_->find(webhook, std::nullopt))->webhook->payload, kPayload);
  ListQuery query;
  query.tag = "blue";
  query.client = ClientName{"shop"};
  EXPECT_THAT(must(sealed_->list(query)).jobs.at(0).meta, HasSubstr("a very private matter"));
}

// An instance that was not restarted yet when another got the first key.
TEST_P(SealedContents, AreNeverTakenForContentsWithoutAKey) {
  const JobId mail = accept_mail(), webhook = accept_webhook();
  seal_with({});
  EXPECT_THAT(mails(mail), IsEmpty());
  EXPECT_THAT(webhooks(webhook), IsEmpty());
  const JobId in_the_clear = accept_mail();
  EXPECT_EQ(mails(in_the_clear).at(0).mime, kMime);
  EXPECT_THAT(stored(), HasSubstr("private matter"));
}

TEST_P(SealedContents, OpenUnderAKeyThatSealsNothingYet) {
  const JobId mail = accept_mail(), webhook = accept_webhook();
  seal_with({Secret(), key('a')});
  EXPECT_EQ(mails(mail).at(0).mime, kMime);
  EXPECT_EQ(webhooks(webhook).at(0).webhook.payload, kPayload);
  EXPECT_THAT(stored(), Not(HasSubstr("private matter")));
  accept_mail();
  EXPECT_THAT(stored(), HasSubstr("private matter"));
}

TEST_P(SealedContents, WhatWasThereBeforeStaysReadable) {
  const JobId mail = accepted(new_mail().with_mime(kMime).with_meta(kMeta));
  const JobId webhook = accepted(WebhookBuilder(new_id()));
  EXPECT_EQ(mails(mail).at(0).mime, kMime);
  EXPECT_EQ(webhooks(webhook).at(0).webhook.payload, R"({"order":1})");
  EXPECT_EQ(must(sealed_->find(mail, std::nullopt))->meta, must(outbox().find(mail, std::nullopt))->meta)
      << "the bytes as the store has them";
}

TEST_P(SealedContents, OfAnotherRowDoNotOpen) {
  const JobId first = accept_mail(), second = accept_mail(), hook = accept_webhook(),
              other = accept_webhook();
  const auto move = [&](const char* table, const char* column, JobId from, JobId to) {
    sql(std::string("UPDATE ") + table + " SET " + column + " = (SELECT " + column + " FROM " + table +
        " WHERE id = " + std::to_string(from.value()) + ") WHERE id = " + std::to_string(to.value()));
  };
  move("messages", "mime", first, second);
  move("webhooks", "payload", hook, other);
  EXPECT_EQ(mails(first).size(), 1U);
  EXPECT_THAT(mails(second), IsEmpty()) << "as if it were gone";
  EXPECT_EQ(webhooks(hook).size(), 1U);
  EXPECT_THAT(webhooks(other), IsEmpty());
}

TEST_P(SealedContents, DoNotOpenUnderAnotherKeyAndOneDoesNotStopTheOthers) {
  const JobId old = accept_mail();
  seal_with({key('b'), Secret()});
  const JobId fresh = accept_mail();
  const std::vector<JobId> both{old, fresh};
  const auto found = must(sealed_->load_contents(both, {})).mails;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, fresh);
  EXPECT_THAT(must(sealed_->find(old, std::nullopt))->meta, HasSubstr("unreadable"));
}

TEST_P(SealedContents, MoveToAnotherKeyAndThenNeedTheOldOneNoMore) {
  std::vector<JobId> sealed, hooks;
  const JobId plain = accepted(new_mail().with_mime(kMime).with_meta(kMeta));
  for (int i = 0; i < 10; ++i) {
    sealed.push_back(accept_mail());
    hooks.push_back(accept_webhook());
  }
  must(contents().add_key_id(cipher_->key_id()));
  const RekeyProgress done = rekey_with({key('b'), key('a')});
  EXPECT_EQ(done.part, 1);
  EXPECT_EQ(done.seen, 21);
  EXPECT_EQ(done.changed, 21);
  EXPECT_EQ(done.unreadable, 0);
  EXPECT_FALSE(told_.empty());
  EXPECT_TRUE(std::is_sorted(told_.begin(), told_.end()));
  seal_with({key('b'), Secret()});
  EXPECT_THAT(must(contents().key_ids()), ::testing::ElementsAre(cipher_->key_id()));
  EXPECT_EQ(mails(plain).at(0).mime, kMime);
  for (const JobId id : sealed) {
    EXPECT_EQ(mails(id).at(0).mime, kMime);
    EXPECT_THAT(must(sealed_->find(id, std::nullopt))->meta, HasSubstr("a very private matter"));
  }
  for (const JobId id : hooks)
    EXPECT_EQ(webhooks(id).at(0).webhook.payload, kPayload);
  EXPECT_THAT(stored(), Not(HasSubstr("whole truth")));
  EXPECT_EQ(rekey_with({key('b'), key('a')}).changed, 0) << "a second run has nothing to do";
}

TEST_P(SealedContents, ThatDoNotOpenKeepTheOldKeyOnRecord) {
  accept_mail();
  must(contents().add_key_id(cipher_->key_id()));
  const RekeyProgress done = rekey_with({key('c'), key('b')});
  EXPECT_EQ(done.unreadable, 1);
  EXPECT_EQ(must(contents().key_ids()).size(), 2U);
}

TEST_P(SealedContents, OfServiceAccountsMoveToo) {
  TempFolder folder;
  const auto reference = [&](char fill) {
    const std::string path = folder / std::string(1, fill);
    std::ofstream(path) << base64_encode(std::string(kDataKeyBytes, fill));
    return "file://" + path;
  };
  ServiceAccount account;
  account.id = new_id();
  account.code = account.name = "acme";
  account.credentials.auth_token_ref =
      must(make_secret_source({reference('a'), "", ""})->encrypt(Secret("hunter2")));
  account.credentials.signing_secret_ref = "env://SIGN";
  account.created_at = account.updated_at = now();
  ASSERT_TRUE(must(registry().add_account(account, {"operator", "account.create", "{}", ""})));
  EXPECT_EQ(rekey_with({key('b'), key('a')}, {reference('b'), reference('a'), ""}).secrets, 1);
  const ServiceAccount moved = must(registry().accounts()).at(0);
  EXPECT_EQ(
      must(make_secret_source({reference('b'), "", ""})->resolve(moved.credentials.auth_token_ref)).reveal(),
      "hunter2");
  EXPECT_EQ(moved.credentials.signing_secret_ref, "env://SIGN");
}

}  // namespace
}  // namespace eilbote::test::sealed_contents_test
