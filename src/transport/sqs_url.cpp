#include "transport/sqs_url.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "base/nearest.h"
#include "base/url_escape.h"

namespace eilbote {
namespace {

constexpr std::size_t kUrlBytesMax = 512;
constexpr std::size_t kRegionBytesMax = 32;
constexpr std::size_t kAccountDigits = 12;
// A queue's name has at most 80 characters; the longest of ours takes 27 with ".fifo".
constexpr std::size_t kPrefixBytesMax = 50;
constexpr std::array<std::string_view, 3> kParameters{"prefix", "fifo", "create"};

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

tl::unexpected<Error> wrong(const std::string& what) {
  return fail(ErrorKind::invalid, "the SQS address " + what);
}

bool is_region(std::string_view text) {
  return !text.empty() && text.size() <= kRegionBytesMax && is_lower(text.front()) &&
         text.find('-') != std::string_view::npos && text.back() != '-' &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

bool is_prefix(std::string_view text) {
  return text.size() <= kPrefixBytesMax && std::all_of(text.begin(), text.end(), [](char c) {
           return is_lower(ascii_lower(c)) || is_digit(c) || c == '-' || c == '_';
         });
}

struct Parameters {
  std::optional<std::string> prefix;
  std::optional<bool> fifo, create;
};

Result<bool> truth(std::string_view name, std::string_view value) {
  if (value == "true") return true;
  if (value == "false") return false;
  return wrong("has `" + std::string(name) + "` that is neither true nor false");
}

Result<void> read_truth(std::string_view name, std::string_view value, std::optional<bool>& into) {
  const auto read = truth(name, value);
  if (!read) return tl::unexpected(read.error());
  into = *read;
  return {};
}

Result<void> read_parameter(std::string_view name, std::string_view value, Parameters& into) {
  if (name == "fifo") return read_truth(name, value, into.fifo);
  if (name == "create") return read_truth(name, value, into.create);
  if (name == "prefix") {
    const auto plain = url_unescaped(value);
    if (!plain || !is_prefix(*plain))
      return wrong("has a `prefix` that is not letters, digits, - and _, at most " +
                   std::to_string(kPrefixBytesMax));
    into.prefix = *plain;
    return {};
  }
  const std::string meant = nearest(name, kParameters);
  return wrong("has a parameter that is not known; there are prefix, fifo and create" +
               (meant.empty() ? "" : "; `" + meant + "` was meant?"));
}

Result<Parameters> read_parameters(std::string_view query) {
  Parameters all;
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    if (one.empty()) continue;
    const auto equals = one.find('=');
    if (equals == std::string_view::npos) return wrong("has a parameter without =");
    const auto read = read_parameter(one.substr(0, equals), one.substr(equals + 1), all);
    if (!read) return tl::unexpected(read.error());
  }
  return all;
}

}  // namespace

std::string SqsUrl::queue_name(CarrierQueue queue) const {
  std::string name(kCarrierQueueNames.text(queue));
  std::replace(name.begin(), name.end(), '.', '-');
  return prefix + name + (fifo ? ".fifo" : "");
}

Result<SqsUrl> parse_sqs_url(std::string_view text) {
  if (text.size() > kUrlBytesMax)
    return wrong("is longer than " + std::to_string(kUrlBytesMax) + " characters");
  if (!text.starts_with(kSqsScheme)) return wrong("does not begin with sqs://, as in sqs://eu-central-1");
  text.remove_prefix(kSqsScheme.size());
  const auto question = text.find('?');
  std::string_view place = text.substr(0, question);
  const auto parameters =
      read_parameters(question == std::string_view::npos ? "" : text.substr(question + 1));
  if (!parameters) return tl::unexpected(parameters.error());

  SqsUrl url;
  const auto slash = place.find('/');
  url.region = place.substr(0, slash);
  if (!is_region(url.region))
    return wrong("names no region of AWS; it goes sqs://REGION, as in sqs://eu-central-1");
  if (slash != std::string_view::npos) {
    url.account = place.substr(slash + 1);
    if (url.account.ends_with('/')) url.account.pop_back();
  }
  if (!url.account.empty() && (url.account.size() != kAccountDigits ||
                               !std::all_of(url.account.begin(), url.account.end(), is_digit)))
    return wrong("names an account that is not 12 digits, as in sqs://eu-central-1/123456789012");
  url.prefix = parameters->prefix.value_or("");
  url.fifo = parameters->fifo.value_or(false);
  url.create = parameters->create.value_or(url.account.empty());
  return url;
}

}  // namespace eilbote
