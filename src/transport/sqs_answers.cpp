#include "transport/sqs_answers.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>
#include <span>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "domain/aws_error.h"
#include "domain/json_members.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::size_t kSaidMax = 200;  // characters of what SQS says about an error

// By the name of the JSON protocol, or of the older one, which comes in x-amzn-query-error.
struct ErrorRow {
  std::string_view code;
  SqsFault fault;
};
constexpr std::array<ErrorRow, 31> kErrors{{
    {"QueueDoesNotExist", SqsFault::no_queue},
    {"AWS.SimpleQueueService.NonExistentQueue", SqsFault::no_queue},
    {"QueueDeletedRecently", SqsFault::deleted_recently},
    {"AWS.SimpleQueueService.QueueDeletedRecently", SqsFault::deleted_recently},
    {"QueueNameExists", SqsFault::exists_already},
    {"QueueAlreadyExists", SqsFault::exists_already},
    {"RequestThrottled", SqsFault::throttled},
    {"OverLimit", SqsFault::throttled},
    {"KmsThrottled", SqsFault::throttled},
    {"KMS.ThrottlingException", SqsFault::throttled},
    {"Throttling", SqsFault::throttled},
    {"ThrottlingException", SqsFault::throttled},
    {"ThrottledException", SqsFault::throttled},
    {"RequestThrottledException", SqsFault::throttled},
    {"TooManyRequestsException", SqsFault::throttled},
    {"AccessDenied", SqsFault::credentials},
    {"AccessDeniedException", SqsFault::credentials},
    {"KmsAccessDenied", SqsFault::credentials},
    {"ExpiredToken", SqsFault::credentials},
    {"ExpiredTokenException", SqsFault::credentials},
    {"IncompleteSignature", SqsFault::credentials},
    {"InvalidClientTokenId", SqsFault::credentials},
    {"InvalidSecurity", SqsFault::credentials},
    {"InvalidSignatureException", SqsFault::credentials},
    {"MissingAuthenticationToken", SqsFault::credentials},
    {"MissingAuthenticationTokenException", SqsFault::credentials},
    {"NotAuthorized", SqsFault::credentials},
    {"OptInRequired", SqsFault::credentials},
    {"RequestExpired", SqsFault::credentials},
    {"SignatureDoesNotMatch", SqsFault::credentials},
    {"UnrecognizedClientException", SqsFault::credentials},
}};

SqsFault fault_of(int status, std::string_view code, std::string_view query_code) {
  for (const ErrorRow& row : kErrors)
    if (row.code == code || row.code == query_code) return row.fault;
  if (status == 429) return SqsFault::throttled;
  if (status >= 500) return SqsFault::unavailable;
  if (status == 401 || status == 403) return SqsFault::credentials;
  return SqsFault::refused;
}

// The list's objects; none when it is not there.
std::span<const json::value> list_at(const json::value& body, std::string_view name) {
  const json::value* list = member_at(body, {name});
  if (list == nullptr || !list->is_array()) return {};
  return {list->get_array().data(), list->get_array().size()};
}

// The entry an element of an answer is about; null when it names none of ours.
SqsEntry* entry_of(std::vector<SqsEntry>& entries, const json::value& element) {
  const std::string id = text_at(element, {"Id"});
  std::size_t number = 0;
  const auto read = std::from_chars(id.data(), id.data() + id.size(), number);
  if (id.empty() || read.ec != std::errc() || read.ptr != id.data() + id.size()) return nullptr;
  return number < entries.size() ? &entries[number] : nullptr;
}

std::optional<std::int64_t> number_in_text(const std::string& text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

SqsError sqs_error(int status, std::string_view query_error, std::string_view error_type,
                   std::string_view text) {
  const json::value body = parse_json(text);
  const std::string code = aws_error_code(error_type, body);
  const std::string_view query_code = query_error.substr(0, query_error.find(';'));
  const SqsFault fault = fault_of(status, code, query_code);
  const std::string name = clean_peer_text(!code.empty()        ? code
                                           : query_code.empty() ? "no name"
                                                                : query_code,
                                           kSaidMax);
  // What AWS says about a signature repeats the request; its name is enough.
  if (fault == SqsFault::credentials)
    return {fault, fmt::format("AWS does not take the credentials ({}, status {}); they may be wrong, at "
                               "their end, or without the right to do this, or this machine's clock is wrong",
                               name, status)};
  std::string said = text_at(body, {"message"});
  if (said.empty()) said = text_at(body, {"Message"});
  return {fault, fmt::format("SQS says {} ({}{}{})", name, status, said.empty() ? "" : ": ",
                             clean_peer_text(said, kSaidMax))};
}

std::vector<SqsEntry> sqs_entries(std::string_view text, std::size_t count) {
  const json::value body = parse_json(text);
  std::vector<SqsEntry> entries(count);
  for (const json::value& element : list_at(body, "Successful")) {
    if (SqsEntry* entry = entry_of(entries, element); entry != nullptr)
      *entry = {SqsEntry::Outcome::done, "", text_at(element, {"MD5OfMessageBody"})};
  }
  for (const json::value& element : list_at(body, "Failed")) {
    SqsEntry* entry = entry_of(entries, element);
    if (entry == nullptr) continue;
    const json::value* blame = member_at(element, {"SenderFault"});
    const bool is_ours = blame != nullptr && blame->is_bool() && blame->get_bool();
    *entry = {is_ours ? SqsEntry::Outcome::wrong : SqsEntry::Outcome::failed,
              clean_peer_text(text_at(element, {"Code"}), kSaidMax), ""};
  }
  return entries;
}

std::vector<SqsMessage> sqs_messages(std::string_view text) {
  const json::value body = parse_json(text);
  std::vector<SqsMessage> messages;
  for (const json::value& element : list_at(body, "Messages")) {
    SqsMessage message{text_at(element, {"MessageId"}), text_at(element, {"ReceiptHandle"}),
                       text_at(element, {"Body"})};
    if (message.id.empty() || message.handle.empty()) continue;
    message.is_whole = sqs_md5_fits(message.body, text_at(element, {"MD5OfBody"}));
    message.receive_count =
        number_in_text(text_at(element, {"Attributes", "ApproximateReceiveCount"})).value_or(1);
    messages.push_back(std::move(message));
  }
  return messages;
}

std::string sqs_queue_url(std::string_view body) {
  return text_at(parse_json(body), {"QueueUrl"});
}

std::optional<std::int64_t> sqs_depth(std::string_view body) {
  return number_in_text(text_at(parse_json(body), {"Attributes", "ApproximateNumberOfMessages"}));
}

bool sqs_md5_fits(std::string_view text, std::string_view md5) {
  if (md5.empty()) return true;
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_md5(), nullptr) != 1) return true;
  return same_but_for_case(to_hex(std::span<const std::uint8_t>(digest.data(), size)), md5);
}

}  // namespace eilbote
