// The limits and defaults docs/openapi.yaml tells are those the code goes by. Every maximum, minimum and default of the
// contract is in a row here, and every row finds something there: a limit that is changed, added or forgotten on one side
// fails with its line and the right value.
#include <fmt/format.h>
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "api/limits.h"
#include "domain/delivery.h"
#include "domain/idempotency.h"
#include "domain/mail.h"
#include "domain/mail_limits.h"
#include "domain/mail_syntax.h"
#include "domain/pool.h"
#include "domain/service_account.h"
#include "domain/webhook.h"
#include "domain/webhook_headers.h"
#include "domain/webhook_url.h"
#include "support/contract_file.h"

namespace eilbote::test::contract_limits_test {
namespace {

// A value as the contract writes it.
struct Told {
  std::string text;
  Told(const char* word) : text(word) {}
  Told(std::string_view word) : text(word) {}
  Told(bool truth) : text(truth ? "true" : "false") {}
  Told(std::integral auto number) : text(fmt::format("{}", number)) {}
  Told(std::chrono::seconds wait) : text(fmt::format("{}", wait.count())) {}
};

struct Row {
  const char* place;  // as short_path makes it; * stands for anything
  Told value;
};

const Mail kMail;
const MailLimits kMailSizes;
const Webhook kJob;
const WebhookLimits kJobSizes;
const WebhookCredentials kCredentials;

// The first row that fits a place counts.
const Row kRows[] = {
    // Mails
    {"Mailbox.oneOf.1.name.maxLength", kMailboxNameMax},
    {"Attachment.name.maxLength", kAttachmentNameMax},
    {"Attachment.contentId.maxLength", kContentIdMax},
    {"Attachment.inline.default", Attachment{}.is_inline},
    {"Retry.maxAttempts.maximum", kRetryAttemptsMax},
    {"Retry.*Seconds.minimum", kRetryWaitMin},
    {"Retry.*Seconds.maximum", kRetryWaitMax},
    {"Retry.jitter.minimum", 0},
    {"Retry.jitter.maximum", 1},
    {"Retry.schedule.oneOf.0.maxItems", kRetryScheduleMax},
    {"Retry.schedule.oneOf.0.items.oneOf.0.minimum", kRetryWaitMin},
    {"Retry.schedule.oneOf.0.items.oneOf.0.maximum", kRetryWaitMax},
    {"Mail.to.maxItems", kMailSizes.recipients_max},
    {"Mail.replyTo.maxItems", kMailReplyToMax},
    {"Mail.subject.maxLength", kMailSubjectMax},
    {"Mail.attachments.maxItems", kMailSizes.attachments_max},
    {"Mail.headers.maxProperties", kMailHeadersMax},
    {"Mail.headers.propertyNames.maxLength", kHeaderNameMax},
    {"Mail.headers.additionalProperties.maxLength", kMailHeaderValueMax},
    {"Mail.metadata.maxProperties", kMailMetadataMax},
    {"Mail.metadata.propertyNames.maxLength", kMailMetadataKeyMax},
    {"Mail.metadata.additionalProperties.maxLength", kMailMetadataValueMax},
    {"Mail.tags.maxItems", kMailTagsMax},
    {"Mail.tags.items.maxLength", kMailTagMax},
    {"Mail.campaignId.maxLength", kMailCampaignMax},
    {"Mail.group.maxLength", kMailGroupMax},
    {"Mail.pool.maxLength", kPoolCodeMax},
    {"Mail.callback.url.maxLength", kWebhookUrlMax},
    {"Mail.callback.serviceAccountId.maxLength", kCallbackAccountMax},
    {"Mail.callbackUrl.maxLength", kWebhookUrlMax},
    {"Mail.onUncertain.default", kOnUncertainNames.text(kMail.on_uncertain)},
    {"parameters.IdempotencyKey.minLength", kIdempotencyKeyMin},
    {"parameters.IdempotencyKey.maxLength", kIdempotencyKeyMax},

    // Webhook jobs
    {"NewDispatchJob.source.maxLength", kWebhookNameMax},
    {"NewDispatchJob.code.maxLength", kWebhookNameMax},
    {"NewDispatchJob.targetUrl.maxLength", kWebhookUrlMax},
    {"NewDispatchJob.headers.maxProperties", kJobSizes.headers_max},
    {"NewDispatchJob.headers.propertyNames.maxLength", kWebhookHeaderNameMax},
    {"NewDispatchJob.headers.additionalProperties.maxLength", kWebhookHeaderValueMax},
    {"NewDispatchJob.metadata.maxProperties", kJobSizes.metadata_max},
    {"NewDispatchJob.metadata.maxItems", kJobSizes.metadata_max},
    {"NewDispatchJob.*.maxLength", kWebhookTextMax},
    {"NewDispatchJob.kind.default", kDispatchKindNames.text(kJob.kind)},
    {"NewDispatchJob.payloadContentType.default", std::string_view(kJob.payload_content_type)},
    {"NewDispatchJob.dataOnly.default", kJob.data_only},
    {"NewDispatchJob.mode.default", kGroupModeNames.text(kJob.mode)},
    {"NewDispatchJob.dispatchPoolId.default", kWebhookPool},
    {"NewDispatchJob.sequence.default", kJob.sequence},
    {"NewDispatchJob.sequence.minimum", 0},
    {"NewDispatchJob.sequence.maximum", kWebhookSequenceMax},
    {"NewDispatchJob.timeoutSeconds.default", kJob.timeout_seconds},
    {"NewDispatchJob.timeoutSeconds.maximum", kWebhookTimeoutMax},
    {"NewDispatchJob.maxRetries.default", kJob.max_retries},
    {"NewDispatchJob.maxRetries.maximum", kRetryAttemptsMax},
    {"NewDispatchJob.retryStrategy.default", kRetryStrategyNames.text(kJob.retry_strategy)},

    // Pools, groups, accounts, schemas
    {"PoolCode.maxLength", kPoolCodeMax},
    {"*DispatchPool*.name.maxLength", kPoolNameMax},
    {"*DispatchPool*.rateLimitPerMinute.maximum", kPoolRateMax},
    {"*DispatchPool*.burst.maximum", kPoolBurstMax},
    {"*DispatchPool*.concurrency.maximum", kPoolConcurrencyMax},
    {"NewDispatchPool.burst.default", Pool{}.burst},
    {"NewDispatchPool.rateLimitPerMinute.default", "null"},
    {"GroupName.*.maxLength", kGroupNameMax},
    {"NewServiceAccount.code.maxLength", kAccountCodeMax},
    {"*ServiceAccount*.name.maxLength", kAccountNameMax},
    {"*ServiceAccount*.description.maxLength", kAccountDescriptionMax},
    {"*ServiceAccount*.clientIds.maxItems", kAccountClientsMax},
    {"*ServiceAccount*.clientIds.items.maxLength", kAccountClientMax},
    {"*ServiceAccount*.applicationId.maxLength", kAccountApplicationMax},
    {"*ServiceAccount*.roles.maxItems", kAccountRolesMax},
    {"NewServiceAccount.active.default", ServiceAccount{}.active},
    {"RoleAssignment.*.maxLength", kAccountRoleMax},
    {"RoleAssignment.assignmentSource.default", std::string_view(RoleAssignment{}.assignment_source)},
    {"SecretReference.maxLength", kSecretReferenceMax},
    {"NewWebhookCredentials.authType.default", kWebhookAuthTypeNames.text(kCredentials.auth_type)},
    {"NewWebhookCredentials.signingAlgorithm.default",
     kSignatureAlgorithmNames.text(kCredentials.signing_algorithm)},
    {"NewWebhookCredentials.signatureStyle.default", kSignatureStyleNames.text(kCredentials.signature_style)},
    {"NewPayloadSchema.name.maxLength", kSchemaNameMax},
    {"NewPayloadSchema.description.maxLength", kSchemaDescriptionMax},

    // Delivery reports and suppressions
    {"ProviderEvent.*essageId.maxLength", kProviderIdMax},
    {"NewSuppression.reason.maxLength", kSuppressionReasonMax},
    {"NewSuppression.clientId.maxLength", kGroupNameMax},
    {"/suppressions* clientId of query.maxLength", kGroupNameMax},

    // What one call may ask for
    {"* limit of query.maximum", kPageMax},
    {"* limit of query.default", kPageDefault},
    {"/message-groups.get clientId of query.maxLength", kGroupNameMax},
    {"/audit.get * of query.maxLength", kAuditTextMax},
    {"/webhooks/graph.post validationToken of query.maxLength", kValidationTokenMax},
    {"* of query.maxLength", kFilterTextMax},
    {"GraphNotifications.value.maxItems", kGraphNotificationsMax},
    {"BatchItems.maxItems", kBatchItemsMax},
    {"/dispatch-jobs/batch.post*.maxItems", kBatchItemsMax},
    {"RequeueOrder.ids.maxItems", kRequeueIdsMax},
    {"RequeueOrder.limit.maximum", kRequeueMax},
    {"RequeueOrder.limit.default", kRequeueDefault},
    {"/dispatch-jobs/requeue.post.ids.maxItems", kRequeueIdsMax},
    {"/dispatch-jobs/requeue.post.limit.maximum", kRequeueMax},
    {"/dispatch-jobs/requeue.post.limit.default", kRequeueDefault},
    {"*.dryRun.default", false},
    {"MessageFilter.status.default", kMailStateNames.text(MailState::FAILED)},
    {"requestBodies.Dispatch.batchSize.maximum", kDispatchBatchMax},
    {"requestBodies.Dispatch.batchSize.default", kDispatchBatchDefault},
    {"WaitSeconds.minimum", 0},
    {"WaitSeconds.maximum", kDispatchWaitMax},
    {"LogLevelChange.forSeconds.maximum", kLogLevelSecondsMax},
    {"WaitSeconds.default", kDispatchWaitDefault},

    // Of answers
    {"LastError.message.maxLength", kErrorTextMax},
    {"BlockedGroup.waiting.maximum", kCountExactMax + 1},  // one more for "more"
    {"BlockedGroup.waiting.minimum", 0},
    {"PoolQueue.*.maximum", kCountExactMax + 1},
    {"PoolQueue.*.minimum", 0},
    {"*.durationMillis.minimum", 0},
    {"Message.details.retryCount.minimum", 0},
    {"DispatchReport.dispatched.minimum", 0},
    {"BatchResult.*.status.minimum", 400},
    {"Problem.status.minimum", 400},
    {"Problem.status.maximum", 599},

    // What is not empty, and numbers that begin at one
    {"*.minLength", 1},
    {"*.minItems", 1},
    {"*.minProperties", 1},
    {"*.minimum", 1},
};

const ContractFile& contract() {
  return ContractFile::of_the_project();
}

// "Mail.subject.maxLength" for "components.schemas.Mail.properties.subject.maxLength"; a parameter by its name.
std::string short_path(const std::string& path) {
  static const std::regex kParameter(R"(paths\.(.*)\.parameters\.(\d+)\.schema(\..*))");
  std::smatch match;
  if (std::regex_match(path, match, kParameter)) {
    const auto* name =
        contract().find(fmt::format("paths.{}.parameters.{}.name", match[1].str(), match[2].str()));
    return fmt::format("{} {} of query{}", match[1].str(), name != nullptr ? name->text : "?",
                       match[3].str());
  }
  std::string out = path;
  for (const std::string_view part : {"components.schemas.", "components.", "paths.", ".properties",
                                      ".requestBody", ".content.application/json", "schema."})
    for (auto at = out.find(part); at != std::string::npos; at = out.find(part))
      out.erase(at, part.size());
  return out;
}

bool is_limit(std::string_view path) {
  for (const std::string_view key : {".maxLength", ".minLength", ".maximum", ".minimum", ".maxItems",
                                     ".minItems", ".maxProperties", ".minProperties", ".default"})
    if (path.ends_with(key)) return true;
  return false;
}

TEST(ContractLimits, are_those_of_the_code) {
  std::set<const Row*> used;
  for (const auto& [path, value] : contract().values()) {
    if (!is_limit(path)) continue;
    const std::string place = short_path(path);
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& one) {
      return ::fnmatch(one.place, place.c_str(), FNM_NOESCAPE) == 0;
    });
    if (row == std::end(kRows)) {
      ADD_FAILURE() << "docs/openapi.yaml:" << value.line << ": " << place << " = " << value.text
                    << " is in no row here; say which constant it is";
      continue;
    }
    used.insert(row);
    EXPECT_EQ(value.text, row->value.text)
        << "docs/openapi.yaml:" << value.line << ": " << place << " must be " << row->value.text
        << ", as in the code (row " << row->place << ")";
  }
  for (const Row& row : kRows)
    EXPECT_TRUE(used.contains(&row)) << "docs/openapi.yaml does not tell " << row.place << ": it is "
                                     << row.value.text;
}

