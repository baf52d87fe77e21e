// The alert rules and the dashboard ask for metrics and labels that are in the metric table, each alert has a section in the
// runbook and a test that it fires and one that it does not. (What the expressions mean is promtool's: alerts_test.yml, and
// tests/scenarios/alerts_come_when_they_should.cpp.)
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "base/ascii.h"
#include "metrics/metrics.h"

namespace eilbote::test::monitoring_test {
namespace {

namespace json = boost::json;
using Names = std::set<std::string>;

// Given by Prometheus and by histograms.
const Names kGivenLabels{"namespace", "instance", "le"};

std::string file(const std::string& path) {
  std::ifstream in(EILBOTE_SOURCE_DIR "/" + path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

// Everything a pattern's first group matches.
std::vector<std::string> all(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

// The row of a name as an expression has it: histograms are asked for by their parts.
const MetricRow* row_of(const std::string& name) {
  for (const MetricRow& row : metric_table()) {
    if (row.kind != MetricKind::histogram && row.name == name) return &row;
    if (row.kind != MetricKind::histogram) continue;
    for (const char* part : {"_bucket", "_sum", "_count"})
      if (std::string(row.name) + part == name) return &row;
  }
  return nullptr;
}

// What is wrong with an expression and the texts around it, which may name labels as Prometheus ($labels.pool) and Grafana
// ({{pool}}) do; empty: nothing.
std::string trouble_in(const std::string& text) {
  Names known = kGivenLabels;
  for (const std::string& name : all(text, R"(\b(eilbote_[a-z_]+))")) {
    const MetricRow* row = row_of(name);
    if (row == nullptr) return name + " is not in the metric table";
    known.insert(row->labels.begin(), row->labels.end());
  }
  for (const std::string& name : all(text, R"(\b(eilbote_[a-z_]+)\{)")) {
    Names own = kGivenLabels;
    own.insert(row_of(name)->labels.begin(), row_of(name)->labels.end());
    for (const std::string& matchers : all(text, name + R"(\{([^}]*)\})"))
      for (const std::string& label : all(matchers, R"((\w+)(?:=|!))"))
        if (!own.contains(label)) return name + " has no label " + label;
  }
  for (const std::string& group : all(text, R"(\bby \(([^)]*)\))"))
    for (const std::string& label : all(group, R"((\w+))"))
      if (!known.contains(label)) return "no metric of it has the label " + label;
  for (const std::string& label : all(text, R"(\{\{ *(?:\$labels\.)?([a-z]\w*) *\}\})"))
    if (!known.contains(label))
      return "its text names the label " + label + ", which none of its metrics has";
  return "";
}

// Each alert from its name to the next one.
std::map<std::string, std::string> alerts() {
  std::map<std::string, std::string> blocks;
  const std::string text = file("deploy/prometheus/alerts.yml"), start = "- alert: ";
  for (std::size_t at = text.find(start); at != std::string::npos;) {
    const std::size_t next = text.find(start, at + 1);
    const std::string block = text.substr(at, next == std::string::npos ? next : next - at);
    blocks[block.substr(start.size(), block.find('\n') - start.size())] = block;
    at = next;
  }
  return blocks;
}

TEST(Monitoring, alerts_ask_for_what_there_is) {
  EXPECT_GE(alerts().size(), 20U);
  for (const auto& [name, block] : alerts()) {
    EXPECT_NE(block.find("eilbote_"), std::string::npos) << name;
    EXPECT_EQ(trouble_in(block), "") << name;
  }
}

TEST(Monitoring, every_alert_says_how_bad_it_is_and_leads_to_the_runbook) {
  const std::string runbook = file("docs/runbook.md");
  for (const auto& [name, block] : alerts()) {
    for (const char* part : {R"(severity: (warning|critical)\n)", R"re(summary: "(.+)"\n)re",
                             R"re(description: "(.{40,})"\n)re"})
      EXPECT_EQ(all(block, part).size(), 1U) << name << " needs " << part;
    EXPECT_NE(block.find("runbook_url: docs/runbook.md#" + ascii_lower(name) + "\n"), std::string::npos)
        << name;
    EXPECT_NE(runbook.find("\n## " + name + "\n"), std::string::npos) << name;
  }
  for (const std::string& section : all(runbook, R"(\n## (.*))"))
    EXPECT_TRUE(alerts().contains(section)) << "the runbook has a section for no alert: " << section;
}

TEST(Monitoring, every_alert_is_tested_to_fire_and_to_be_silent) {
  const std::string tests = file("deploy/prometheus/alerts_test.yml");
  for (const auto& [name, block] : alerts())
    for (const char* what : {" fires\n", " is silent\n"})
      EXPECT_NE(tests.find("- name: " + name + what), std::string::npos) << name << what;
}

// Every target of the dashboard, with what its legend names.
void collect_targets(const json::value& value, std::vector<std::string>& found) {
  if (const json::array* const list = value.if_array())
    for (const json::value& one : *list)
      collect_targets(one, found);
  const json::object* const object = value.if_object();
  if (object == nullptr) return;
  if (const json::value* const expr = object->if_contains("expr");
      expr != nullptr && object->contains("refId"))
    found.push_back(std::string(expr->as_string()) + "\n" +
                    std::string(object->at("legendFormat").as_string()));
  for (const auto& member : *object)
    collect_targets(member.value(), found);
}

TEST(Monitoring, the_dashboard_asks_for_what_there_is) {
  const json::value dashboard = json::parse(file("deploy/grafana/eilbote.json"));
  std::vector<std::string> targets;
  collect_targets(dashboard, targets);
  EXPECT_GE(targets.size(), 40U);
  for (const std::string& target : targets) {
    EXPECT_NE(target.find("eilbote_"), std::string::npos) << target;
    EXPECT_EQ(trouble_in(target), "") << target;
  }
}

// Several installations under one Prometheus are told apart by their namespace: the largest of each, added up. Of ages the
// largest of all is meant.
TEST(Monitoring, the_dashboard_adds_installations_up) {
  std::vector<std::string> targets;
  collect_targets(json::parse(file("deploy/grafana/eilbote.json")), targets);
  for (const std::string& target : targets)
    for (const std::string& metric :
         all(target, R"(\bmax(?: by \((?!namespace)[^)]*\))? *\((eilbote_[a-z_]+))"))
      EXPECT_TRUE(metric.ends_with("_seconds")) << target;
}

TEST(Monitoring, the_dashboard_can_be_used_with_any_data_source) {
  const json::value dashboard = json::parse(file("deploy/grafana/eilbote.json"));
  EXPECT_EQ(dashboard.at("uid"), "eilbote");
  std::set<std::int64_t> ids;
  for (const json::value& panel : dashboard.at("panels").as_array()) {
    EXPECT_TRUE(ids.insert(panel.at("id").as_int64()).second) << panel.at("id");
    if (panel.at("type") == "row") continue;
    EXPECT_EQ(panel.at("datasource").at("uid"), "$datasource") << panel.at("title");
  }
}

TEST(Monitoring, finds_what_is_not_there) {
  const std::pair<const char*, bool> cases[] = {
      {R"(sum by (pool) (eilbote_queue_depth{pool="a"}) {{pool}})", true},
      {"eilbote_queue_depths", false},
      {R"(eilbote_queue_depth{route="a"})", false},
      {R"(eilbote_queue_depth{pool!="a",route=~"b"})", false},
      {"max by (route) (eilbote_queue_depth)", false},
      {"eilbote_queue_depth {{ $labels.route }}", false},
      {"eilbote_attempt_seconds", false},
      {R"(sum by (le, route) (rate(eilbote_attempt_seconds_bucket{outcome="delivered"}[5m])))", true},
      {"eilbote_queue_depth_bucket", false},
  };
  for (const auto& [text, is_right] : cases)
    EXPECT_EQ(trouble_in(text).empty(), is_right) << text << ": " << trouble_in(text);
}

}  // namespace
}  // namespace eilbote::test::monitoring_test
