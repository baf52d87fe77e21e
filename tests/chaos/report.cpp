#include "chaos/report.h"

#include <fmt/format.h>

#include <boost/json.hpp>

namespace eilbote::chaos {
namespace {

namespace json = boost::json;

std::string counted(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [what, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, count);
  return text.empty() ? "none" : text;
}

std::string times_text(const RecoveryTimes& times) {
  if (times.jobs == 0) return "none";
  return fmt::format("p50 {:.1f} s, p99 {:.1f} s, most {:.1f} s ({})", times.p50, times.p99, times.most,
                     times.jobs);
}

json::object times_json(const RecoveryTimes& times) {
  return {{"count", times.jobs}, {"p50", times.p50}, {"p99", times.p99}, {"max", times.most}};
}

json::object counts_json(const std::map<std::string, int>& counts) {
  json::object object;
  for (const auto& [what, count] : counts)
    object[what] = count;
  return object;
}

json::array texts_json(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts)
    array.emplace_back(text);
  return array;
}

}  // namespace

std::string report_page(const ChaosReport& report) {
  const test::HistoryVerdict& verdict = report.verdict;
  std::string page = fmt::format("chaos on {}, {}: {} s, seed {}\n", report.store, report.transport,
                                 report.seconds, report.seed);
  const auto line = [&](const char* what, const std::string& text) {
    page += fmt::format("  {:<22}{}\n", what, text);
  };
  line(
      "jobs",
      fmt::format("{} acknowledged: {} delivered, {} dead, {} cancelled; {} handed in again under their key",
                  verdict.acknowledged, verdict.delivered, verdict.dead, verdict.cancelled, report.repeated));
  line("faults", counted(report.faults));
  if (report.own_ends > 0)
    line("ended by themselves", std::to_string(report.own_ends) + " instances, and brought back");
  line("taken twice",
       fmt::format("{} of them; beside: {}", verdict.duplicates, counted(verdict.duplicates_beside)));
  line("not on record", fmt::format("{} deliveries", verdict.unrecorded));
  line("killed, then running", times_text(report.recovery.jobs));
  line("  the first of a kill", times_text(report.recovery.first));
  line("  uncertain mails", times_text(report.recovery.uncertain));
  line("  not to run again", std::to_string(report.recovery.not_again));
  line("all done", fmt::format("{:.1f} s after the storm", report.drained_after));
  for (const std::string& lack : report.lacks)
    line("NOT DONE HERE", lack);
  for (const std::string& hitch : report.hitches)
    line("a fault had trouble", hitch);
  for (const std::string& trouble : report.troubles)
    line("TROUBLE", trouble);
  std::size_t cases = 0;
  for (const auto& [rule, found] : verdict.violations)
    cases += found.size();
  line("violations", std::to_string(cases));
  for (const auto& [rule, found] : verdict.violations)
    page += fmt::format("    {} times: {}\n", found.size(), rule);
  return page;
}

std::string report_json(const ChaosReport& report) {
  const test::HistoryVerdict& verdict = report.verdict;
  json::object violations;
  for (const auto& [rule, found] : verdict.violations)
    violations[rule] = found.size();
  const json::object all{
      {"seed", report.seed},
      {"seconds", report.seconds},
      {"rate", report.rate},
      {"store", report.store},
      {"transport", report.transport},
      {"jobs",
       {{"acknowledged", verdict.acknowledged},
        {"delivered", verdict.delivered},
        {"dead", verdict.dead},
        {"cancelled", verdict.cancelled},
        {"repeated", report.repeated}}},
      {"faults", counts_json(report.faults)},
      {"endedByThemselves", report.own_ends},
      {"duplicates", {{"count", verdict.duplicates}, {"beside", counts_json(verdict.duplicates_beside)}}},
      {"unrecorded", verdict.unrecorded},
      {"recoverySeconds",
       {{"jobs", times_json(report.recovery.jobs)},
        {"firstOfAKill", times_json(report.recovery.first)},
        {"uncertainMails", times_json(report.recovery.uncertain)},
        {"notAgain", report.recovery.not_again}}},
      {"drainedAfterSeconds", report.drained_after},
      {"notDoneHere", texts_json(report.lacks)},
      {"hitches", texts_json(report.hitches)},
      {"troubles", texts_json(report.troubles)},
      {"violations", violations}};
  return json::serialize(all) + "\n";
}

}  // namespace eilbote::chaos