// Limits in bytes, which JSON Schema has no word for.
TEST(ContractLimits, are_told_in_words_where_they_are_bytes) {
  const auto in_units = [](std::size_t bytes) {
    return bytes % (1U << 20U) == 0 ? fmt::format("{} MiB", bytes >> 20U)
                                    : fmt::format("{} KiB", bytes >> 10U);
  };
  const std::pair<const char*, std::string> rows[] = {
      {"Attachment.properties.content", in_units(kMailSizes.attachment_bytes_max)},
      {"Mail.properties.attachments", in_units(kMailSizes.attachments_bytes_max)},
      {"NewDispatchJob.properties.payload", in_units(kJobSizes.payload_bytes_max)},
      {"NewDispatchJob.properties.metadata", fmt::format("keys of at most {} bytes", kWebhookMetadataKeyMax)},
      {"NewDispatchJob.properties.metadata", fmt::format("values of at most {}", kWebhookMetadataValueMax)},
      {"NewPayloadSchema.properties.schema", in_units(kSchemaBytesMax)},
      {"ProviderEvent.properties.raw", fmt::format("the first {} characters", kErrorTextMax)},
      {"RequeueResult.properties.ids", fmt::format("The first {}", kRequeueIdsShownMax)},
  };
  for (const auto& [place, words] : rows) {
    const auto* told = contract().find(fmt::format("components.schemas.{}.description", place));
    ASSERT_NE(told, nullptr) << place;
    EXPECT_NE(told->text.find(words), std::string::npos)
        << "docs/openapi.yaml:" << told->line << ": " << place << " must say '" << words
        << "': " << told->text;
  }
}

}  // namespace
}  // namespace eilbote::test::contract_limits_test
