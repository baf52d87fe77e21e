// The kinds of option values: how each is read, checked and described. Used by the files of the option table only.
#pragma once

#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/enum_names.h"
#include "config/option.h"

namespace eilbote::kinds {

std::optional<long long> parse_integer(std::string_view text);
std::optional<double> parse_decimal(std::string_view text);
// "4096", "64KiB", "32MiB", "1GiB".
std::optional<std::size_t> parse_bytes(std::string_view text);
std::string bytes_text(std::size_t bytes);
// "127.0.0.1:8925", "[::1]:8925", "localhost:0".
Result<ListenAddress> parse_listen(std::string_view text);
Result<void> check_store_url(std::string_view text);
Result<void> check_secret_reference(std::string_view text);
Result<void> check_local_reference(std::string_view text);  // kept on this machine
Result<void> check_key_reference(std::string_view text);    // anything but encrypted://
Result<void> check_web_address(std::string_view text);
Result<void> check_domain(std::string_view text);
// An address tokens may come from, or go to: domain/issuer_url.h.
Result<void> check_issuer(std::string_view text);
Result<void> check_notification_url(std::string_view text);
// The id or a domain of a tenant, the id of an application.
Result<void> check_directory_id(std::string_view text);

Result<std::vector<Duration>> parse_durations(std::string_view text);

// `where` is a member pointer or a function Config& -> field&.
template <class Where>
OptionKind text(
    Where where, std::string type = "text",
    Result<void> (*check)(std::string_view) = [](std::string_view) -> Result<void> { return {}; }) {
  return {std::move(type), "", [where, check](Config& config, std::string_view value) -> Result<void> {
            if (auto ok = check(value); !ok) return ok;
            std::invoke(where, config) = std::string(value);
            return {};
          }};
}

// A whole number, stored as a number or as that many of a Duration's unit.
template <class Where, class Unit = long long>
OptionKind number(Where where, long long low, long long high, Unit unit = Unit{1}) {
  const std::string range = std::to_string(low) + " to " + std::to_string(high);
  return {"number", range, [=](Config& config, std::string_view value) -> Result<void> {
            const auto parsed = parse_integer(value);
            if (!parsed || *parsed < low || *parsed > high)
              return fail(ErrorKind::invalid, "must be a whole number from " + range);
            auto& field = std::invoke(where, config);
            using Field = std::remove_cvref_t<decltype(field)>;
            if constexpr (std::is_arithmetic_v<Field>)
              field = static_cast<Field>(*parsed);
            else
              field = *parsed * unit;
            return {};
          }};
}

template <class Where>
OptionKind decimal(Where where, double low, double high, const std::string& range) {
  return {"decimal", range, [=](Config& config, std::string_view value) -> Result<void> {
            const auto parsed = parse_decimal(value);
            if (!parsed || !(*parsed >= low && *parsed <= high))
              return fail(ErrorKind::invalid, "must be a number from " + range);
            std::invoke(where, config) = *parsed;
            return {};
          }};
}

template <class Where>
OptionKind bytes(Where where, std::size_t low, std::size_t high) {
  const std::string range = bytes_text(low) + " to " + bytes_text(high);
  return {"bytes", range, [=](Config& config, std::string_view value) -> Result<void> {
            const auto parsed = parse_bytes(value);
            if (!parsed || *parsed < low || *parsed > high)
              return fail(ErrorKind::invalid, "must be a number of bytes (4096, 64KiB, 32MiB) from " + range);
            std::invoke(where, config) = *parsed;
            return {};
          }};
}

template <class Where>
OptionKind duration(Where where, Duration low, Duration high) {
  const std::string range = duration_text(low) + " to " + duration_text(high);
  return {"duration", range, [=](Config& config, std::string_view value) -> Result<void> {
            const auto parsed = parse_duration(value);
            if (!parsed || *parsed < low || *parsed > high)
              return fail(ErrorKind::invalid, "must be a duration (30s, 10m, 5d) from " + range);
            std::invoke(where, config) = *parsed;
            return {};
          }};
}

template <class Where, class Enum, std::size_t N>
OptionKind choice(Where where, const EnumNames<Enum, N>& names) {
  return {"choice", names.list(), [where, &names](Config& config, std::string_view value) -> Result<void> {
            const auto parsed = names.parse(value);
            if (!parsed) return fail(ErrorKind::invalid, "must be one of: " + names.list());
            std::invoke(where, config) = *parsed;
            return {};
          }};
}

template <class Where>
OptionKind listen(Where where) {
  return {"address", "HOST:PORT", [where](Config& config, std::string_view value) -> Result<void> {
            auto parsed = parse_listen(value);
            if (!parsed) return fail(parsed.error());
            std::invoke(where, config) = std::move(*parsed);
            return {};
          }};
}

// A relay as smtp://user@host:port?tls=..
template <class Where>
OptionKind relay(Where where) {
  return {"URL", "", [where](Config& config, std::string_view value) -> Result<void> {
            auto parsed = parse_smtp_target(value);
            if (!parsed) return fail(parsed.error());
            std::invoke(where, config) = std::move(*parsed);
            return {};
          }};
}

// Durations with commas in between, each at most a day; "none": no waits at all.
template <class Where>
OptionKind durations(Where where) {
  return {"list of durations", "none, or 5s,15s,..",
          [where](Config& config, std::string_view value) -> Result<void> {
            auto parsed = parse_durations(value);
            if (!parsed) return fail(parsed.error());
            std::invoke(where, config) = std::move(*parsed);
            return {};
          }};
}

template <class Where>
OptionKind on_off(Where where) {
  return {"choice", "on, off", [where](Config& config, std::string_view value) -> Result<void> {
            if (value != "on" && value != "off") return fail(ErrorKind::invalid, "must be one of: on, off");
            std::invoke(where, config) = value == "on";
            return {};
          }};
}

// Mail addresses, or *@domain for all of a domain, with commas in between.
Result<std::vector<std::string>> parse_senders(std::string_view text);
template <class Where>
OptionKind senders(Where where) {
  return {"list", "ADDRESS or *@DOMAIN", [where](Config& config, std::string_view value) -> Result<void> {
            auto parsed = parse_senders(value);
            if (!parsed) return fail(parsed.error());
            std::invoke(where, config) = std::move(*parsed);
            return {};
          }};
}

// Names of secret schemes with commas in between; empty: all.
OptionKind schemes();

// Addresses, ranges and hosts; empty: none.
template <class Where>
OptionKind outbound_allow(Where where) {
  return {"list", "CIDR, HOST or *.DOMAIN, each with :PORT or without",
          [where](Config& config, std::string_view value) -> Result<void> {
            auto parsed = parse_outbound_allow(value);
            if (!parsed) return fail(parsed.error());
            std::invoke(where, config) = std::move(*parsed);
            return {};
          }};
}

// Empty: no schedule, the policy is exponential.
OptionKind schedule();

}  // namespace eilbote::kinds
