#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cmath>

#include "base/clock.h"
#include "base/json_escape.h"
#include "base/utf8.h"

namespace eilbote::log {
namespace {

std::atomic<Format> g_format{Format::text};
std::atomic<Level> g_level{Level::info};

// spdlog does the locking and writing; the line itself is ours, so that fields stay fields.
spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("eilbote", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_pattern("%v");
    made.set_level(spdlog::level::trace);
    return made;
  }();
  return instance;
}

std::string_view level_text(Level level) {
  switch (level) {
    case Level::debug:
      return "debug";
    case Level::info:
      return "info";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
  }
  return "?";
}

void append_json(std::string& line, const Field& field) {
  line += ',';
  append_json_string(line, field.name);
  line += ':';
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::string>)
          append_json_string(line, value);
        else if constexpr (std::is_same_v<T, double>)
          line += std::isfinite(value) ? fmt::format("{}", value) : "null";  // JSON has no NaN
        else
          fmt::format_to(std::back_inserter(line), "{}", value);
      },
      field.value);
}

void write(Level level, std::string_view event, Fields fields) {
  if (!enabled(level)) return;
  const std::string at = to_rfc3339(SystemClock{}.now());
  std::string line;
  if (g_format.load(std::memory_order_relaxed) == Format::json) {
    line = fmt::format(R"({{"time":"{}","level":"{}","event":)", at, level_text(level));
    append_json_string(line, event);
    for (const Field& field : fields)
      append_json(line, field);
    line += '}';
  } else {
    line = fmt::format("{} {:7} {}", at, level_text(level), event);
    for (const Field& field : fields)
      std::visit(
          [&](const auto& value) { fmt::format_to(std::back_inserter(line), " {}={}", field.name, value); },
          field.value);
    line = clean_peer_text(line, line.size());  // what a peer said must not look like a line of ours
  }
  logger().log(spdlog::level::info, "{}", line);
}

}  // namespace

void configure(Format format, Level level) {
  g_format = format;
  g_level = level;
}
bool enabled(Level level) {
  return level >= g_level.load(std::memory_order_relaxed);
}

void debug(std::string_view event, Fields fields) {
  write(Level::debug, event, fields);
}
void info(std::string_view event, Fields fields) {
  write(Level::info, event, fields);
}
void warning(std::string_view event, Fields fields) {
  write(Level::warning, event, fields);
}
void error(std::string_view event, Fields fields) {
  write(Level::error, event, fields);
}

}  // namespace eilbote::log
