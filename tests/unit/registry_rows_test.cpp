// What a name finds in the registry, whoever asks: a code may look like an id, and must not be taken for one here and not
// there.
#include <gtest/gtest.h>

#include "engine/pool_list.h"
#include "support/fake_registry.h"

namespace eilbote::test::registry_rows_test {
namespace {

PoolRow pool_row(int number, const std::string& code) {
  PoolRow row;
  row.number = number;
  row.pool.code = row.pool.name = code;
  return row;
}

// By code, as the registry answers them: the one whose id is meant by nobody comes first.
const std::vector<PoolRow> kPools{pool_row(1, "00"), pool_row(2, to_text(JobId{1})), pool_row(3, "bulk")};

TEST(RegistryRows, a_pool_is_found_by_its_code_and_only_then_by_its_id) {
  const std::pair<std::string, int> rows[] = {
      {"00", 1}, {to_text(JobId{1}), 2}, {to_text(JobId{2}), 2}, {"bulk", 3}, {to_text(JobId{3}), 3}};
  for (const auto& [name, number] : rows) {
    const PoolRow* found = find_pool(kPools, name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->number, number) << name;
  }
  for (const std::string& name : {std::string(), std::string("bul"), to_text(JobId{4})})
    EXPECT_EQ(find_pool(kPools, name), nullptr) << name;
}

TEST(RegistryRows, a_job_finds_the_pool_that_a_person_finds) {
  FakeRegistry registry;
  registry.all_pools = kPools;
  PoolList list(registry);
  ASSERT_TRUE(list.refresh());
  for (const std::string& name : {std::string("00"), std::string("bulk"), to_text(JobId{1}),
                                  to_text(JobId{2}), to_text(JobId{3}), to_text(JobId{4}), std::string()}) {
    const PoolRow* found = find_pool(kPools, name);
    EXPECT_EQ(list.code_of(name), found != nullptr ? std::optional(found->pool.code) : std::nullopt) << name;
  }
}

TEST(RegistryRows, an_account_is_found_by_its_id_and_only_then_by_its_code) {
  std::vector<ServiceAccount> accounts(2);
  accounts[0].id = JobId{1};
  accounts[0].code = to_text(JobId{2});
  accounts[1].id = JobId{2};
  accounts[1].code = "acme";
  EXPECT_EQ(find_account(accounts, to_text(JobId{2})), &accounts[1]);
  EXPECT_EQ(find_account(accounts, to_text(JobId{1})), &accounts[0]);
  EXPECT_EQ(find_account(accounts, "acme"), &accounts[1]);
  EXPECT_EQ(find_account(accounts, "acm"), nullptr);
}

}  // namespace
}  // namespace eilbote::test::registry_rows_test
