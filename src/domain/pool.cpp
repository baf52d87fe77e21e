#include "domain/pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"

namespace eilbote {
namespace {

bool starts_code(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool continues_code(char c) {
  return starts_code(c) || c == '.' || c == '_' || c == '-';
}

}  // namespace

bool is_pool_code(std::string_view text) {
  return !text.empty() && text.size() <= kPoolCodeMax && starts_code(text.front()) &&
         std::all_of(text.begin(), text.end(), continues_code);
}

std::vector<Fault> check_pool(const Pool& pool) {
  Faults check;
  if (!is_pool_code(pool.code))
    check.fault("/code", fmt::format("must be 1 to {} characters: a-z, 0-9, then also '.', '_' and '-'",
                                     kPoolCodeMax));
  const std::size_t characters = utf8_length(pool.name);
  if (characters < 1 || characters > kPoolNameMax || has_control(pool.name))
    check.fault("/name", fmt::format("must be 1 to {} characters on one line", kPoolNameMax));
  if (pool.rate_limit_per_minute)
    check.range(*pool.rate_limit_per_minute, 1, kPoolRateMax, "/rateLimitPerMinute");
  check.range(pool.burst, 1, kPoolBurstMax, "/burst");
  check.range(pool.concurrency, 1, kPoolConcurrencyMax, "/concurrency");
  return check.take();
}

}  // namespace eilbote
