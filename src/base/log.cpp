#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cmath>

#include "base/clock.h"
#include "base/json_escape.h"
#include "base/mutex.h"
#include "base/utf8.h"

namespace eilbote::log {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::atomic<Format> g_format{Format::text};
// What every line looks at. The rest changes rarely, under the mutex.
std::atomic<Level> g_level{Level::info};
std::atomic<SteadyClock::rep> g_until{0};  // when the chosen level ends; 0: not by itself
Mutex g_change;
Level g_configured EILBOTE_GUARDED_BY(g_change) = Level::info;

SteadyClock::rep steady_now() {
  return SteadyClock::now().time_since_epoch().count();
}

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
    line = fmt::format(R"({{"time":"{}","level":"{}","event":)", at, kLevelNames.text(level));
    append_json_string(line, event);
    for (const Field& field : fields)
      append_json(line, field);
    line += '}';
  } else {
    line = fmt::format("{} {:7} {}", at, kLevelNames.text(level), event);
    for (const Field& field : fields)
      std::visit(
          [&](const auto& value) { fmt::format_to(std::back_inserter(line), " {}={}", field.name, value); },
          field.value);
    line = clean_peer_text(line, line.size());  // what a peer said must not look like a line of ours
  }
  logger().log(spdlog::level::info, "{}", line);
}

// The chosen level's time is over; whoever notices first puts the configured one back.
void end_choice() {
  Level back{};
  {
    const MutexLock lock(g_change);
    const auto until = g_until.load();
    if (until == 0 || steady_now() < until) return;
    g_until = 0;
    g_level = back = g_configured;
  }
  write(Level::info, "the log level that was chosen for a while is over",
        {{"level", kLevelNames.text(back)}});
}

// Asked whenever a line may be written, so that no thread has to wait for that moment.
bool is_over(SteadyClock::rep until) {
  return until != 0 && steady_now() >= until;
}

}  // namespace

void configure(Format format, Level level) {
  const MutexLock lock(g_change);
  g_format = format;
  g_until = 0;
  g_level = g_configured = level;
}

void choose_level(Level level, std::optional<Duration> for_how_long) {
  const MutexLock lock(g_change);
  g_until = for_how_long ? (SteadyClock::now() + *for_how_long).time_since_epoch().count() : 0;
  g_level = level;
}

LevelView level_view() {
  if (is_over(g_until)) end_choice();
  const MutexLock lock(g_change);
  LevelView view{g_level, g_configured, std::nullopt};
  if (const auto until = g_until.load(); until != 0) {
    const auto left = SteadyClock::duration(until - steady_now());
    view.until = SystemClock{}.now() + std::chrono::duration_cast<Duration>(left);
  }
  return view;
}

bool enabled(Level level) {
  if (is_over(g_until.load(std::memory_order_relaxed))) end_choice();
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
