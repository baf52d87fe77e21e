// The bodies of requests to SQS (JSON protocol 1.0), and the texts SQS takes in them. Pure. Called by the SQS transport's
// parts; answers are read by sqs_answers.h.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace eilbote {

inline constexpr std::size_t kSqsBatchMax = 10;           // entries of a batch, messages of a receive
inline constexpr std::size_t kSqsBytesMax = 1024 * 1024;  // of a message, and of a batch's messages together
inline constexpr std::string_view kSqsTarget = "AmazonSQS.";  // X-Amz-Target, and the action behind it

enum class SqsAction {
  get_queue_url,
  create_queue,
  get_queue_attributes,
  send_message_batch,
  receive_message,
  delete_message_batch,
  change_message_visibility_batch,
};
// As SQS spells it: "SendMessageBatch".
std::string_view sqs_action_name(SqsAction action);

struct SqsOutgoing {
  std::string body;
  std::string group{};             // FIFO queues only; empty: not sent
  std::string deduplication_id{};  // FIFO queues only; empty: not sent
};

// Entries are called by their number, from "0"; at most kSqsBatchMax of them.
std::string sqs_send_body(const std::string& queue_url, std::span<const SqsOutgoing> entries);
std::string sqs_delete_body(const std::string& queue_url, std::span<const std::string> handles);
std::string sqs_visibility_body(const std::string& queue_url, std::span<const std::string> handles,
                                int seconds);

struct SqsReceive {
  int messages_max = 10;
  int wait_seconds = 20;
  int visibility_seconds = 60;
};
std::string sqs_receive_body(const std::string& queue_url, const SqsReceive& wanted);

// `account` empty: that of the credentials.
std::string sqs_queue_url_body(const std::string& name, const std::string& account);
std::string sqs_create_body(const std::string& name, bool fifo, int visibility_seconds);
// Asks for the number of messages that wait.
std::string sqs_depth_body(const std::string& queue_url);

// A JSON text with what SQS takes in no message (U+FFFE, U+FFFF, control characters) escaped, and what is not UTF-8
// repaired.
std::string sqs_text(std::string_view json);

// As the id of a group or of a deduplication: `text` itself where SQS takes it, else a digest of it.
std::string sqs_identifier(std::string_view text);

}  // namespace eilbote
