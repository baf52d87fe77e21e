#include "api/message_filter.h"

#include <array>

namespace eilbote {
namespace {

using Setter = std::string (*)(ListQuery&, const std::string&);

template <class Enum, std::size_t N>
std::string set_enum(std::optional<Enum>& into, const EnumNames<Enum, N>& names, const std::string& value) {
  into = names.parse(value);
  return into ? "" : "must be one of: " + names.list();
}

std::string set_time(std::optional<TimePoint>& into, const std::string& value) {
  into = parse_rfc3339(value);
  return into ? "" : "must be an RFC 3339 time such as 2026-11-15T21:00:00Z";
}

std::string set_text(std::string& into, const std::string& value) {
  if (value.empty() || value.size() > 320) return "must have 1 to 320 bytes";
  into = value;
  return "";
}

struct Row {
  std::string_view name;
  Setter set;
};
constexpr std::array kRows{
    Row{"status", [](ListQuery& q, const std::string& v) { return set_enum(q.state, kMailStateNames, v); }},
    Row{"deadReason",
        [](ListQuery& q, const std::string& v) { return set_enum(q.dead_reason, kDeadReasonNames, v); }},
    Row{"recipient", [](ListQuery& q, const std::string& v) { return set_text(q.recipient, v); }},
    Row{"tag", [](ListQuery& q, const std::string& v) { return set_text(q.tag, v); }},
    Row{"campaignId", [](ListQuery& q, const std::string& v) { return set_text(q.campaign_id, v); }},
    Row{"createdFrom", [](ListQuery& q, const std::string& v) { return set_time(q.created_from, v); }},
    Row{"createdTo", [](ListQuery& q, const std::string& v) { return set_time(q.created_to, v); }},
};

constexpr auto make_names() {
  std::array<std::string_view, kRows.size()> names{};
  for (std::size_t i = 0; i < kRows.size(); ++i)
    names[i] = kRows[i].name;
  return names;
}
constexpr auto kNames = make_names();

}  // namespace

std::span<const std::string_view> filter_names() {
  return kNames;
}

FilterResult set_filter(ListQuery& query, std::string_view name, const std::string& value) {
  for (const Row& row : kRows)
    if (row.name == name) return {true, row.set(query, value)};
  return {false, {}};
}

}  // namespace eilbote
