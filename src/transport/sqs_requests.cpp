#include "transport/sqs_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/hex.h"
#include "base/sha256.h"
#include "base/utf8.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::size_t kIdentifierBytesMax = 128;
// The longest there is: a message that lay for two weeks is told again from the database long before.
constexpr std::string_view kRetentionSeconds = "1209600";

json::object of_queue(const std::string& queue_url) {
  json::object body;
  body["QueueUrl"] = queue_url;
  return body;
}

// Control characters, and how U+FFFE and U+FFFF begin.
bool may_need_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '\xEF';
}

// `fill` adds to the entry of each item.
template <class Items, class Fill>
std::string batch_body(const std::string& queue_url, const Items& items, Fill fill) {
  json::array entries;
  for (std::size_t i = 0; i < items.size(); ++i) {
    json::object entry;
    entry["Id"] = std::to_string(i);
    fill(entry, items[i]);
    entries.push_back(std::move(entry));
  }
  json::object body = of_queue(queue_url);
  body["Entries"] = std::move(entries);
  return json::serialize(body);
}

}  // namespace

std::string_view sqs_action_name(SqsAction action) {
  switch (action) {
    case SqsAction::get_queue_url:
      return "GetQueueUrl";
    case SqsAction::create_queue:
      return "CreateQueue";
    case SqsAction::get_queue_attributes:
      return "GetQueueAttributes";
    case SqsAction::send_message_batch:
      return "SendMessageBatch";
    case SqsAction::receive_message:
      return "ReceiveMessage";
    case SqsAction::delete_message_batch:
      return "DeleteMessageBatch";
    case SqsAction::change_message_visibility_batch:
      return "ChangeMessageVisibilityBatch";
  }
  return "";
}

std::string sqs_send_body(const std::string& queue_url, std::span<const SqsOutgoing> entries) {
  return batch_body(queue_url, entries, [](json::object& entry, const SqsOutgoing& message) {
    entry["MessageBody"] = message.body;
    if (!message.group.empty()) entry["MessageGroupId"] = message.group;
    if (!message.deduplication_id.empty()) entry["MessageDeduplicationId"] = message.deduplication_id;
  });
}

std::string sqs_delete_body(const std::string& queue_url, std::span<const std::string> handles) {
  return batch_body(queue_url, handles,
                    [](json::object& entry, const std::string& handle) { entry["ReceiptHandle"] = handle; });
}

std::string sqs_visibility_body(const std::string& queue_url, std::span<const std::string> handles,
                                int seconds) {
  return batch_body(queue_url, handles, [seconds](json::object& entry, const std::string& handle) {
    entry["ReceiptHandle"] = handle;
    entry["VisibilityTimeout"] = seconds;
  });
}

std::string sqs_receive_body(const std::string& queue_url, const SqsReceive& wanted) {
  json::object body = of_queue(queue_url);
  body["MaxNumberOfMessages"] = wanted.messages_max;
  body["WaitTimeSeconds"] = wanted.wait_seconds;
  body["VisibilityTimeout"] = wanted.visibility_seconds;
  body["MessageSystemAttributeNames"] = json::array{"ApproximateReceiveCount"};
  return json::serialize(body);
}

std::string sqs_queue_url_body(const std::string& name, const std::string& account) {
  json::object body;
  body["QueueName"] = name;
  if (!account.empty()) body["QueueOwnerAWSAccountId"] = account;
  return json::serialize(body);
}

std::string sqs_create_body(const std::string& name, bool fifo, int visibility_seconds) {
  json::object attributes;
  attributes["VisibilityTimeout"] = std::to_string(visibility_seconds);
  attributes["MessageRetentionPeriod"] = kRetentionSeconds;
  if (fifo) {
    attributes["FifoQueue"] = "true";
    // Groups do not slow each other down.
    attributes["DeduplicationScope"] = "messageGroup";
    attributes["FifoThroughputLimit"] = "perMessageGroupId";
  }
  json::object body;
  body["QueueName"] = name;
  body["Attributes"] = std::move(attributes);
  return json::serialize(body);
}

std::string sqs_depth_body(const std::string& queue_url) {
  json::object body = of_queue(queue_url);
  body["AttributeNames"] = json::array{"ApproximateNumberOfMessages"};
  return json::serialize(body);
}

std::string sqs_text(std::string_view text) {
  std::string whole = is_utf8(text) ? std::string(text) : repair_utf8(text);
  if (std::none_of(whole.begin(), whole.end(), may_need_escape)) return whole;
  std::string out;
  out.reserve(whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto byte = static_cast<unsigned char>(whole[i]);
    const std::string_view rest = std::string_view(whole).substr(i);
    if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') {
      out += fmt::format("\\u{:04x}", byte);
    } else if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
      out += rest[2] == '\xBE' ? "\\ufffe" : "\\uffff";
      i += 2;
    } else {
      out += whole[i];
    }
  }
  return out;
}

std::string sqs_identifier(std::string_view text) {
  // SQS takes all of printable ASCII but the blank.
  const bool fits = !text.empty() && text.size() <= kIdentifierBytesMax &&
                    std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  return fits ? std::string(text) : to_hex(sha256(text));
}

}  // namespace eilbote
