#include "domain/pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "domain/mail.h"

namespace eilbote {
namespace {

bool starts_code(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool continues_code(char c) {
  return starts_code(c) || c == '.' || c == '_' || c == '-';
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

void check_range(std::vector<Fault>& faults, std::string_view field, int value, int most) {
  if (value >= 1 && value <= most) return;
  faults.push_back({fmt::format("/{}", field), fmt::format("must be a whole number from 1 to {}", most)});
}

}  // namespace

bool is_pool_code(std::string_view text) {
  return !text.empty() && text.size() <= kPoolCodeMax && starts_code(text.front()) &&
         std::all_of(text.begin(), text.end(), continues_code);
}

std::vector<Fault> check_pool(const Pool& pool) {
  std::vector<Fault> faults;
  if (!is_pool_code(pool.code))
    faults.push_back({"/code", fmt::format("must be 1 to {} characters: a-z, 0-9, then also '.', '_' and '-'",
                                           kPoolCodeMax)});
  const std::size_t characters = utf8_length(pool.name);
  if (characters < 1 || characters > kPoolNameMax ||
      std::any_of(pool.name.begin(), pool.name.end(), is_control))
    faults.push_back({"/name", fmt::format("must be 1 to {} characters on one line", kPoolNameMax)});
  if (pool.rate_limit_per_minute)
    check_range(faults, "rateLimitPerMinute", *pool.rate_limit_per_minute, kPoolRateMax);
  check_range(faults, "burst", pool.burst, kPoolBurstMax);
  check_range(faults, "concurrency", pool.concurrency, kPoolConcurrencyMax);
  return faults;
}

}  // namespace eilbote
