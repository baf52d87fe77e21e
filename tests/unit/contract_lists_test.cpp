// docs/openapi.yaml says to clients what tables in the code decide: the words of enums, the query parameters of lists, the
// types of problems. Each is held against its table here; a failure names the line of the contract and what would be right.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <regex>
#include <set>

#include "api/list_filter.h"
#include "api/problem.h"
#include "api/query_parameters.h"
#include "base/log.h"
#include "config/config.h"
#include "domain/attention.h"
#include "domain/breaker.h"
#include "domain/delivery_codes.h"
#include "domain/names.h"
#include "support/contract_file.h"

namespace eilbote::test::contract_lists_test {
namespace {

using Words = std::vector<std::string>;

std::string joined(const auto& words) {
  std::string all;
  for (const auto& word : words)
    all += (all.empty() ? "" : ", ") + std::string(word);
  return "[" + all + "]";
}

template <class Enum, std::size_t N>
Words words_of(const EnumNames<Enum, N>& names) {
  Words words;
  for (const auto& [value, text] : names.entries)
    words.emplace_back(text);
  return words;
}

const ContractFile& contract() {
  return ContractFile::of_the_project();
}

std::string at_line(const ContractValue& value) {
  return "docs/openapi.yaml:" + std::to_string(value.line) + ": ";
}

struct Table {
  const char* name;
  Words words;
};
const Table kTables[] = {
    {"kChannelNames", words_of(kChannelNames)},
    {"kMailStateNames", words_of(kMailStateNames)},
    {"kWebhookStateNames", words_of(kWebhookStateNames)},
    {"kDeadReasonNames", words_of(kDeadReasonNames)},
    {"kRecipientKindNames", words_of(kRecipientKindNames)},
    {"kRecipientStatusNames", words_of(kRecipientStatusNames)},
    {"kAttemptStatusNames", words_of(kAttemptStatusNames)},
    {"kErrorTypeNames", words_of(kErrorTypeNames)},
    {"kRetryStrategyNames", words_of(kRetryStrategyNames)},
    {"kOnUncertainNames", words_of(kOnUncertainNames)},
    {"kGroupModeNames", words_of(kGroupModeNames)},
    {"kDispatchKindNames", words_of(kDispatchKindNames)},
    {"kDispatchProtocolNames", words_of(kDispatchProtocolNames)},
    {"kWebhookAuthTypeNames", words_of(kWebhookAuthTypeNames)},
    {"kSignatureAlgorithmNames", words_of(kSignatureAlgorithmNames)},
    {"kSignatureStyleNames", words_of(kSignatureStyleNames)},
    {"kPoolStatusNames", words_of(kPoolStatusNames)},
    {"kBreakerStateNames", words_of(kBreakerStateNames)},
    {"kAttentionCodeNames", words_of(kAttentionCodeNames)},
    {"kUrgencyNames", words_of(kUrgencyNames)},
    {"kAuthModeNames", words_of(kAuthModeNames)},
    {"kReportTakenNames", words_of(kReportTakenNames)},
    {"kReportActionNames", words_of(kReportActionNames)},
    {"kReportSourceNames", words_of(kReportSourceNames)},
    {"kDsnKindNames", words_of(kDsnKindNames)},
    {"kProviderEventNames", words_of(kProviderEventNames)},
    {"log::kLevelNames", words_of(log::kLevelNames)},
};

Words problem_types() {
  Words types;
  for (int i = 0; i <= static_cast<int>(ProblemKind::unavailable); ++i)
    types.push_back("urn:eilbote:problem:" + std::string(problem_row(static_cast<ProblemKind>(i)).slug));
  return types;
}

// Without those that a mail that waits or is dead never has as its last error.
Words verdicts_of_errors() {
  Words words;
  for (const auto& [verdict, text] : kVerdictNames.entries)
    if (verdict != Verdict::delivered && verdict != Verdict::released) words.emplace_back(text);
  return words;
}

// Lists that are no whole table, by their place, and what they must be instead.
const std::map<std::string, Words> kExceptions{
    {"components.schemas.LastError.properties.class", verdicts_of_errors()},
    {"components.schemas.Reason.properties.class", verdicts_of_errors()},
    {"components.schemas.MessageFilter.properties.status", {"FAILED", "BOUNCED"}},  // what can be requeued
    {"components.schemas.Health.properties.status", {"live", "ready", "degraded"}},
    {"components.schemas.Problem.properties.type", problem_types()},
    {"components.schemas.Overview.properties.store", {"postgresql", "sqlite"}},
};

TEST(ContractLists, every_enum_is_a_table_of_the_code) {
  int lists = 0;
  std::set<std::string> exceptions_seen;
  for (const auto& [path, value] : contract().values()) {
    if (!path.ends_with(".enum.0")) continue;
    ++lists;
    const std::string place = path.substr(0, path.size() - 7);
    Words words = contract().list(place + ".enum");
    std::erase(words, "null");
    if (const auto exception = kExceptions.find(place); exception != kExceptions.end()) {
      exceptions_seen.insert(place);
      EXPECT_EQ(words, exception->second) << at_line(value) << place;
      continue;
    }
    const bool known = std::ranges::any_of(kTables, [&](const Table& table) { return table.words == words; });
    if (known) continue;
    std::string near;
    for (const Table& table : kTables)
      if (std::ranges::any_of(
              words, [&](const std::string& word) { return std::ranges::count(table.words, word) > 0; }))
        near += "\n  " + std::string(table.name) + ": " + joined(table.words);
    ADD_FAILURE() << at_line(value) << place << " is " << joined(words)
                  << ", which is no table of domain/names.h, in its order. Meant may be:" << near;
  }
  EXPECT_GT(lists, 30);
  for (const auto& [place, words] : kExceptions)
    EXPECT_TRUE(exceptions_seen.contains(place))
        << place << " is in kExceptions and not in docs/openapi.yaml";
}

TEST(ContractLists, problems_are_told_by_their_status) {
  std::string want = "By status:";
  int before = 0;
  for (int i = 0; i <= static_cast<int>(ProblemKind::unavailable); ++i) {
    const ProblemRow& row = problem_row(static_cast<ProblemKind>(i));
    if (row.status != before) want += (before == 0 ? " " : "; ") + std::to_string(row.status) + " ";
    if (row.status == before) want += ", ";
    want += row.slug;
    before = row.status;
  }
  const auto* told = contract().find("components.schemas.Problem.properties.type.description");
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->text, want + ".") << at_line(*told) << "against src/api/problem.cpp";
}

// What the query of an operation may hold, by name, with the line of each.
std::map<std::string, int> parameters_of(const std::string& operation) {
  std::map<std::string, int> names;
  for (int i = 0;; ++i) {
    const std::string place = contract().resolved(operation + ".parameters." + std::to_string(i));
    const auto *name = contract().find(place + ".name"), *in = contract().find(place + ".in");
    if (name == nullptr) return names;
    if (in != nullptr && in->text == "query") names.emplace(name->text, name->line);
  }
}

struct List {
  const char* path;
  std::function<std::vector<std::string_view>()> read;  // what the handler reads
  const char* method = "get";
};
const List kLists[] = {
    {"/messages", [] { return list_parameters(mail_filters()); }},
    {"/dispatch-jobs", [] { return list_parameters(job_filters()); }},
    {"/message-groups", message_group_parameters},
    {"/service-accounts", service_account_parameters},
    {"/audit", audit_parameters},
    {"/webhooks/graph", graph_webhook_parameters, "post"},
    {"/reports", report_parameters},
    {"/suppressions", suppression_parameters},
    {"/suppressions/{address}", suppression_removal_parameters, "delete"},
};

TEST(ContractLists, query_parameters_are_those_that_are_read) {
  for (const List& list : kLists) {
    const auto told = parameters_of(std::string("paths.") + list.path + "." + list.method);
    std::set<std::string> read;
    for (const std::string_view name : list.read())
      if (!name.ends_with('.'))
        read.emplace(name);  // metadata.KEY has no name to list; the description tells it
    for (const auto& [name, line] : told)
      EXPECT_TRUE(read.contains(name)) << "docs/openapi.yaml:" << line << ": GET " << list.path
                                       << " does not read '" << name << "'; it reads " << joined(read);
    for (const std::string& name : read)
      EXPECT_TRUE(told.contains(name)) << "docs/openapi.yaml, GET " << list.path << ": the parameter '"
                                       << name << "' is read and not told";
  }
}

TEST(ContractLists, no_other_operation_tells_of_a_query) {
  static const std::regex kOperation(R"(paths\.(/[^.]*(?:\.yaml)?)\.(get|post|put|delete)\.operationId)");
  int operations = 0;
  for (const auto& [path, value] : contract().values()) {
    std::smatch match;
    if (!std::regex_match(path, match, kOperation)) continue;
    ++operations;
    const bool known = std::ranges::any_of(
        kLists, [&](const List& list) { return match[1] == list.path && match[2] == list.method; });
    if (known) continue;
    for (const auto& [name, line] : parameters_of(path.substr(0, path.rfind('.'))))
      ADD_FAILURE() << "docs/openapi.yaml:" << line << ": '" << name << "' of " << value.text
                    << " is read by nobody; if it is, add the list to kLists here";
  }
  EXPECT_GT(operations, 40);
}

TEST(ContractLists, reasons_are_those_of_the_table) {
  Words codes;
  for (const DeliveryAdvice& row : delivery_advice_table())
    if (row.group == CodeGroup::reason) codes.emplace_back(row.code);
  EXPECT_GT(codes.size(), 15U);
  EXPECT_EQ(contract().list("components.schemas.Reason.properties.code.examples"), codes)
      << "Reason in docs/openapi.yaml against the rows of CodeGroup::reason in src/domain/delivery_codes.cpp";
}

TEST(ContractLists, prefixed_parameters_are_told_in_words) {
  const std::pair<const char*, FilterTable> lists[] = {
      {"paths./dispatch-jobs.get.description", job_filters()},
      {"paths./messages.get.description", mail_filters()}};
  for (const auto& [path, filters] : lists) {
    const auto* told = contract().find(path);
    ASSERT_NE(told, nullptr) << path;
    for (const std::string_view name : names_of(filters))
      if (name.ends_with('.')) {
        EXPECT_NE(told->text.find("`" + std::string(name) + "KEY=VALUE`"), std::string::npos)
            << at_line(*told) << name;
      }
  }
}

TEST(ContractLists, a_requeue_filters_by_what_the_list_filters_by) {
  std::set<std::string> told, read;
  static const std::regex kProperty(R"(components\.schemas\.MessageFilter\.properties\.(\w+)\..*)");
  for (const auto& [path, value] : contract().values()) {
    std::smatch match;
    if (std::regex_match(path, match, kProperty)) told.insert(match[1]);
  }
  for (const std::string_view name : names_of(mail_filters()))
    if (!name.ends_with('.')) read.emplace(name);  // metadata.KEY is a pattern there
  EXPECT_EQ(told, read)
      << "MessageFilter in docs/openapi.yaml against kMailFilters in src/api/list_filter.cpp";
}

}  // namespace
}  // namespace eilbote::test::contract_lists_test
