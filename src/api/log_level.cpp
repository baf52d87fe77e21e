// /log-level: what this instance writes to its log, and how somebody chooses more or less of it for a while. A choice ends by
// itself, when the configuration is read again, or with the process; others of many instances do not learn of it.
#include <boost/json/serialize.hpp>

#include "api/audit.h"
#include "api/handlers.h"
#include "api/json_body.h"
#include "api/json_out.h"
#include "api/limits.h"
#include "base/duration.h"
#include "base/log.h"

namespace eilbote {
namespace {

namespace json = boost::json;

struct LevelBody {
  std::optional<log::Level> level;
  std::optional<std::int64_t> for_seconds;
};

constexpr FieldRow<LevelBody> kLevelFields[] = {
    {"level",
     [](LevelBody& b, const json::value& v, const Place& p) { b.level = read_enum(v, p, log::kLevelNames); }},
    {"forSeconds", [](LevelBody& b, const json::value& v,
                      const Place& p) { b.for_seconds = read_integer(v, p, 1, kLogLevelSecondsMax); }},
};

json::object level_json(const log::LevelView& view) {
  json::object out;
  out["level"] = log::kLevelNames.text(view.level);
  out["configured"] = log::kLevelNames.text(view.configured);
  out["until"] = time_or_null(view.until);
  return out;
}

void choose(const CallPtr& call, const LevelBody& body) {
  const json::object before = level_json(log::level_view());
  std::optional<Duration> time;
  if (body.for_seconds) time = std::chrono::seconds{*body.for_seconds};
  log::warning("the log level is changed by hand",
               {{"level", log::kLevelNames.text(*body.level)},
                {"for", time ? duration_text(*time) : "until the configuration is read again"},
                {"actor", call->caller.actor()}});
  log::choose_level(*body.level, time);
  const json::object after = level_json(log::level_view());
  // It is changed whatever becomes of the record: whoever wants to see more may want to because the store is in trouble.
  if (const auto written = call->context.registry.add_audit(
          audit_entry(*call, "log-level.change", "log-level", before, after));
      !written)
    log::error("the change of the log level is not on the audit record",
               {{"actor", call->caller.actor()}, {"error", written.error().message}});
  call->reply_json(200, json::serialize(after));
}

}  // namespace

void get_log_level(const CallPtr& call) {
  call->reply_json(200, json::serialize(level_json(log::level_view())));
}

void put_log_level(const CallPtr& call) {
  LevelBody body;
  if (!read_body(*call, kLevelFields, body)) return;
  if (!body.level) return call->reply(invalid({{"/level", "is required"}}));
  call->on_worker([call, body] { choose(call, body); });
}

}  // namespace eilbote
