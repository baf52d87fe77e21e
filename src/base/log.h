// Log lines: an event in a few words plus fields, one JSON object per line (or readable text on a terminal),
// to standard error. Rule of the house: ids and domains, never addresses, subjects, bodies or secrets.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace eilbote::log {

enum class Level { debug, info, warning, error };
enum class Format { text, json };

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

// Once, at the start of the program; before it, lines come out as text at level info.
void configure(Format format, Level level);
bool enabled(Level level);

void debug(std::string_view event, Fields fields = {});
void info(std::string_view event, Fields fields = {});
void warning(std::string_view event, Fields fields = {});
void error(std::string_view event, Fields fields = {});

}  // namespace eilbote::log
