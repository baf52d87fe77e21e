// The limits of a mail that no option changes (those are MailLimits in domain/mail.h), and of what mails and webhook jobs
// share. check_mail and check_webhook go by them, and docs/openapi.yaml says them to clients; tests/unit holds the two
// against each other.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/time.h"

namespace eilbote {

// Texts, in characters.
inline constexpr std::size_t kMailSubjectMax = 998;
inline constexpr std::size_t kMailboxNameMax = 255;
inline constexpr std::size_t kAttachmentNameMax = 255;
inline constexpr std::size_t kContentIdMax = 128;
inline constexpr std::size_t kMailHeaderValueMax = 2000;
inline constexpr std::size_t kMailMetadataKeyMax = 64;
inline constexpr std::size_t kMailMetadataValueMax = 1024;
inline constexpr std::size_t kMailTagMax = 64;
inline constexpr std::size_t kMailCampaignMax = 128;
inline constexpr std::size_t kMailGroupMax = 128;
inline constexpr std::size_t kCallbackAccountMax = 64;

// Entries.
inline constexpr std::size_t kMailReplyToMax = 10;
inline constexpr std::size_t kMailHeadersMax = 100;
inline constexpr std::size_t kMailMetadataMax = 50;
inline constexpr std::size_t kMailTagsMax = 20;

// Retry policies and times, of mails and of webhook jobs.
inline constexpr int kRetryAttemptsMax = 100;
inline constexpr std::size_t kRetryScheduleMax = 50;
inline constexpr std::chrono::seconds kRetryWaitMin{1};
inline constexpr std::chrono::seconds kRetryWaitMax = std::chrono::days{7};
inline constexpr Duration kScheduledForMax = std::chrono::days{366};

}  // namespace eilbote
