// What SQS answers (JSON protocol 1.0): errors by what is to be done about them, batches entry by entry, messages with
// their checksums. Pure. Lists that are not there are empty: SQS leaves them out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace eilbote {

// What kept a request from being done.
enum class SqsFault {
  none,
  no_queue,          // deleted, or never there
  deleted_recently,  // AWS makes no queue of a name for 60 seconds after one was deleted
  exists_already,    // a queue of this name is there, with other attributes
  throttled,         // nothing was done: later
  unavailable,       // an error of the server's; it may have been done
  credentials,       // none, or they are not taken, or may not do this
  refused,           // the request is wrong
  not_sent,          // nobody was reached; nothing was done
  unanswered,        // sent, and the answer did not come; it may have been done
};

struct SqsError {
  SqsFault fault = SqsFault::none;
  std::string detail{};  // for people; no secrets

  explicit operator bool() const { return fault != SqsFault::none; }
};

// Of an answer whose status is not 200. The two headers are x-amzn-query-error and x-amzn-errortype.
SqsError sqs_error(int status, std::string_view query_error, std::string_view error_type,
                   std::string_view body);

struct SqsEntry {
  enum class Outcome {
    done,
    wrong,    // SQS blames this entry: again will not help
    failed,   // SQS could not do it; it was not done
    missing,  // SQS says nothing about it
  };
  Outcome outcome = Outcome::missing;
  std::string code{};  // of the failure
  std::string md5{};   // of a sent message's body
};
// The entries "0" to "count - 1" of a batch, in their order.
std::vector<SqsEntry> sqs_entries(std::string_view body, std::size_t count);

struct SqsMessage {
  std::string id;
  std::string handle;
  std::string body;
  std::int64_t receive_count = 1;
  bool is_whole = true;  // the checksum fits
};
// Messages without an id or a handle are passed over: nothing could be done with them.
std::vector<SqsMessage> sqs_messages(std::string_view body);

// Empty: the answer has none.
std::string sqs_queue_url(std::string_view body);
std::optional<std::int64_t> sqs_depth(std::string_view body);

// Whether this is the MD5 of the text. True where there is nothing to compare: no checksum, or a machine that does no MD5.
bool sqs_md5_fits(std::string_view text, std::string_view md5);

}  // namespace eilbote
