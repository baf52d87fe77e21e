// Log lines: an event in a few words plus fields, one JSON object per line (or readable text on a terminal),
// to standard error. Rule of the house: ids and domains, never addresses, subjects, bodies or secrets, at any level.
// The level may be changed at any time, from any thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/enum_names.h"
#include "base/time.h"

namespace eilbote::log {

enum class Level { debug, info, warning, error };
enum class Format { text, json };
inline constexpr auto kLevelNames = enum_names<Level>(
    {{Level::debug, "debug"}, {Level::info, "info"}, {Level::warning, "warning"}, {Level::error, "error"}});
inline constexpr auto kFormatNames = enum_names<Format>({{Format::text, "text"}, {Format::json, "json"}});
static_assert(kLevelNames.complete() && kFormatNames.complete());

struct Field {
  std::string_view name;
  std::variant<std::string, std::int64_t, double, bool> value;

  Field(std::string_view n, std::string v) : name(n), value(std::move(v)) {}
  Field(std::string_view n, std::string_view v) : name(n), value(std::string(v)) {}
  Field(std::string_view n, const char* v) : name(n), value(std::string(v)) {}
  Field(std::string_view n, bool v) : name(n), value(v) {}
  Field(std::string_view n, double v) : name(n), value(v) {}
  template <std::integral I>
  Field(std::string_view n, I v) : name(n), value(static_cast<std::int64_t>(v)) {}
};
using Fields = std::initializer_list<Field>;

// At the start of the program, and when the configuration was read again: a level that somebody chose meanwhile ends. Before the
// first call lines come out as text at level info.
void configure(Format format, Level level);
// Another level than the configured one: for a while, after which that is in force again, or until the next configure().
void choose_level(Level level, std::optional<Duration> for_how_long);

struct LevelView {
  Level level;                       // what is written now
  Level configured;                  // what is written when nobody chose another one
  std::optional<TimePoint> until{};  // when the chosen one ends by itself
};
LevelView level_view();
bool enabled(Level level);

void debug(std::string_view event, Fields fields = {});
void info(std::string_view event, Fields fields = {});
void warning(std::string_view event, Fields fields = {});
void error(std::string_view event, Fields fields = {});

}  // namespace eilbote::log
