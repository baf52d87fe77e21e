#include "api/outbound_target.h"

#include <fmt/format.h>

#include "ports/outbound_check.h"

namespace eilbote {
namespace {

// Says which rule it is, never which address a name led to: that would be a map of the inside.
std::string detail_of(OutboundRule rule) {
  std::string text = fmt::format("must not lead to {}", outbound_rule_text(rule));
  if (rule != OutboundRule::own_listener)
    text += "; whoever runs this server can allow it with EILBOTE_OUTBOUND_ALLOW";
  return text;
}

}  // namespace

bool target_needs_check(const ApiContext& context, const std::string& url) {
  OutboundCheck* const guard = context.settings.outbound;
  const auto parsed = guard == nullptr ? Result<WebhookUrl>{} : parse_webhook_url(url);
  if (guard == nullptr || !parsed) return false;
  const OutboundVerdict verdict = guard->look(*parsed);
  return !verdict.is_known || verdict.refused_by;
}

std::optional<Problem> check_target(const ApiContext& context, const std::string& url, const char* pointer,
                                    std::chrono::milliseconds& patience) {
  OutboundCheck* const guard = context.settings.outbound;
  if (guard == nullptr) return std::nullopt;
  const auto parsed = parse_webhook_url(url);
  if (!parsed) return invalid({{pointer, parsed.error().message}});
  const auto rule = guard->ask(*parsed, patience);
  if (!rule) return std::nullopt;
  context.metrics.add(Metric::outbound_refused, 1, {"create", std::string(kOutboundRuleNames.text(*rule))});
  const std::string detail = detail_of(*rule);
  return Problem{ProblemKind::target_refused, fmt::format("{}: {}", pointer, detail), {{pointer, detail}}};
}

}  // namespace eilbote
