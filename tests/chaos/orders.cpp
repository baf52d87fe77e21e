#include "chaos/orders.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <map>

namespace eilbote::chaos {
namespace {

// Short, as names and header values are here: what is shorter than 8 bytes is not private to the searchers of logs
// (support/private_texts.h).
std::string short_number(int number) {
  std::string text;
  for (; number > 0 || text.empty(); number /= 36)
    text.insert(text.begin(), "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]);
  return text;
}

std::string in_time(std::int64_t at) {
  const std::time_t seconds = at / 1000;
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(seconds), at % 1000);
}

std::string headers_json(const std::map<std::string, std::string>& headers) {
  std::string members;
  for (const auto& [name, value] : headers)
    members += fmt::format("{}\"{}\":\"{}\"", members.empty() ? "" : ",", name, value);
  return ",\"headers\":{" + members + "}";
}

}  // namespace

std::string narrow_pool_json() {
  return fmt::format(R"({{"code":"{}","name":"Narrow","rateLimitPerMinute":{},"burst":{},"concurrency":{}}})",
                     kNarrowPool, kNarrowRate, kNarrowBurst, kNarrowConcurrency);
}

Orders::Orders(std::uint64_t seed, int client, std::string hook_url)
    : random_(seed * 1'000'003 + static_cast<std::uint64_t>(client)),
      client_(client),
      hook_url_(std::move(hook_url)) {}

Order Orders::next(std::int64_t now) {
  ++made_;
  return draw(100) < 40 ? mail(now) : webhook(now);
}

Order Orders::mail(std::int64_t now) {
  Order order{"m" + short_number(client_) + "." + short_number(made_), "/messages", "", "/messageId"};
  order.created = 202;
  std::map<std::string, std::string> headers;
  std::string extra = R"(,"retry":{"strategy":"fixed","delaySeconds":1,"maxAttempts":50})";
  const int kind = draw(100);
  if (kind < 15) {
    headers["X-Group"] = "m" + std::to_string(client_);
    headers["X-Place"] = std::to_string(++places_[2]);
    extra += fmt::format(R"(,"group":"{}")", headers["X-Group"]);
  } else if (kind < 25) {
    headers["X-Mode"] = "hold";
    extra += R"(,"onUncertain":"hold")";
  } else if (kind < 35) {
    headers["X-Fail"] = std::to_string(1 + draw(2));
  } else if (kind < 37) {
    headers["X-Refuse"] = "1";
  } else if (kind < 50) {
    const int later = 1 + draw(8000);
    extra += fmt::format(R"(,"scheduledFor":"{}")", in_time(now + later));
    // Some at once, some about when they begin.
    if (draw(2) == 0) order.cancel_after = 1 + (draw(2) == 0 ? draw(500) : later - 100 + draw(200));
  }
  if (!headers.empty()) extra += headers_json(headers);
  order.body = fmt::format(
      R"({{"from":"sender@example.org","to":["{}@example.org"],"subject":"One of many","body":{{"text":"Guten Tag"}}{}}})",
      order.name, extra);
  order.headers = {{"Idempotency-Key", "key-" + order.name}};
  return order;
}

Order Orders::webhook(std::int64_t now) {
  Order order{"h" + short_number(client_) + "." + short_number(made_), "/dispatch-jobs", "", "/id"};
  order.created = 201;
  std::map<std::string, std::string> headers{{"X-Name", order.name}};
  std::string extra = fmt::format(
      R"(,"retryStrategy":"immediate","maxRetries":100,"timeoutSeconds":5,"idempotencyKey":"key-{}")",
      order.name);
  const auto in_group = [&](int which, const char* prefix, const char* mode) {
    headers["X-Group"] = prefix + std::to_string(client_);
    headers["X-Place"] = std::to_string(++places_[which]);
    extra += fmt::format(R"(,"mode":"{}","messageGroup":"{}","sequence":{})", mode, headers["X-Group"],
                         headers["X-Place"]);
  };
  const int kind = draw(100);
  if (kind < 15) {
    in_group(0, "b", "BLOCK_ON_ERROR");
    headers["X-Mode"] = "block";
    if (draw(10) == 0) headers["X-Fail"] = "1";
  } else if (kind < 28) {
    in_group(1, "n", "NEXT_ON_ERROR");
    if (draw(10) == 0) headers["X-Fail"] = "1";
  } else if (kind < 32) {
    extra += fmt::format(R"(,"mode":"IMMEDIATE","messageGroup":"i{}")", client_);
  } else if (kind < 38) {
    headers["X-Pool"] = kNarrowPool;
    extra += fmt::format(R"(,"dispatchPoolId":"{}")", kNarrowPool);
  } else if (kind < 46) {
    headers["X-Fail"] = std::to_string(1 + draw(2));
  } else if (kind < 51) {
    headers["X-Defer"] = "1";
  } else if (kind < 52) {
    headers["X-Refuse"] = "1";
  } else if (kind < 64) {
    const int later = 1 + draw(8000);
    extra += fmt::format(R"(,"scheduledFor":"{}")", in_time(now + later));
    if (draw(2) == 0) order.cancel_after = 1 + (draw(2) == 0 ? draw(500) : later - 100 + draw(200));
  }
  order.body =
      fmt::format(R"({{"source":"shop-api","code":"orders:created","targetUrl":"{}","payload":"{{}}"{}{}}})",
                  hook_url_, extra, headers_json(headers));
  return order;
}

}  // namespace eilbote::chaos
