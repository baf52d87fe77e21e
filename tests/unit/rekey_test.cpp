// Rekey over rows in memory: how much it takes at once, and what it does with what changes, or fails, under its hands. Sealing and
// opening over the stores is in tests/conformance/sealed_contents_test.cpp.
#include "engine/rekey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "secrets/content_cipher.h"
#include "support/fake_registry.h"

namespace eilbote::test::rekey_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DataKeys keys(char current) {
  return {Secret(std::string(32, current)), Secret(std::string(32, 'p'))};
}

// Webhooks in memory; a row says for itself how large it is.
class MemoryRows final : public ContentRows {
 public:
  explicit MemoryRows(const ContentCipher& cipher) : cipher_(cipher) {}
  void add(int count, std::int64_t bytes) {
    for (int i = 0; i < count; ++i) {
      const auto id = static_cast<std::int64_t>(rows_.size()) + 1;
      rows_.push_back({{JobId{id}, false, bytes}, "payload"});
    }
  }
  // Sealed under a key that nobody has.
  void spoil(std::int64_t id) {
    const auto stranger = make_content_cipher({Secret(std::string(32, 'x')), Secret()});
    row(JobId{id}).second = stranger->seal_text(JobId{id}, ContentPart::payload, "payload");
  }
  std::vector<std::size_t> batches;
  std::vector<std::string> key_ids_known;
  bool keeps_only_current = false;

  Result<std::vector<std::string>> key_ids() override { return key_ids_known; }
  Result<void> add_key_id(const std::string& key_id) override {
    key_ids_known.push_back(key_id);
    return {};
  }
  Result<void> keep_only_key_id(const std::string&) override {
    keeps_only_current = true;
    return {};
  }
  Result<IdRange> ids(ChannelKind channel) override {
    if (channel == ChannelKind::mail || rows_.empty()) return IdRange{};
    return IdRange{rows_.front().first.id, rows_.back().first.id};
  }
  Result<std::vector<StoredHead>> heads(ChannelKind channel, std::string_view, JobId after,
                                        int limit) override {
    std::vector<StoredHead> heads;
    for (const auto& [head, content] : rows_)
      if (channel == ChannelKind::webhook && head.id > after &&
          heads.size() < static_cast<std::size_t>(limit))
        heads.push_back(head);
    return heads;
  }
  Result<std::vector<StoredContent>> load(ChannelKind, std::span<const JobId> ids) override {
    batches.push_back(ids.size());
    std::vector<StoredContent> contents;
    for (const JobId id : ids)
      contents.push_back({id, row(id).second, ""});
    return contents;
  }
  Result<void> replace(ChannelKind, std::span<const StoredContent> contents) override {
    for (const StoredContent& one : contents) {
      row(one.id).first.is_current = true;
      row(one.id).second = one.content;
    }
    return {};
  }
  std::optional<std::string> opened(std::int64_t id) {
    return cipher_.open_text(JobId{id}, ContentPart::payload, row(JobId{id}).second);
  }

 private:
  std::pair<StoredHead, std::string>& row(JobId id) {
    return rows_.at(static_cast<std::size_t>(id.value() - 1));
  }
  const ContentCipher& cipher_;
  std::vector<std::pair<StoredHead, std::string>> rows_;
};

// Renames a reference; the test may do something meanwhile.
class RenamingVault final : public SecretVault {
 public:
  std::function<Result<void>()> meanwhile = [] { return Result<void>(); };
  Result<Secret> resolve(std::string_view) override { return Secret("not asked for"); }
  Result<std::string> encrypt(const Secret&) override { return std::string("encrypted://new"); }
  Result<std::string> under_current_key(std::string_view reference) override {
    if (auto done = meanwhile(); !done) return fail(done.error());
    return std::string(reference == "encrypted://old" ? "encrypted://new" : reference);
  }
};

class RekeyTest : public testing::Test {
 protected:
  RekeyTest() {
    ServiceAccount account;
    account.id = JobId{1000};
    account.code = "acme";
    account.credentials.signing_secret_ref = "encrypted://old";
    account.credentials.auth_token_ref = "env://TOKEN";
    registry_.all_accounts.push_back(account);
  }
  Result<RekeyProgress> run() {
    return rekey({rows_, *cipher_, registry_, vault_, clock_},
                 [this](const RekeyProgress& progress) { parts_.push_back(progress.part); });
  }
  ServiceAccount& acme() { return registry_.all_accounts[0]; }

  FakeClock clock_;
  std::unique_ptr<ContentCipher> cipher_ = make_content_cipher(keys('c'));
  MemoryRows rows_{*cipher_};
  FakeRegistry registry_;
  RenamingVault vault_;
  std::vector<double> parts_;
};

TEST_F(RekeyTest, small_contents_go_by_the_hundreds_and_large_ones_by_the_megabyte) {
  rows_.add(450, 100);
  rows_.add(7, 1536 * 1024);
  const auto done = run();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->seen, 457);
  EXPECT_EQ(done->changed, 457);
  EXPECT_THAT(rows_.batches, ElementsAre(200, 200, 53, 3, 1))
      << "50 small ones and 3 large ones, 3 large ones, the last";
  EXPECT_EQ(rows_.opened(457), "payload");
  EXPECT_TRUE(std::ranges::is_sorted(parts_)) << "it never goes back";
  EXPECT_EQ(parts_.back(), 1.0);
  EXPECT_TRUE(rows_.keeps_only_current);
}

TEST_F(RekeyTest, while_something_stays_unreadable_the_old_key_stays_known) {
  rows_.add(3, 100);
  rows_.spoil(2);
  const auto done = run();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->changed, 2);
  EXPECT_EQ(done->unreadable, 1);
  EXPECT_FALSE(rows_.keeps_only_current);
}

TEST_F(RekeyTest, secrets_of_accounts_are_renewed_and_it_is_on_the_audit_record) {
  const auto done = run();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->secrets, 1);
  EXPECT_EQ(acme().credentials.signing_secret_ref, "encrypted://new");
  EXPECT_EQ(acme().credentials.auth_token_ref, "env://TOKEN");
  ASSERT_EQ(registry_.audit_entries.size(), 1U);
  EXPECT_EQ(registry_.audit_entries[0].act, "account.rekey");
  EXPECT_THAT(registry_.audit_entries[0].detail, HasSubstr("acme"));
}

TEST_F(RekeyTest, an_account_that_is_changed_meanwhile_is_read_again) {
  int changes = 1;
  vault_.meanwhile = [&] {
    if (changes-- > 0) acme().updated_at += std::chrono::seconds{1};
    return Result<void>();
  };
  ASSERT_EQ(run()->secrets, 1);
  EXPECT_EQ(acme().credentials.signing_secret_ref, "encrypted://new");
}

TEST_F(RekeyTest, an_account_that_is_changed_all_the_time_ends_it) {
  vault_.meanwhile = [&] {
    acme().updated_at += std::chrono::seconds{1};
    return Result<void>();
  };
  const auto done = run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::conflict);
  EXPECT_THAT(done.error().message, HasSubstr("run it again"));
  EXPECT_FALSE(rows_.keeps_only_current);
  EXPECT_THAT(registry_.audit_entries, IsEmpty());
}

TEST_F(RekeyTest, a_secret_that_does_not_open_is_told_by_its_account) {
  vault_.meanwhile = [] { return fail(ErrorKind::unavailable, "its key is not here"); };
  const auto done = run();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("service account 'acme'"));
  EXPECT_FALSE(rows_.keeps_only_current);
}

}  // namespace
}  // namespace eilbote::test::rekey_test
