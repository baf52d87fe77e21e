#include "config/option_kinds.h"

#include "base/ascii.h"
#include "domain/address.h"
#include "domain/issuer_url.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace eilbote::kinds {
namespace {

struct ByteUnit {
  std::string_view text;
  std::size_t bytes;
};
constexpr std::array<ByteUnit, 3> kByteUnits{{{"GiB", 1UL << 30}, {"MiB", 1UL << 20}, {"KiB", 1UL << 10}}};

tl::unexpected<Error> bad_listen() {
  return fail(ErrorKind::invalid, "must be HOST:PORT, such as 127.0.0.1:8925 or [::1]:8925");
}

}  // namespace

std::optional<long long> parse_integer(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::size_t> parse_bytes(std::string_view text) {
  std::size_t unit = 1;
  for (const auto& [suffix, bytes] : kByteUnits)
    if (text.ends_with(suffix)) {
      unit = bytes;
      text.remove_suffix(suffix.size());
      break;
    }
  const auto count = parse_integer(text);
  // 2^40 is far above every limit, and keeps the product from overflowing.
  if (!count || *count < 0 || *count > (1LL << 40) || (unit > 1 && *count > (1LL << 20))) return std::nullopt;
  return static_cast<std::size_t>(*count) * unit;
}

std::string bytes_text(std::size_t bytes) {
  for (const auto& [suffix, unit] : kByteUnits)
    if (bytes >= unit && bytes % unit == 0) return std::to_string(bytes / unit) + std::string(suffix);
  return std::to_string(bytes);
}

Result<ListenAddress> parse_listen(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad_listen();
  std::string_view host = text.substr(0, colon);
  const auto port = parse_integer(text.substr(colon + 1));
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos)
    return bad_listen();
  if (host.empty() || !port || *port < 0 || *port > 65535) return bad_listen();
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == ':';
  };
  if (!std::all_of(host.begin(), host.end(), fits)) return bad_listen();
  // The listener binds to an address; of names, this one is known.
  if (host == "localhost") host = "127.0.0.1";
  return ListenAddress{std::string(host), static_cast<std::uint16_t>(*port)};
}

Result<void> check_store_url(std::string_view text) {
  if (text.empty() || text.starts_with("sqlite:") || text.starts_with("postgresql://") ||
      text.starts_with("postgres://"))
    return {};
  return fail(ErrorKind::invalid, "must be sqlite:PATH or postgresql://USER@HOST:PORT/DATABASE");
}

Result<void> check_secret_reference(std::string_view text) {
  if (text.empty() || read_secret_reference(text)) return {};
  return fail(ErrorKind::invalid,
              "must be a reference to a secret, not the secret itself: " + secret_reference_forms());
}

Result<void> check_local_reference(std::string_view text) {
  const auto reference = read_secret_reference(text);
  if (text.empty() || (reference && home_of(reference->scheme) == SecretHome::machine)) return {};
  return fail(ErrorKind::invalid,
              "must be " + secret_reference_forms(SecretHome::machine) + ", not the secret itself");
}

Result<void> check_key_reference(std::string_view text) {
  const auto reference = read_secret_reference(text);
  if (text.empty() || (reference && home_of(reference->scheme) != SecretHome::reference)) return {};
  return fail(
      ErrorKind::invalid,
      "must be a reference to the key, such as env://NAME, file://PATH or vault://PATH#KEY; it cannot "
      "be encrypted under itself");
}

Result<void> check_web_address(std::string_view text) {
  const bool is_web = text.starts_with("https://") || text.starts_with("http://");
  if (text.empty() || (is_web && text.find_first_of("@ ?#") == std::string_view::npos &&
                       text.size() > std::string_view("https://").size()))
    return {};
  return fail(ErrorKind::invalid, "must be https://HOST[:PORT], without a user, a query or a fragment");
}

