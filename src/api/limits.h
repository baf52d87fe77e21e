// The limits of requests that are the API's own: pages, batches, what one call may move. The handlers go by them, and
// docs/openapi.yaml says them to clients; tests/unit holds the two against each other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace eilbote {

// Lists: `limit`, and the values of filters, in bytes.
inline constexpr int kPageMax = 200;
inline constexpr int kPageDefault = 50;
inline constexpr std::size_t kFilterTextMax = 320;
inline constexpr std::size_t kFilterMetadataMax = 1024;  // as long as that of a mail may be
inline constexpr std::size_t kAuditTextMax = 1024;
inline constexpr std::size_t kGroupNameMax =
    1024;  // of a group or client in a question; longer ones do not exist

// Items of one batch of mails or webhook jobs.
inline constexpr std::size_t kBatchItemsMax = 1000;

// One call of requeue: ids given, jobs moved by a filter (`more` says that there are others), ids shown.
inline constexpr std::size_t kRequeueIdsMax = 1000;
inline constexpr std::int64_t kRequeueMax = 10'000;
inline constexpr std::int64_t kRequeueDefault = 1000;
inline constexpr std::size_t kRequeueIdsShownMax = 200;

// One call of /internal/dispatch.
inline constexpr int kDispatchBatchMax = 1000;
inline constexpr int kDispatchBatchDefault = 50;
inline constexpr std::int64_t kDispatchWaitMax = 300;  // seconds
inline constexpr std::int64_t kDispatchWaitDefault = 30;

// What Graph posts: items of one POST, an id in it, and the token of a handshake, in bytes.
inline constexpr std::size_t kGraphNotificationsMax = 10'000;
inline constexpr std::size_t kGraphIdMax = 1000;
inline constexpr std::size_t kValidationTokenMax = 2048;

// A provider's event: an id that it gave a mail, in bytes. A report's own size is kDsnBytesMax (domain/dsn.h).
inline constexpr std::size_t kProviderIdMax = 1000;

// What a person may write down about a suppressed address, in bytes.
inline constexpr std::size_t kSuppressionReasonMax = 500;

// For how long somebody may choose another log level, in seconds.
inline constexpr std::int64_t kLogLevelSecondsMax = 86'400;

// Payload schemas.
inline constexpr std::size_t kSchemaNameMax = 100;
inline constexpr std::size_t kSchemaDescriptionMax = 500;
inline constexpr std::size_t kSchemaBytesMax = 256 * 1024;

}  // namespace eilbote
