#include "support/prometheus.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <stdexcept>

#include "support/captured_mail.h"
#include "support/eventually.h"
#include "support/http_client.h"
#include "support/server_packages.h"

namespace eilbote::test {
namespace {

namespace json = boost::json;

const ServerFile kServer{"prometheus", "usr/bin/prometheus"}, kTool{"prometheus", "usr/bin/promtool"};

std::string configuration(const std::vector<std::string>& targets) {
  return fmt::format(
      "global:\n"
      "  scrape_interval: 1s\n"
      "  scrape_timeout: 1s\n"
      "  evaluation_interval: 500ms\n"
      "rule_files: ['{}']\n"
      "scrape_configs:\n"
      "  - job_name: eilbote\n"
      "    static_configs: [{{targets: ['{}']}}]\n",
      EILBOTE_SOURCE_DIR "/deploy/prometheus/alerts.yml", fmt::join(targets, "', '"));
}

}  // namespace

std::string Prometheus::missing() {
  return missing_servers({kServer, kTool});
}

Prometheus::Prometheus(const TempFolder& folder, const std::vector<std::string>& targets)
    : log_file_(folder / "prometheus.log") {
  const std::string address = "127.0.0.1:" + std::to_string(free_port());
  url_ = "http://" + address;
  write_text_file(folder / "prometheus.yml", configuration(targets));
  process_ = std::make_unique<ChildProcess>(
      ChildOptions{{path_of(kServer), "--config.file=" + (folder / "prometheus.yml"),
                    "--storage.tsdb.path=" + (folder / "prometheus"), "--web.listen-address=" + address,
                    "--log.level=warn"},
                   {},
                   log_file_,
                   ""});
  const std::string all_up = fmt::format(",\"{}\"]", targets.size());  // [time, "value"]
  const bool scraped = eventually(
      [&] {
        if (!process_->running()) return false;
        const std::string up = ask("/api/v1/query?query=sum(up)");
        return up.find(all_up) != std::string::npos && !alerts().contains("EilboteDown");
      },
      std::chrono::seconds{60}, std::chrono::milliseconds{100});
  if (!scraped) throw std::runtime_error("Prometheus scrapes not all targets\n" + read_text_file(log_file_));
}

std::string Prometheus::ask(const std::string& path) const {
  return http_request("GET", url_ + path, "", {}, 5000).body;
}

std::set<std::string> Prometheus::alerts() const {
  boost::system::error_code broken;
  const json::value answer = json::parse(ask("/api/v1/alerts"), broken);
  std::set<std::string> names;
  if (broken) return names;
  for (const json::value& alert : answer.at("data").at("alerts").as_array())
    names.emplace(alert.at("labels").at("alertname").as_string());
  return names;
}

bool Prometheus::raises(const std::string& alert, std::chrono::milliseconds patience) const {
  return eventually([&] { return alerts().contains(alert); }, patience, std::chrono::milliseconds{100});
}

CommandResult promtool(const std::vector<std::string>& arguments, const std::string& input) {
  std::vector<std::string> command{"sh", "-c", "exec \"$0\" \"$@\" <\"${PROMTOOL_INPUT}\"", path_of(kTool)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_command(command, {{"PROMTOOL_INPUT", input.empty() ? "/dev/null" : input}});
}

}  // namespace eilbote::test