Result<SecretSchemes> parse_schemes(std::string_view text) {
  SecretSchemes schemes;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(name.size() + 1, text.size()));
    const auto scheme = parse_secret_scheme(name);
    if (!scheme)
      return fail(ErrorKind::invalid,
                  "must be names of schemes with commas in between, of: " + kSecretSchemeNames.list());
    schemes.insert(*scheme);
  }
  return schemes;
}

OptionKind schemes() {
  return {"list", kSecretSchemeNames.list(), [](Config& config, std::string_view value) -> Result<void> {
            auto parsed = parse_schemes(value);
            if (!parsed) return fail(parsed.error());
            config.secrets.schemes = std::move(*parsed);
            return {};
          }};
}

Result<std::vector<Duration>> parse_durations(std::string_view text) {
  std::vector<Duration> all;
  if (text == "none") return all;
  while (true) {
    const auto comma = std::min(text.find(','), text.size());
    const auto one = parse_duration(text.substr(0, comma));
    if (!one || *one > std::chrono::hours{24} || all.size() == 20)
      return fail(ErrorKind::invalid, "must be 'none' or up to 20 durations such as 5s,15s,30s");
    all.push_back(*one);
    if (comma == text.size()) return all;
    text.remove_prefix(comma + 1);
  }
}

// What may stand behind the @ of a Message-ID without quoting.
Result<void> check_issuer(std::string_view text) {
  auto url = parse_issuer_url(text);
  if (!url) return fail(url.error());
  if (text.find_first_of("?#") != std::string_view::npos)
    return fail(ErrorKind::invalid, "must have no query and no fragment");
  return {};
}

Result<void> check_domain(std::string_view text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
  };
  const bool shaped = !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), fits) &&
                      text.front() != '.' && text.back() != '.' && text.find("..") == std::string_view::npos;
  if (!shaped) return fail(ErrorKind::invalid, "must be a domain of letters, digits, '-' and '.'");
  return {};
}

Result<void> check_notification_url(std::string_view text) {
  if (auto ok = check_issuer(text); !ok) return ok;
  if (!text.ends_with(kGraphNotificationPath))
    return fail(ErrorKind::invalid, "must end in " + std::string(kGraphNotificationPath) +
                                        ", the path this server takes notifications on");
  return {};
}

Result<void> check_directory_id(std::string_view text) {
  if (check_domain(text)) return {};
  return fail(ErrorKind::invalid,
              "must be an id such as 11111111-2222-3333-4444-555555555555 (of a tenant also a domain)");
}

Result<std::vector<std::string>> parse_senders(std::string_view text) {
  constexpr std::string_view kAll = "*@";
  constexpr std::size_t kSendersMax = 1'000;
  std::vector<std::string> all;
  while (!text.empty()) {
    const std::string_view raw = text.substr(0, text.find(','));
    text.remove_prefix(std::min(raw.size() + 1, text.size()));
    const std::string_view one = trimmed(raw);
    const bool fits = one.starts_with(kAll) ? check_domain(one.substr(kAll.size())).has_value()
                                            : parse_address(one).has_value();
    if (!fits || all.size() == kSendersMax)
      return fail(ErrorKind::invalid,
                  "must be up to 1000 mail addresses, or *@domain for all of a domain, with commas in "
                  "between: billing@example.org,*@news.example.org");
    all.push_back(ascii_lower(one));  // mailboxes are the same in any case
  }
  return all;
}

OptionKind schedule() {
  return {"list of durations", "default, or 1m,5m,..",
          [](Config& config, std::string_view value) -> Result<void> {
            if (value.empty()) {
              config.retry.strategy = RetryStrategy::exponential;
              config.retry.schedule.clear();
              return {};
            }
            auto parsed = parse_schedule(value);
            if (!parsed)
              return fail(ErrorKind::invalid, "must be 'default' or a list of durations such as 1m,5m,1h (" +
                                                  parsed.error().message + ")");
            config.retry.strategy = RetryStrategy::schedule;
            config.retry.schedule = std::move(*parsed);
            return {};
          }};
}

}  // namespace eilbote::kinds
